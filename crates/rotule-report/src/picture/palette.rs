//! Colours of pictures, for light and dark.

use rotule_symbolic::elementary::pow;
use std::sync::LazyLock;

/// Red, green and blue.
pub(super) type Rgb = [u8; 3];

/// The paint of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// The colour of a body, by its number.
    Body(usize),
    /// Joints, rims, rods and the ground's own shapes.
    Steel,
    /// Rods of dampers.
    Bright,
    /// Coils of springs.
    Coil,
    /// Forces between points.
    Line,
    /// Tyres.
    Tyre,
    /// Hills.
    Ground,
    /// A colour of its own.
    Own(Rgb),
}

/// The colours of one theme.
pub(super) struct Theme {
    bodies: [Rgb; 6],
    steel: Rgb,
    bright: Rgb,
    coil: Rgb,
    line: Rgb,
    tyre: Rgb,
    ground: Rgb,
    /// The background at the top and at the bottom.
    pub sky: [Rgb; 2],
    pub floor: Rgb,
    pub ink: Rgb,
    /// The directions x, y and z.
    pub axes: [Rgb; 3],
    /// The darkness of a shadow.
    pub shade: f64,
    /// The brightness of the lamp.
    pub lamp: f64,
}

const fn rgb(hex: u32) -> Rgb {
    [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8]
}

static LIGHT: Theme = Theme {
    bodies: [
        rgb(0x1d4a8c),
        rgb(0xbd4500),
        rgb(0x2f8577),
        rgb(0x8a3fc9),
        rgb(0xd27b00),
        rgb(0x2a94e2),
    ],
    steel: rgb(0xaab1b8),
    bright: rgb(0xd5dade),
    coil: rgb(0xd27b00),
    line: rgb(0xa2500f),
    tyre: rgb(0x343a41),
    ground: rgb(0xc9cdd0),
    sky: [rgb(0xffffff), rgb(0xe8eaeb)],
    floor: rgb(0x7d868e),
    ink: rgb(0x1c2127),
    axes: [rgb(0xbd4500), rgb(0x2f8577), rgb(0x1d4a8c)],
    shade: 0.24,
    lamp: 1.0,
};

static DARK: Theme = Theme {
    bodies: [
        rgb(0x6a86e0),
        rgb(0xe8720c),
        rgb(0x3fcc9a),
        rgb(0xc4a2ff),
        rgb(0xf5e27a),
        rgb(0xa0e8fa),
    ],
    steel: rgb(0x848d96),
    bright: rgb(0xb4bcc4),
    coil: rgb(0xf5e27a),
    line: rgb(0xeba56c),
    tyre: rgb(0x3b424a),
    ground: rgb(0x3a4148),
    sky: [rgb(0x20262b), rgb(0x121518)],
    floor: rgb(0x6b757e),
    ink: rgb(0xe4e7ea),
    axes: [rgb(0xe8720c), rgb(0x3fcc9a), rgb(0x6a86e0)],
    shade: 0.45,
    lamp: 0.85,
};

impl Theme {
    pub fn of(dark: bool) -> &'static Theme {
        if dark { &DARK } else { &LIGHT }
    }

    pub fn colour(&self, paint: Paint) -> Rgb {
        match paint {
            Paint::Body(number) => self.bodies[number % self.bodies.len()],
            Paint::Steel => self.steel,
            Paint::Bright => self.bright,
            Paint::Coil => self.coil,
            Paint::Line => self.line,
            Paint::Tyre => self.tyre,
            Paint::Ground => self.ground,
            Paint::Own(rgb) => rgb,
        }
    }
}

/// The amount of light of a byte of a colour, and a table of the way back.
struct Gamma {
    linear: [f64; 256],
    bytes: Vec<u8>,
}

/// Steps of the table of the way back.
const STEPS: usize = 4096;

static GAMMA: LazyLock<Gamma> = LazyLock::new(|| {
    let mut linear = [0.0; 256];
    for (byte, light) in linear.iter_mut().enumerate() {
        *light = pow(byte as f64 / 255.0, 2.2);
    }
    let byte = |step: usize| (255.0 * pow(step as f64 / STEPS as f64, 1.0 / 2.2)).round() as u8;
    Gamma { linear, bytes: (0..=STEPS).map(byte).collect() }
});

/// Amounts of light of a colour.
pub(super) fn light_of(rgb: Rgb) -> [f64; 3] {
    rgb.map(|byte| GAMMA.linear[usize::from(byte)])
}

/// The colour of amounts of light.
pub(super) fn colour_of(light: [f64; 3]) -> Rgb {
    light.map(|x| GAMMA.bytes[(x.clamp(0.0, 1.0) * STEPS as f64) as usize])
}

/// A colour between two.
pub(super) fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    let part = |k: usize| f64::from(a[k]) + share * (f64::from(b[k]) - f64::from(a[k]));
    [0, 1, 2].map(|k| part(k).round() as u8)
}
