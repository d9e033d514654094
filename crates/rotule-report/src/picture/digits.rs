//! Numbers written into a picture: the time of a snapshot. Each character is five pixels wide and
//! seven tall, drawn larger on larger pictures.

use super::Raster;

/// Rows from the top, five bits each.
const CHARACTERS: [(char, [u8; 7]); 15] = [
    ('0', [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
    ('1', [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('2', [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    ('3', [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
    ('4', [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
    ('5', [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    ('6', [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
    ('7', [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
    ('8', [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
    ('9', [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100]),
    ('.', [0, 0, 0, 0, 0, 0b01100, 0b01100]),
    ('-', [0, 0, 0, 0b01110, 0, 0, 0]),
    ('e', [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110]),
    ('s', [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110]),
    (' ', [0; 7]),
];

impl Raster {
    /// Writes a number with its unit into the upper left corner; other characters are left out.
    pub fn label(&mut self, text: &str, ink: [u8; 3]) {
        let scale = (self.width.min(self.height) / 240).clamp(1, 8);
        let known = |letter| CHARACTERS.iter().find(|(known, _)| *known == letter);
        for (place, (_, rows)) in (0_u32..).zip(text.chars().filter_map(known)) {
            for (y, row) in (0_u32..).zip(rows) {
                for x in (0..5).filter(|x| row >> (4 - x) & 1 == 1) {
                    let corner = [(6 * place + x + 5) * scale, (y + 5) * scale];
                    self.fill(corner, scale, ink);
                }
            }
        }
    }

    /// Fills a square, as far as it lies in the picture.
    fn fill(&mut self, [left, top]: [u32; 2], side: u32, ink: [u8; 3]) {
        for y in (top..top + side).filter(|y| *y < self.height) {
            for x in (left..left + side).filter(|x| *x < self.width) {
                self.pixels[(y * self.width + x) as usize] = ink;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_the_corner_and_small_pictures_are_left_whole() {
        let blank = |width: u32, height: u32| Raster {
            width,
            height,
            pixels: vec![[255; 3]; (width * height) as usize],
        };
        let mut picture = blank(240, 240);
        picture.label("1", [0; 3]);
        let ink: Vec<usize> = (0..240 * 240).filter(|at| picture.pixels[*at] == [0; 3]).collect();
        let rows: Vec<usize> = ink.iter().map(|at| at / 240).collect();
        // The stroke of a one is three pixels at its foot, two at its tip, one elsewhere.
        assert_eq!((ink.len(), rows.first(), rows.last()), (10, Some(&5), Some(&11)));
        let mut small = blank(3, 3);
        small.label("-1.5e-3 s", [0; 3]);
        assert_eq!(small, blank(3, 3));
    }
}
