//! Pictures of a mechanism without a browser: at a state, snapshots of a run, a film.

use crate::error::Error;
use crate::files::write_file;
use crate::model::Model;
use crate::run::Run;
use crate::simulate::{poses, scene, scene_of, terrain};
use crate::state::State;
use rotule_formalism::Problem;
use rotule_model::mechanism::{BodyId, Mechanism};
use rotule_report::Scene;
use rotule_report::picture::{MAX_PIXELS, PictureLook, Raster, Renderer, View, gif, webm};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Frames of a film in a second, and the most of a film; longer motions run faster.
const RATE: f64 = 25.0;
const MOST_FRAMES: usize = 250;
/// Snapshots of a strip in a row.
const COLUMNS: usize = 3;

/// A picture of a mechanism, or of its motion.
///
/// Camera, light and colours are those with which the page of a report opens. The ending of a file
/// tells the format: `.png`, `.svg`, and `.webm` and `.gif` for films.
///
/// ```
/// use rotule::Model;
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let picture = model.picture(&model.state()).look("front,dark,320x240")?;
/// assert!(picture.png().starts_with(b"\x89PNG"));
/// let run = model.simulate().to(1.0).run()?;
/// let motion = run.picture().look("160x120")?;
/// assert!(motion.at(0.5).svg().starts_with("<svg"));
/// # let folder = std::env::temp_dir().join(format!("rotule-picture-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # std::env::set_current_dir(&folder)?;
/// motion.write_strip("strip.png", 6)?;
/// motion.write("film.webm")?;
/// # std::env::set_current_dir(std::env::temp_dir())?;
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Picture {
    scene: Scene,
    look: PictureLook,
    frame: usize,
}

impl Model {
    /// A picture of the mechanism at a state. Loops are drawn as the state has them:
    /// [`Model::assemble`] closes them.
    pub fn picture(&self, state: &State) -> Picture {
        self.placed(state, scene)
    }

    /// The picture with all triangles of all meshes, for comparisons of their places.
    #[doc(hidden)]
    pub fn picture_in_full(&self, state: &State) -> Picture {
        self.placed(state, |mechanism| scene_of(mechanism, usize::MAX))
    }

    fn placed(&self, state: &State, scene: impl Fn(&Mechanism) -> (Scene, Vec<BodyId>)) -> Picture {
        let tree = self.tree_at(state);
        let (mut scene, drawn) = scene(&tree.mechanism);
        scene.poses = poses(&tree.mechanism, &drawn, &state.q);
        scene.fixed.extend(terrain(&tree.mechanism, &drawn, &scene.poses));
        scene.times = vec![state.t];
        Picture::of(scene)
    }
}

impl Run {
    /// Pictures of the motion; at first of its beginning.
    pub fn picture(&self) -> Picture {
        Picture::of(self.page().scene.unwrap_or_default())
    }
}

impl Picture {
    /// Pictures of a scene.
    #[doc(hidden)]
    pub fn of(scene: Scene) -> Picture {
        Picture { scene, look: PictureLook::default(), frame: 0 }
    }

