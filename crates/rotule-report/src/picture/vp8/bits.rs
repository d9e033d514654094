//! The arithmetic coder of VP8: bits of known probability, written as one long number.

/// A number that grows bit by bit.
pub struct BitWriter {
    out: Vec<u8>,
    range: u32,
    bottom: u32,
    // Bits until the next byte is complete.
    left: u32,
}

impl BitWriter {
    /// An empty number.
    pub fn new() -> BitWriter {
        BitWriter { out: Vec::new(), range: 255, bottom: 0, left: 24 }
    }

    /// A bit that is zero with this probability, in parts of 256.
    pub fn bit(&mut self, bit: bool, probability: u8) {
        let split = 1 + (((self.range - 1) * u32::from(probability)) >> 8);
        if bit {
            self.bottom += split;
            self.range -= split;
        } else {
            self.range = split;
        }
        while self.range < 128 {
            self.range <<= 1;
            if self.bottom & (1 << 31) != 0 {
                self.carry();
            }
            self.bottom <<= 1;
            self.left -= 1;
            if self.left == 0 {
                self.out.push((self.bottom >> 24) as u8);
                self.bottom &= (1 << 24) - 1;
                self.left = 8;
            }
        }
    }

    /// A number of so many bits, the highest first, each as likely as not.
    pub fn number(&mut self, value: u32, bits: u32) {
        for bit in (0..bits).rev() {
            self.bit(value >> bit & 1 == 1, 128);
        }
    }

    /// Adds one to what is written already.
    fn carry(&mut self) {
        for byte in self.out.iter_mut().rev() {
            let (sum, carried) = byte.overflowing_add(1);
            *byte = sum;
            if !carried {
                return;
            }
        }
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        if self.bottom & (1 << (32 - self.left)) != 0 {
            self.carry();
        }
        // What is left stands at the upper end; a shift by 32 leaves nothing.
        let rest = u64::from(self.bottom) << self.left;
        self.out.extend((rest as u32).to_be_bytes());
        self.out
    }
}
