//! A scene made ready for pictures: its solids as triangles, its size, the camera and the ground.

use super::camera::{Camera, View, level};
use super::palette::{Paint, Theme, colour_of, light_of};
use super::solid::{Corner, Solid, along, bar, coil, corners, of_shape, outline, rounded};
use super::vector::{Vector, add, dot, finite, length, scale, sub, unit};
use super::{PictureLook, Raster, raster, svg};
use crate::scene::{BodyPose, ConnectorLook, LineEnd, Scene, Shape};
use rotule_mesh::Affine;
use rotule_symbolic::elementary::{log10, powi};

/// Frames that are looked at for the size of what moves.
const LOOKS: usize = 160;

/// A scene made ready for pictures.
pub struct Renderer<'s> {
    scene: &'s Scene,
    look: PictureLook,
    theme: &'static Theme,
    up: Vector,
    /// Solids of the ground and of the bodies; the bodies by their numbers.
    solids: Vec<(Option<usize>, Solid)>,
    coil: Vec<[Corner; 3]>,
    camera: Camera,
    /// The middle of the bodies when the camera was placed, if it follows them.
    followed: Option<Vector>,
    grain: f64,
    level: f64,
    cell: f64,
    reach: f64,
}

/// The layer of hills; those of bodies are below it.
pub(super) const HILLS: u8 = 8;

/// A triangle, the amounts of light that its colour reflects, and the layer of its body.
pub(super) type Facet = ([Corner; 3], [f64; 3], u8);

/// One frame, to be drawn.
pub(super) struct Frame<'f> {
    /// Triangles in the ground's axes with the amounts of light that their colours reflect, and
    /// the layer of their body.
    pub triangles: Vec<Facet>,
    pub camera: Camera,
    pub theme: &'f Theme,
    pub up: Vector,
    pub light: Vector,
    pub ground: Ground,
    /// `true` if the ground is a plane, not hills.
    pub is_flat: bool,
}

/// The ground: a plane with lines in squares around a point.
#[derive(Clone, Copy)]
pub(super) struct Ground {
    pub level: f64,
    pub centre: Vector,
    pub across: Vector,
    pub ahead: Vector,
    pub reach: f64,
    pub cell: f64,
}

/// A box along the level directions and up.
#[derive(Clone, Copy)]
struct Extent {
    low: Vector,
    high: Vector,
}

