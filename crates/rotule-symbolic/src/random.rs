//! Random numbers and hashes that are the same on every machine and for ever: a seed written in a
//! file of today must give the same samples tomorrow, so no crate decides about them.
//!
//! [`SplitMix64`] is the generator of Steele, Lea and Flood (2014). All library code and all tests
//! of the project take their numbers from it.

/// 2^64 over the golden ratio: seeds that follow each other are far apart.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bits of a number so mixed that each depends on all: SplitMix64's finaliser.
#[must_use]
pub const fn scramble(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A stream of random numbers; the field is its seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        scramble(self.0)
    }

    /// A number from 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from -1 to 1, without 1.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A whole number below `end`, which is above zero.
    pub const fn below(&mut self, end: usize) -> usize {
        (self.bits() >> 11) as usize % end
    }
}

/// The FNV-1a hash of a text in 64 bits: it tells texts apart and is no seal.
#[must_use]
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A number between -1 and 1 that looks random, the same for the same name and seed.
#[must_use]
pub fn of_name(name: &str, seed: u32) -> f64 {
    let start = seed.wrapping_mul(2_654_435_761);
    let hash =
        name.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    f64::from(hash) / f64::from(u32::MAX) * 2.0 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_those_that_were_published() {
        // Vigna's splitmix64.c with this seed.
        let mut random = SplitMix64(1_234_567);
        let found = [(); 3].map(|()| random.bits());
        let expected =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(found, expected);
    }

    #[test]
    fn hashes_are_those_that_were_published() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn numbers_keep_to_their_ranges() {
        let mut random = SplitMix64(0);
        for seed in 0..1000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!((-1.0..1.0).contains(&random.signed()));
            assert!(random.below(7) < 7);
            assert!((-1.0..=1.0).contains(&of_name("q1", seed)));
        }
    }
}