    /// Changes the look by words: a direction (`front`, `side`, `top`, `corner`, or two angles in
    /// degrees, about the upward axis and above the horizon, such as `-30/20`), `light` or `dark`,
    /// `plain` for solids without joints, a size such as `800x600`.
    pub fn look(mut self, words: &str) -> Result<Picture, Error> {
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let pair = |separator: char| {
                let (a, b) = word.split_once(separator)?;
                Some((a.trim().parse::<f64>().ok()?, b.trim().parse::<f64>().ok()?))
            };
            let named = View::NAMED.iter().find(|(name, _)| *name == word);
            match (word, named, pair('/'), pair('x')) {
                ("light" | "dark", ..) => self.look.dark = word == "dark",
                ("plain", ..) => self.look.marks = false,
                (_, Some((_, view)), ..) => self.look.view = Some(*view),
                (_, _, Some((turn, rise)), _) if turn.abs() <= 360.0 && rise.abs() <= 90.0 => {
                    let rise = rise.to_radians().clamp(-1.55, 1.55);
                    self.look.view = Some(View { turn: turn.to_radians(), rise });
                }
                (_, _, _, Some((width, height))) => self.resize(width, height)?,
                _ => {
                    let message = format!("`{word}` is no look of a picture");
                    let help = "expected front, side, top, corner, degrees such as -30/20, light, \
                                dark, plain, or a size such as 800x600";
                    return Err(Problem::new(message, help).into());
                }
            }
        }
        Ok(self)
    }

    fn resize(&mut self, width: f64, height: f64) -> Result<(), Error> {
        let whole = |x: f64| x >= 1.0 && x.fract() == 0.0 && x <= 65_535.0;
        if !whole(width) || !whole(height) || width * height > MAX_PIXELS as f64 {
            let message = format!("a picture of {width} x {height} pixels cannot be drawn");
            let help =
                format!("width and height are whole numbers from 1, {MAX_PIXELS} pixels at most");
            return Err(Problem::new(message, help).into());
        }
        (self.look.width, self.look.height) = (width as u32, height as u32);
        Ok(())
    }

    /// The instants of the motion that can be drawn.
    pub fn times(&self) -> &[f64] {
        &self.scene.times
    }

    /// The picture at the instant nearest to a time.
    #[must_use]
    pub fn at(&self, t: f64) -> Picture {
        Picture { frame: self.nearest(t), ..self.clone() }
    }

    fn nearest(&self, t: f64) -> usize {
        let off = |at: &usize| (self.scene.times[*at] - t).abs();
        let all = 0..self.scene.times.len();
        all.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0)
    }

    /// The camera, for whoever draws something over the picture:
    /// [`project`](rotule_report::picture::Camera::project) gives the pixel of a point.
    pub fn camera(&self) -> rotule_report::picture::Camera {
        Renderer::new(&self.scene, self.look).camera(self.frame)
    }

    /// The corners of all triangles as they are drawn: the body, the number of the solid, the place
    /// in the body's frame, the pixel.
    #[doc(hidden)]
    pub fn corners(&self) -> Vec<(&str, usize, [f64; 3], [f64; 3])> {
        let stage = Renderer::new(&self.scene, self.look);
        let camera = stage.camera(self.frame);
        let corners = stage.corners(self.frame).into_iter();
        let seen = corners.filter_map(|(body, solid, inside, place)| {
            Some((self.scene.bodies[body].name.as_str(), solid, inside, camera.project(place)?))
        });
        seen.collect()
    }

    /// The side of the squares on the ground, in metres.
    pub fn square(&self) -> f64 {
        Renderer::new(&self.scene, self.look).square()
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        Renderer::new(&self.scene, self.look).raster(self.frame).png()
    }

    /// The picture as SVG: triangles, sorted by their distance. Solids that cross each other may be
    /// drawn in the wrong order.
    pub fn svg(&self) -> String {
        Renderer::new(&self.scene, self.look).svg(self.frame)
    }

    /// Frames at even distances of time, the first and the last among them.
    fn spread(&self, count: usize) -> Vec<usize> {
        let times = &self.scene.times;
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return vec![0] };
        let share = |k: usize| k as f64 / (count.max(2) - 1) as f64;
        (0..count.max(1)).map(|k| self.nearest(first + share(k) * (last - first))).collect()
    }

    /// Writes the picture; as `.webm` or `.gif`, the film of the whole motion: 25 frames a second,
    /// faster where 250 frames do not suffice.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let bytes = match ending(path)? {
            Ending::Png => self.png(),
            Ending::Svg => self.svg().into_bytes(),
            Ending::Gif | Ending::Webm => self.film(path, &mut |_, _| true)?,
        };
        write_file(path, |out| out.write_all(&bytes))
    }

    /// Writes the frames of the film as pictures: `a.png` as `a-001.png`, `a-002.png` and so on.
    pub fn write_frames(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let mut outcome = Ok(());
        self.frames(path.as_ref(), &mut |name, bytes, _| {
            outcome = write_file(name, |out| out.write_all(bytes));
            outcome.is_ok()
        })?;
        outcome
    }

    /// The name of a frame of the film: `a-001.png` for the first of `a.png`.
    #[doc(hidden)]
    pub fn frame_name(path: &Path, number: usize) -> PathBuf {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{stem}-{number:03}.{ending}"))
    }

    /// Hands over the frames of the film: the name, the bytes of the file, and the share that is
    /// done; `false` ends them.
    #[doc(hidden)]
    pub fn frames(
        &self,
        path: &Path,
        take: &mut dyn FnMut(&Path, &[u8], f64) -> bool,
    ) -> Result<(), Error> {
        let ending = ending(path)?;
        let stage = Renderer::new(&self.scene, self.look);
        let instants = self.instants();
        for (at, &instant) in instants.iter().enumerate() {
            let bytes = match ending {
                Ending::Png => stage.raster(instant).png(),
                Ending::Svg => stage.svg(instant).into_bytes(),
                Ending::Gif | Ending::Webm => {
                    let problem = Problem::new("a frame is no film", "name it `.png` or `.svg`");
                    return Err(problem.into());
                }
            };
            if !take(
                &Picture::frame_name(path, at + 1),
                &bytes,
                (at + 1) as f64 / instants.len() as f64,
            ) {
                break;
            }
        }
        Ok(())
    }

    /// Writes snapshots of the motion, evenly spread, three in a row.
    pub fn write_strip(&self, path: impl AsRef<Path>, count: usize) -> Result<(), Error> {
        let path = path.as_ref();
        let bytes = self.strip(path, count)?;
        write_file(path, |out| out.write_all(&bytes))
    }

    /// Snapshots as the bytes of a file of this name.
    #[doc(hidden)]
    pub fn strip(&self, path: &Path, count: usize) -> Result<Vec<u8>, Error> {
        let count = count.clamp(1, 1000);
        let all = self.look.width as u64 * self.look.height as u64 * count as u64;
        if all > MAX_PIXELS {
            let message = format!("a strip of {count} pictures has more than {MAX_PIXELS} pixels");
            return Err(Problem::new(message, "make the pictures smaller, or fewer").into());
        }
        let frames = self.spread(count);
        let stage = Renderer::new(&self.scene, self.look);
        match ending(path)? {
            Ending::Png => {
                let ink = if self.look.dark { [0xa5, 0xad, 0xb5] } else { [0x56, 0x60, 0x6a] };
                let picture = |at: &usize| {
                    let mut picture = stage.raster(*at);
                    picture.label(&self.time(*at), ink);
                    picture
                };
                let pictures: Vec<Raster> = frames.iter().map(picture).collect();
                Ok(Raster::strip(&pictures, COLUMNS).png())
            }
            Ending::Svg => Ok(self.strip_svg(&stage, &frames).into_bytes()),
            Ending::Gif | Ending::Webm => {
                let problem = Problem::new("a strip is no film", "name it `.png` or `.svg`");
                Err(problem.into())
            }
        }
    }

    /// The time of a frame as it is written on a snapshot.
    fn time(&self, frame: usize) -> String {
        let time = self.scene.times.get(frame).copied().unwrap_or_default();
        format!("{} s", rotule_symbolic::figures::shown(time, 4))
    }

    fn strip_svg(&self, stage: &Renderer<'_>, frames: &[usize]) -> String {
        let PictureLook { width, height, .. } = self.look;
        let columns = COLUMNS.min(frames.len()) as u32;
        let rows = (frames.len() as u32).div_ceil(columns);
        let (wide, tall) = (width + 4, height + 4);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n",
            columns * wide - 4,
            rows * tall - 4
        );
        for (at, &frame) in (0_u32..).zip(frames) {
            let (x, y) = (at % columns * wide, at / columns * tall);
            let own = format!("sky{at}");
            let inner = stage.svg(frame).replacen("\"sky\"", &format!("\"{own}\""), 1);
            let inner = inner.replacen("#sky", &format!("#{own}"), 1);
            out += &inner.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
            let time = self.time(frame);
            let ink = if self.look.dark { "#a5adb5" } else { "#56606a" };
            let (x, y) = (x + 12, y + 24);
            out += &format!(
                "<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\" font-family=\"sans-serif\" \
                 font-size=\"15\">{time}</text>\n"
            );
        }
        out + "</svg>\n"
    }

    /// The frames of the film, by their numbers among the instants of the motion.
    fn instants(&self) -> Vec<usize> {
        let span = match (self.scene.times.first(), self.scene.times.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        };
        let count = ((span * RATE).ceil() as usize + 1).clamp(2, MOST_FRAMES);
        self.spread(count)
    }

    /// The film as the bytes of a file of this name; `go_on` hears how many of how many frames are
    /// done.
    #[doc(hidden)]
    pub fn film(
        &self,
        path: &Path,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> io::Result<Vec<u8>> {
        let frames = self.instants();
        let stage = Renderer::new(&self.scene, self.look);
        let mut out = Vec::new();
        let drawn = frames.iter().enumerate();
        let drawn =
            drawn.map_while(|(at, frame)| go_on(at, frames.len()).then(|| stage.raster(*frame)));
        if let Ok(Ending::Webm) = ending(path) {
            webm(&mut out, drawn, (1000.0 / RATE) as u32)?;
            return Ok(out);
        }
        let last = frames.len() - 1;
        let samples: Vec<Raster> =
            [0, last / 2, last].iter().map(|at| stage.raster(frames[*at])).collect();
        gif(&mut out, &samples, drawn, (100.0 / RATE) as u16)?;
        Ok(out)
    }
}

/// A format of pictures.
enum Ending {
    Png,
    Svg,
    Gif,
    Webm,
}

fn ending(path: &Path) -> Result<Ending, Error> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "png" => Ok(Ending::Png),
        "svg" => Ok(Ending::Svg),
        "gif" => Ok(Ending::Gif),
        "webm" => Ok(Ending::Webm),
        _ => Err(Error::unknown(
            "format of pictures with the ending of",
            &path.display().to_string(),
            [".png", ".svg", ".webm", ".gif"],
        )),
    }
}