impl Extent {
    const EMPTY: Extent = Extent { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn include(&mut self, axes: &[Vector; 3], point: Vector) {
        for (k, axis) in axes.iter().enumerate() {
            let value = dot(*axis, point);
            self.low[k] = self.low[k].min(value);
            self.high[k] = self.high[k].max(value);
        }
    }

    fn size(&self) -> f64 {
        length([0, 1, 2].map(|k| (self.high[k] - self.low[k]).max(0.0)))
    }
}

impl<'s> Renderer<'s> {
    /// Makes a scene ready, with the camera as the page has it when it opens.
    pub fn new(scene: &'s Scene, look: PictureLook) -> Renderer<'s> {
        let up = unit(scene.up, [0.0, 0.0, 1.0]);
        let (across, ahead) = level(up);
        let axes = [across, ahead, up];
        let Measures { swept, around, size, grain } = measure(scene, &axes);
        let ground = scene.ground.unwrap_or(swept.low[2] - 0.06 * size);
        let extent = [0, 1, 2].map(|k| swept.high[k] - swept.low[k]);
        let flat = |k: usize| extent[k] < 0.3 * extent[1 - k].max(extent[2]);
        let view = look.view.unwrap_or(match (flat(0), flat(1)) {
            (true, false) => View { turn: std::f64::consts::FRAC_PI_2 - 0.35, rise: 0.22 },
            (_, true) => View { turn: -0.35, rise: 0.22 },
            _ => View::NAMED[3].1,
        });
        let picture = [f64::from(look.width.max(1)), f64::from(look.height.max(1))];
        let mut camera = Camera::new(up, view, picture);
        let travels = swept.size() > 3.5 * size;
        let followed = travels.then(|| middle(scene, 0));
        let (mut low, mut high) = (swept.low, swept.high);
        if let Some(middle) = followed {
            // As large as the mechanism itself, around where it is.
            let at = axes.map(|axis| dot(axis, middle));
            low = add(at, around.low);
            high = add(at, around.high);
        }
        let world = |[a, b, c]: Vector| add(add(scale(across, a), scale(ahead, b)), scale(up, c));
        let seen: Vec<Vector> = corners(low, high).into_iter().map(world).collect();
        camera.fit(&seen, world([0, 1, 2].map(|k| (low[k] + high[k]) / 2.0)));
        let mut solids: Vec<(Option<usize>, Solid)> = Vec::new();
        for shape in &scene.fixed {
            solids.extend(of_shape(shape, Paint::Steel, grain).into_iter().map(|one| (None, one)));
        }
        for (number, body) in scene.bodies.iter().enumerate() {
            let pins = |shape: &&Shape| look.marks || !matches!(shape, Shape::Pin { .. });
            for shape in body.shapes.iter().filter(pins) {
                let all = of_shape(shape, Paint::Body(body.colour), grain);
                solids.extend(all.into_iter().map(|one| (Some(number), one)));
            }
        }
        // Bodies with shapes of their own show where their joints are.
        let shaped = |body: &Option<usize>| {
            let shapes = body.map_or(&scene.fixed, |body| &scene.bodies[body].shapes);
            shapes.iter().any(|shape| matches!(shape, Shape::Triangles { .. }))
        };
        solids.retain(|(body, solid)| !solid.mark || (look.marks && !shaped(body)));
        let springs = (scene.connectors.iter())
            .any(|one| matches!(one.look, ConnectorLook::Spring | ConnectorLook::Strut));
        let coil = if springs { rounded(&coil()) } else { Vec::new() };
        Renderer {
            scene,
            look,
            theme: Theme::of(look.dark),
            up,
            solids,
            coil,
            grain,
            level: ground,
            cell: tick(camera.distance * 0.55 / 6.0),
            reach: (camera.distance * 2.2).max(size),
            camera,
            followed,
        }
    }

    /// The number of frames; a scene at rest has one.
    pub fn frames(&self) -> usize {
        frames(self.scene)
    }

    /// The side of the squares on the ground, in metres.
    pub fn square(&self) -> f64 {
        self.cell
    }

    /// The camera of a frame.
    pub fn camera(&self, frame: usize) -> Camera {
        let mut camera = self.camera.clone();
        if let Some(followed) = self.followed {
            camera.target = add(camera.target, sub(middle(self.scene, frame), followed));
        }
        camera
    }

    /// A frame as pixels.
    pub fn raster(&self, frame: usize) -> Raster {
        raster::draw(&self.frame(frame), self.look.width, self.look.height)
    }

    /// A frame as SVG.
    pub fn svg(&self, frame: usize) -> String {
        svg::draw(&self.frame(frame), self.look.width, self.look.height)
    }

    /// The corners of all triangles of solids with a body: its number, the number of the solid, the
    /// place in the body's frame, and in the ground's as it is drawn.
    #[doc(hidden)]
    pub fn corners(&self, frame: usize) -> Vec<(usize, usize, [f64; 3], [f64; 3])> {
        let mut all = Vec::new();
        for (number, (body, solid)) in self.solids.iter().enumerate() {
            let Some(body) = body.filter(|_| !solid.mark) else { continue };
            let place = pose(self.scene, frame, body);
            for corner in solid.triangles.iter().flatten() {
                all.push((body, number, corner.place, place.point(corner.place)));
            }
        }
        all
    }

    fn frame(&self, number: usize) -> Frame<'_> {
        let camera = self.camera(number);
        let mut triangles = Vec::new();
        for (body, solid) in &self.solids {
            let place = body.map_or(Affine::IDENTITY, |body| pose(self.scene, number, body));
            let layer = match solid.paint {
                Paint::Ground => HILLS,
                _ => body.map_or(0, |body| body % usize::from(HILLS)) as u8,
            };
            self.add(&mut triangles, &solid.triangles, &place, (solid.paint, layer));
        }
        for connector in &self.scene.connectors {
            let end = |end: &LineEnd| match end.body.filter(|at| *at < self.scene.bodies.len()) {
                Some(body) => pose(self.scene, number, body).point(end.point),
                None => end.point,
            };
            let (from, to) = (end(&connector.from), end(&connector.to));
            self.connect(&mut triangles, connector.look, from, to);
        }
        let Camera { across, ahead, target, .. } = camera;
        let drop = dot(target, self.up) - self.level;
        let light = add(scale(self.up, 1.5), add(scale(across, -0.45), scale(ahead, -0.7)));
        Frame {
            triangles,
            theme: self.theme,
            up: self.up,
            light: unit(light, self.up),
            is_flat: !self.has_hills(),
            ground: Ground {
                level: self.level,
                centre: sub(target, scale(self.up, drop)),
                across,
                ahead,
                reach: self.reach,
                cell: self.cell,
            },
            camera,
        }
    }

