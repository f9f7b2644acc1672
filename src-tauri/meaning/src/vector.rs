//! What a text means, as a direction.

/// The direction of a text's meaning, in eight bits a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Box<[i8]>);

impl Vector {
    /// From components of any length; `None` where they point nowhere.
    pub(crate) fn of(components: &[f32]) -> Option<Self> {
        let most = components.iter().fold(0.0_f32, |most, one| most.max(one.abs()));
        if !(most.is_normal() && components.iter().all(|one| one.is_finite())) {
            return None;
        }
        Some(Self(components.iter().map(|one| (one / most * 127.0).round() as i8).collect()))
    }

    /// From what [`Self::bytes`] gave; `None` for what is none of the length `length`, or points nowhere.
    pub fn from_bytes(bytes: &[u8], length: usize) -> Option<Self> {
        let good = bytes.len() == length && bytes.iter().any(|byte| *byte != 0);
        good.then(|| Self(bytes.iter().map(|byte| byte.cast_signed()).collect()))
    }

    /// Its components, a byte each.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().map(|one| one.cast_unsigned()).collect()
    }

    /// How alike two meanings are: the cosine, from -1 to 1. Vectors of different lengths have nothing in common.
    pub fn likeness(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        let (mut both, mut own, mut others) = (0_i32, 0_i32, 0_i32);
        for (one, other) in self.0.iter().zip(&other.0) {
            let (one, other) = (i32::from(*one), i32::from(*other));
            both += one * other;
            own += one * one;
            others += other * other;
        }
        both as f32 / (own as f32 * others as f32).sqrt()
    }
}
