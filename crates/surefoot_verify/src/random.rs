//! Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014), one stream
//! for every sample, so that the number of threads cannot reach a result.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

/// What a stream is for; samples of different purposes are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Soundness = 1,
    Completeness = 2,
    Walks = 3,
    Insides = 4,
    Skies = 5,
    Patches = 6,
}

impl Random {
    /// The stream of one sample.
    pub(crate) fn of_sample(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut random = Self { state: seed ^ (purpose as u64) << 56 };
        let salt = random.next();
        random.state = salt ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Barycentric coordinates, evenly over a triangle.
    pub(crate) fn in_triangle(&mut self) -> [f64; 3] {
        let (mut u, mut v) = (self.unit(), self.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        [1.0 - u - v, u, v]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, purpose, index| Random::of_sample(seed, purpose, index).next();
        assert_eq!(draw(7, Purpose::Soundness, 3), draw(7, Purpose::Soundness, 3));
        let all = [
            draw(7, Purpose::Soundness, 3),
            draw(7, Purpose::Soundness, 4),
            draw(8, Purpose::Soundness, 3),
            draw(7, Purpose::Completeness, 3),
        ];
        for i in 0..all.len() {
            assert!(all[..i].iter().all(|x| *x != all[i]));
        }
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        let mut random = Random::of_sample(1, Purpose::Walks, 0);
        let n = 100_000;
        let mean = (0..n).map(|_| random.unit()).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let centre = (0..n).map(|_| random.in_triangle()[1]).sum::<f64>() / f64::from(n);
        assert!((centre - 1.0 / 3.0).abs() < 0.005, "{centre}");
    }
}
