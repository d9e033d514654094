//! Deflate (RFC 1951) with the fixed codes, which is enough for pictures.

/// The longest and the shortest repetition, and how far back it may be.
const LONGEST: usize = 258;
const SHORTEST: usize = 3;
const WINDOW: usize = 32_768;
/// Places that are tried for a repetition.
const TRIES: usize = 32;

/// Bits, the lowest first.
struct Bits {
    out: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, bits: u32, count: u32) {
        self.held |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// A code of Huffman, whose highest bit comes first.
    fn code(&mut self, code: u32, count: u32) {
        self.put(code.reverse_bits() >> (32 - count), count);
    }

    fn symbol(&mut self, symbol: u32) {
        match symbol {
            0..144 => self.code(0x30 + symbol, 8),
            144..256 => self.code(0x190 + symbol - 144, 9),
            256..280 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }

    /// A repetition of bytes.
    fn repeat(&mut self, length: usize, distance: usize) {
        if length == LONGEST {
            self.symbol(285);
        } else {
            // Groups of four codes have one more bit each.
            let value = (length - SHORTEST) as u32;
            let extra = if value < 8 { 0 } else { value.ilog2() - 2 };
            self.symbol(257 + 4 * extra + (value >> extra));
            self.put(value & ((1 << extra) - 1), extra);
        }
        let value = distance as u32 - 1;
        let extra = if value < 4 { 0 } else { value.ilog2() - 1 };
        self.code(2 * extra + (value >> extra), 5);
        self.put(value & ((1 << extra) - 1), extra);
    }
}

/// Bytes compressed, in the frame of zlib (RFC 1950).
pub(super) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits { out: vec![0x78, 0x01], held: 0, count: 0 };
    bits.put(0b011, 3);
    // Where each hash was seen last, and before that.
    let mut last = vec![usize::MAX; 1 << 15];
    let mut before = vec![usize::MAX; WINDOW];
    let hash = |at: usize| {
        let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0]);
        (word.wrapping_mul(0x9e37_79b1) >> 17) as usize
    };
    let mut at = 0;
    while at < bytes.len() {
        let (mut length, mut distance) = (0, 0);
        if at + SHORTEST <= bytes.len() {
            let most = LONGEST.min(bytes.len() - at);
            let mut candidate = last[hash(at)];
            for _ in 0..TRIES {
                if candidate == usize::MAX || at - candidate > WINDOW - 1 {
                    break;
                }
                let same = bytes[candidate..].iter().zip(&bytes[at..at + most]);
                let same = same.take_while(|(a, b)| a == b).count();
                if same > length {
                    (length, distance) = (same, at - candidate);
                }
                if length == most {
                    break;
                }
                candidate = before[candidate % WINDOW];
            }
        }
        let step = if length >= SHORTEST {
            bits.repeat(length, distance);
            length
        } else {
            bits.symbol(u32::from(bytes[at]));
            1
        };
        for place in at..(at + step).min(bytes.len().saturating_sub(SHORTEST - 1)) {
            let hash = hash(place);
            before[place % WINDOW] = last[hash];
            last[hash] = place;
        }
        at += step;
    }
    bits.symbol(256);
    bits.put(0, 7);
    bits.out.extend(adler(bytes).to_be_bytes());
    bits.out
}

/// The checksum of zlib.
fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for chunk in bytes.chunks(5552) {
        for byte in chunk {
            a += u32::from(*byte);
            b += a;
        }
        (a, b) = (a % 65_521, b % 65_521);
    }
    b << 16 | a
}
