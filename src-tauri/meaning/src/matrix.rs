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

impl Inputs {
    #[inline(always)]
    fn row(&self, at: usize) -> &[i16] {
        &self.values[at * self.columns..(at + 1) * self.columns]
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
        let mut out = vec![0.0; self.bias.len() * inputs.scales.len()];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && self.columns.is_multiple_of(avx2::BLOCK) {
            #[expect(unsafe_code, reason = "the processor has what the function was compiled for")]
            unsafe {
                self.multiply_avx2(inputs, &mut out);
            }
            return out;
        }
        self.multiply(inputs, &mut out, plain);
        out
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn multiply_avx2(&self, inputs: &Inputs, out: &mut [f32]) {
        self.multiply(inputs, out, |pair, four| avx2::dots(pair, four));
    }

    /// Rows of weights in pairs and inputs in fours: what was loaded is used several times. Where there are fewer, the
    /// last one stands for those that are missing.
    #[inline(always)]
    fn multiply(&self, inputs: &Inputs, out: &mut [f32], dots: impl Fn([&[i8]; 2], [&[i16]; 4]) -> [[i32; 4]; 2]) {
        let (rows, columns, count) = (self.bias.len(), self.columns, inputs.scales.len());
        for above in (0..rows).step_by(2) {
            let below = (above + 1).min(rows - 1);
            let pair = [
                &self.values[above * columns..(above + 1) * columns],
                &self.values[below * columns..(below + 1) * columns],
            ];
            for first in (0..count).step_by(4) {
                // Written out, here and below: a function that takes a closure knows nothing of the processor, and is
                // called in the innermost loop.
                let four = [
                    inputs.row(first.min(count - 1)),
                    inputs.row((first + 1).min(count - 1)),
                    inputs.row((first + 2).min(count - 1)),
                    inputs.row((first + 3).min(count - 1)),
                ];
                for (row, sums) in (above..rows).zip(dots(pair, four)) {
                    let (scale, bias) = (self.scales[row], self.bias[row]);
                    for (at, sum) in (first..count).zip(sums) {
                        out[at * rows + row] = sum as f32 * scale * inputs.scales[at] + bias;
                    }
                }
            }
        }
    }
}

/// The product of two rows of bytes of one length, where the processor can do it at once.
#[cfg(target_arch = "x86_64")]
pub(crate) fn dot_of_bytes(one: &[i8], other: &[i8]) -> Option<i32> {
    if !std::arch::is_x86_feature_detected!("avx2") || !one.len().is_multiple_of(avx2::BLOCK) {
        return None;
    }
    #[expect(unsafe_code, reason = "the processor has what the function was compiled for")]
    unsafe {
        Some(avx2::dot_of_bytes(one, other))
    }
}

/// The products of two rows with four, on any processor.
fn plain(pair: [&[i8]; 2], four: [&[i16]; 4]) -> [[i32; 4]; 2] {
    pair.map(|row| four.map(|input| dot(row, input)))
}

/// One sum and nothing else in the loop: so compilers find the one instruction that multiplies and adds sixteen bits.
fn dot(one: &[i8], other: &[i16]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

/// The same for eight sums at once, in the words of one kind of processor.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };

    /// Numbers that are multiplied at once.
    pub(super) const BLOCK: usize = 16;

    /// The products of two rows with four; of each, whole blocks count.
    #[target_feature(enable = "avx2")]
    pub(super) fn dots(pair: [&[i8]; 2], four: [&[i16]; 4]) -> [[i32; 4]; 2] {
        let count = pair[0].len() / BLOCK;
        let (one, other) = (blocks(pair[0], count), blocks(pair[1], count));
        let (first, second) = (blocks(four[0], count), blocks(four[1], count));
        let (third, fourth) = (blocks(four[2], count), blocks(four[3], count));
        let mut upper = [_mm256_setzero_si256(); 4];
        let mut lower = upper;
        for at in 0..count {
            let (above, below) = (widened(&one[at]), widened(&other[at]));
            let (a, b, c, d) = (load(&first[at]), load(&second[at]), load(&third[at]), load(&fourth[at]));
            // Written out: in an inner loop the sums would go through memory.
            upper[0] = add_products(upper[0], above, a);
            upper[1] = add_products(upper[1], above, b);
            upper[2] = add_products(upper[2], above, c);
            upper[3] = add_products(upper[3], above, d);
            lower[0] = add_products(lower[0], below, a);
            lower[1] = add_products(lower[1], below, b);
            lower[2] = add_products(lower[2], below, c);
            lower[3] = add_products(lower[3], below, d);
        }
        let [a, b, c, d] = upper;
        let [e, f, g, h] = lower;
        [[whole(a), whole(b), whole(c), whole(d)], [whole(e), whole(f), whole(g), whole(h)]]
    }

    /// The product of two rows of bytes; of each, whole blocks count.
    #[target_feature(enable = "avx2")]
    pub(super) fn dot_of_bytes(one: &[i8], other: &[i8]) -> i32 {
        let mut sums = _mm256_setzero_si256();
        for (one, other) in one.as_chunks().0.iter().zip(other.as_chunks().0) {
            sums = add_products(sums, widened(one), widened(other));
        }
        whole(sums)
    }

    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "the block is as long as what is read, and may lie anywhere")]
    fn widened(block: &[i8; BLOCK]) -> __m256i {
        _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(block.as_ptr().cast()) })
    }

    #[inline(always)]
    fn blocks<T>(row: &[T], count: usize) -> &[[T; BLOCK]] {
        &row.as_chunks().0[..count]
    }

    #[target_feature(enable = "avx2")]
    fn add_products(sums: __m256i, weights: __m256i, inputs: __m256i) -> __m256i {
        _mm256_add_epi32(sums, _mm256_madd_epi16(weights, inputs))
    }

    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "the block is as long as what is read, and may lie anywhere")]
    fn load(block: &[i16; BLOCK]) -> __m256i {
        unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
    }

    /// The sum of eight numbers.
    #[target_feature(enable = "avx2")]
    fn whole(eight: __m256i) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b1110>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b01>(two)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many numbers between -1 and 1, others for each seed.
    fn numbers(count: usize, mut seed: u32) -> Vec<f32> {
        let next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 8_388_608.0 - 1.0
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn plainly(matrix: &Matrix, inputs: &Inputs) -> Vec<f32> {
        let mut out = vec![0.0; matrix.bias.len() * inputs.scales.len()];
        matrix.multiply(inputs, &mut out, plain);
        out
    }

    #[test]
    fn what_a_processor_can_do_more_changes_no_product() {
        for (rows, columns, count) in [(1, 16, 1), (3, 32, 5), (8, 384, 4), (5, 1536, 7), (2, 20, 3)] {
            let matrix = Matrix::of(&numbers(rows * columns, 1), numbers(rows, 2));
            let inputs = Inputs::of(&numbers(count * columns, 3), columns);
            assert_eq!(matrix.product(&inputs), plainly(&matrix, &inputs), "{rows} {columns} {count}");
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn products_of_bytes_are_the_same_at_once() {
        for length in [0, 16, 384, 1024] {
            let bytes = |seed| -> Vec<i8> { numbers(length, seed).iter().map(|one| (one * 128.0) as i8).collect() };
            for (one, other) in [(bytes(1), bytes(2)), (vec![i8::MIN; length], vec![i8::MIN; length])] {
                let plain: i32 = one.iter().zip(&other).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                assert!(dot_of_bytes(&one, &other).is_none_or(|sum| sum == plain), "{length}");
            }
        }
        assert_eq!(dot_of_bytes(&[1; 5], &[1; 5]), None, "no whole blocks");
    }

    #[test]
    fn products_are_those_of_the_numbers_that_they_are_of() {
        let (rows, columns, count) = (3, 48, 6);
        let (weights, bias, inputs) = (numbers(rows * columns, 1), numbers(rows, 2), numbers(count * columns, 3));
        let found = Matrix::of(&weights, bias.clone()).product(&Inputs::of(&inputs, columns));
        let (weights, inputs) = (weights.chunks(columns), inputs.chunks(columns));
        let exact = inputs.flat_map(|input| {
            weights
                .clone()
                .zip(&bias)
                .map(move |(row, bias)| row.iter().zip(input).map(|(a, b)| a * b).sum::<f32>() + bias)
        });
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() < 0.05, "{found} and not {exact}");
        }
    }

    #[test]
    fn the_largest_numbers_of_the_widest_rows_do_not_overflow() {
        let columns = 4096;
        let most = Matrix::of(&vec![1e30; columns], vec![0.0]).product(&Inputs::of(&vec![-1e-30; columns], columns));
        assert!((most[0] / -(columns as f32) - 1.0).abs() < 1e-3, "{most:?}");
        let hostile = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE / 2.0, 0.0];
        let rows: Vec<f32> = hostile.iter().flat_map(|one| [*one; 16]).collect();
        let matrix = Matrix::of(&rows, vec![0.0; hostile.len()]);
        assert_eq!(matrix.product(&Inputs::of(&rows, 16)).len(), hostile.len() * hostile.len());
    }
}
