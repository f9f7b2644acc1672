//! Products of matrices with weights of eight and inputs of fourteen bits.

/// The largest input; with it, sums over two thousand columns fit into 32 bits.
const MOST_INPUT: i32 = 8191;
/// The largest weight.
const MOST_WEIGHT: i32 = 127;

/// A matrix of weights, and what is added to its products.
pub(crate) struct Matrix {
    columns: usize,
    /// Row by row.
    values: Vec<i8>,
    /// What one of a row's values stands for.
    scales: Vec<f32>,
    bias: Vec<f32>,
}

/// Rows of numbers as a matrix takes them.
pub(crate) struct Inputs {
    columns: usize,
    values: Vec<i16>,
    /// What one of a row's values stands for.
    scales: Vec<f32>,
}

impl Inputs {
    /// From rows of so many numbers.
    pub fn of(numbers: &[f32], columns: usize) -> Self {
        let most = MOST_INPUT.min(i32::MAX / MOST_WEIGHT / columns.max(1) as i32) as f32;
        let mut inputs = Self { columns, values: Vec::with_capacity(numbers.len()), scales: Vec::new() };
        for row in numbers.chunks_exact(columns) {
            let scale = row.iter().fold(0.0_f32, |most, one| most.max(one.abs())).max(f32::MIN_POSITIVE) / most;
            let factor = 1.0 / scale;
            // Half away from zero, without a call into a library of mathematics.
            inputs.values.extend(row.iter().map(|one| (one * factor + 0.5_f32.copysign(*one)) as i16));
            inputs.scales.push(scale);
        }
        inputs
    }
}

impl Matrix {
    /// From weights row by row, a row for each number of `bias`.
    pub fn of(weights: &[f32], bias: Vec<f32>) -> Self {
        let columns = weights.len() / bias.len().max(1);
        let mut matrix = Self { columns, values: Vec::with_capacity(weights.len()), scales: Vec::new(), bias };
        for row in weights.chunks_exact(columns.max(1)) {
            let most = row.iter().fold(0.0_f32, |most, one| most.max(one.abs())).max(f32::MIN_POSITIVE);
            let scale = most / MOST_WEIGHT as f32;
            matrix.values.extend(row.iter().map(|one| (one / scale).round() as i8));
            matrix.scales.push(scale);
        }
        matrix
    }

    /// The products with rows of numbers, a row each.
    pub fn product(&self, inputs: &Inputs) -> Vec<f32> {
        debug_assert_eq!(self.columns, inputs.columns);
        let rows = self.bias.len();
        let mut out = vec![0.0; rows * inputs.scales.len()];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the processor has what the function was compiled for")]
            unsafe {
                self.multiply_avx2(inputs, &mut out);
            }
            return out;
        }
        self.multiply(inputs, &mut out);
        out
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn multiply_avx2(&self, inputs: &Inputs, out: &mut [f32]) {
        self.multiply(inputs, out);
    }

    /// A row of weights is widened once for all inputs.
    #[inline(always)]
    fn multiply(&self, inputs: &Inputs, out: &mut [f32]) {
        let (rows, columns) = (self.bias.len(), self.columns);
        let mut weights = vec![0_i16; columns];
        let each = self.values.chunks_exact(columns).zip(&self.scales).zip(&self.bias);
        for (row, ((values, scale), bias)) in each.enumerate() {
            for (wide, value) in weights.iter_mut().zip(values) {
                *wide = i16::from(*value);
            }
            for (at, (input, unit)) in inputs.values.chunks_exact(columns).zip(&inputs.scales).enumerate() {
                out[at * rows + row] = dot(&weights, input) as f32 * scale * unit + bias;
            }
        }
    }
}

/// One sum and nothing else in the loop: so compilers find the one instruction that multiplies and adds sixteen bits.
#[inline(always)]
fn dot(one: &[i16], other: &[i16]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}