    fn has_hills(&self) -> bool {
        self.scene.fixed.iter().any(|shape| matches!(shape, Shape::Terrain { .. }))
    }

    /// Adds what is between two points: a spring is a coil, a damper a rod in a tube, a strut both.
    fn connect(&self, out: &mut Vec<Facet>, look: ConnectorLook, from: Vector, to: Vector) {
        let (coil, tube, rod) = match look {
            ConnectorLook::Spring => (true, false, None),
            ConnectorLook::Damper => (false, true, Some((0.45, Paint::Bright))),
            ConnectorLook::Strut => (true, true, Some((0.45, Paint::Bright))),
            ConnectorLook::Rod => (false, false, Some((0.5, Paint::Steel))),
            ConnectorLook::Line => (false, false, Some((0.5, Paint::Line))),
        };
        let at = |share: f64| add(from, scale(sub(to, from), share));
        let mut cylinder = |end: f64, radius: f64, paint: Paint| {
            let mesh = rounded(&bar(from, at(end), radius * self.grain));
            self.add(out, &mesh, &Affine::IDENTITY, (paint, 0));
        };
        if tube {
            cylinder(0.55, 1.05, Paint::Steel);
        }
        if let Some((radius, paint)) = rod {
            cylinder(1.0, radius, paint);
        }
        if coil {
            let place = along(at(0.04), at(0.96), 1.9 * self.grain);
            self.add(out, &self.coil, &place, (Paint::Coil, 0));
        }
    }

    /// Adds triangles in their place.
    fn add(
        &self,
        out: &mut Vec<Facet>,
        triangles: &[[Corner; 3]],
        place: &Affine,
        (paint, layer): (Paint, u8),
    ) {
        let m = &place.matrix;
        let columns = [0, 1, 2].map(|j: usize| [m[0][j], m[1][j], m[2][j]]);
        let squares = columns.map(|column| dot(column, column).max(f64::MIN_POSITIVE));
        let light = light_of(self.theme.colour(paint)).map(|x| x + 0.06 * (1.0 - x));
        for triangle in triangles {
            let placed = triangle.map(|corner| {
                let parts = [0, 1, 2].map(|j| scale(columns[j], corner.normal[j] / squares[j]));
                let normal = add(parts[0], add(parts[1], parts[2]));
                Corner { place: place.point(corner.place), normal: unit(normal, self.up) }
            });
            if placed.iter().all(|corner| finite(corner.place)) {
                out.push((placed, light, layer));
            }
        }
    }
}

impl Frame<'_> {
    /// The colour of a place of a surface: light of the sky and one lamp, as on the page.
    pub fn shade(&self, place: Vector, normal: Vector, base: [f64; 3]) -> [u8; 3] {
        let view = unit(sub(self.camera.eye(), place), self.up);
        let normal = if dot(normal, view) < 0.0 { scale(normal, -1.0) } else { normal };
        let sky = 0.5 + 0.5 * dot(normal, self.up);
        let sun = dot(normal, self.light).max(0.0);
        let front = dot(normal, view).max(0.0);
        let half = unit(add(self.light, view), self.up);
        let gloss = powi(dot(normal, half).max(0.0), 42);
        let lamp = self.theme.lamp * (0.32 + 0.34 * sky + 0.62 * sun + 0.16 * front);
        colour_of(base.map(|x| lamp * x + 0.07 * gloss))
    }

    /// Where the shadow of a point falls on the ground; none from below it.
    pub fn shadow(&self, point: Vector) -> Option<Vector> {
        let above = dot(self.up, point) - self.ground.level;
        (above >= -1e-9).then(|| sub(point, scale(self.light, above / dot(self.up, self.light))))
    }

    /// `true` if the eye is above a plane ground.
    pub fn is_from_above(&self) -> bool {
        self.is_flat && dot(self.camera.eye(), self.up) > self.ground.level
    }
}

/// The number of frames that have poses.
fn frames(scene: &Scene) -> usize {
    let posed = scene.poses.len() / scene.bodies.len().max(1);
    if scene.bodies.is_empty() { 1 } else { posed.max(1) }
}

