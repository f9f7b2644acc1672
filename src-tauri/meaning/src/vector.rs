//! What a text means, as a direction.

/// The direction of a text's meaning, in eight bits a component.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    components: Box<[i8]>,
    length: f32,
}

impl Vector {
    /// From components of any length; `None` where they point nowhere.
    pub(crate) fn of(components: &[f32]) -> Option<Self> {
        let most = components.iter().fold(0.0_f32, |most, one| most.max(one.abs()));
        if !(most.is_normal() && components.iter().all(|one| one.is_finite())) {
            return None;
        }
        Some(Self::new(components.iter().map(|one| (one / most * 127.0).round() as i8).collect()))
    }

    /// From what [`Self::bytes`] gave; `None` for what is none of `width` components, or points nowhere.
    pub fn from_bytes(bytes: &[u8], width: usize) -> Option<Self> {
        let good = bytes.len() == width && bytes.iter().any(|byte| *byte != 0);
        good.then(|| Self::new(bytes.iter().map(|byte| byte.cast_signed()).collect()))
    }

    fn new(components: Box<[i8]>) -> Self {
        let length = (dot(&components, &components) as f32).sqrt();
        Self { components, length }
    }

    /// Its components, a byte each.
    pub fn bytes(&self) -> Vec<u8> {
        self.components.iter().map(|one| one.cast_unsigned()).collect()
    }

    /// How alike two meanings are: the cosine, from -1 to 1. Vectors of different widths have nothing in common.
    pub fn likeness(&self, other: &Self) -> f32 {
        if self.components.len() != other.components.len() {
            return 0.0;
        }
        dot(&self.components, &other.components) as f32 / (self.length * other.length)
    }
}

#[inline(never)]
fn dot(one: &[i8], other: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(sum) = crate::matrix::dot_of_bytes(one, other) {
        return sum;
    }
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}