/// The pose of a body in a frame.
fn pose(scene: &Scene, frame: usize, body: usize) -> Affine {
    let at = frame.min(frames(scene) - 1) * scene.bodies.len() + body;
    let BodyPose { position, quaternion } =
        scene.poses.get(at).copied().unwrap_or(BodyPose::IDENTITY);
    Affine { offset: position, ..Affine::quaternion(quaternion) }
}

/// The middle of all bodies in a frame.
fn middle(scene: &Scene, frame: usize) -> Vector {
    let places = (0..scene.bodies.len()).map(|body| pose(scene, frame, body).offset);
    let places: Vec<Vector> = places.filter(|place| finite(*place)).collect();
    let sum = places.iter().fold([0.0; 3], |sum, place| add(sum, *place));
    scale(sum, 1.0 / places.len().max(1) as f64)
}

/// The size of a scene.
struct Measures {
    /// The box that it sweeps.
    swept: Extent,
    /// The box that it sweeps about the middle of its bodies.
    around: Extent,
    /// Its size at a typical instant.
    size: f64,
    /// The size of marks.
    grain: f64,
}

fn measure(scene: &Scene, axes: &[Vector; 3]) -> Measures {
    let of = |shapes: &[Shape]| shapes.iter().flat_map(outline).collect::<Vec<_>>();
    let mut parts: Vec<(Option<usize>, Vec<Vector>)> = vec![(None, of(&scene.fixed))];
    parts.extend(scene.bodies.iter().enumerate().map(|(at, body)| (Some(at), of(&body.shapes))));
    for connector in &scene.connectors {
        for end in [&connector.from, &connector.to] {
            let body = end.body.filter(|at| *at < scene.bodies.len());
            parts.push((body, vec![end.point]));
        }
    }
    let count = frames(scene);
    let looks = count.min((40_000 / parts.len().max(1)).clamp(12, LOOKS));
    let (mut swept, mut around) = (Extent::EMPTY, Extent::EMPTY);
    let mut sizes: Vec<f64> = Vec::new();
    for look in 0..looks {
        let frame = look * (count - 1) / (looks - 1).max(1);
        let (mut all, mut moving) = (Extent::EMPTY, Extent::EMPTY);
        for (body, points) in &parts {
            let place = body.map_or(Affine::IDENTITY, |body| pose(scene, frame, body));
            for point in points.iter().map(|point| place.point(*point)) {
                if !finite(point) {
                    continue;
                }
                all.include(axes, point);
                if body.is_some() {
                    moving.include(axes, point);
                }
            }
        }
        // A run that went astray does not shrink the rest to a dot.
        let astray = sizes.first().is_some_and(|first| all.size() >= 1e3 * first);
        if astray {
            continue;
        }
        let size = moving.size();
        if size > 0.0 && size.is_finite() {
            sizes.push(size);
        }
        let middle = axes.map(|axis| dot(axis, middle(scene, frame)));
        for (k, middle) in middle.into_iter().enumerate() {
            swept.low[k] = swept.low[k].min(all.low[k]);
            swept.high[k] = swept.high[k].max(all.high[k]);
            around.low[k] = around.low[k].min(moving.low[k] - middle);
            around.high[k] = around.high[k].max(moving.high[k] - middle);
        }
    }
    if !finite(swept.low) || !finite(swept.high) {
        swept = Extent { low: [-1.0; 3], high: [1.0; 3] };
    }
    if !finite(around.low) || !finite(around.high) {
        around = swept;
    }
    sizes.sort_by(f64::total_cmp);
    let swept_size = if swept.size() > 0.0 { swept.size() } else { 1.0 };
    let size = sizes.get(sizes.len() / 2).copied().unwrap_or(swept_size);
    let mut spans: Vec<f64> = Vec::new();
    for body in &scene.bodies {
        let mut extent = Extent::EMPTY;
        of(&body.shapes).iter().for_each(|point| extent.include(axes, *point));
        spans.extend(Some(extent.size()).filter(|span| *span > 0.0 && span.is_finite()));
    }
    spans.sort_by(f64::total_cmp);
    let span = spans.get(spans.len() / 2).copied().unwrap_or(size);
    Measures { swept, around, size, grain: (size / 100.0).min(0.05 * span) }
}

/// One, two or five times a power of ten, near a number.
fn tick(rough: f64) -> f64 {
    let power = powi(10.0, log10(rough.max(1e-300)).floor() as i32);
    let lead = rough / power;
    let step = match lead {
        x if x < 1.5 => 1.0,
        x if x < 3.5 => 2.0,
        x if x < 7.5 => 5.0,
        _ => 10.0,
    };
    step * power
}
