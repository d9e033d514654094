//! The page as bytes: a template, its script and style, the texts, and the numbers in base64.
//!
//! Everything is written as it comes; no copy of the data is made. The same page gives the same
//! bytes.

use std::io::{self, Write};

use crate::data::{Curve, Page, Posture, Slider};
use crate::encode::{self, Base64, Storage, html, json, number, prose};
use crate::scene::{ConnectorLook, JointMark, LineEnd, Scene, Shape};
use crate::{number as figures, sha256, thin};

/// The document, with places such as `{{title}}` for what follows.
const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// The script, which `cargo xtask page` bundles from `page/*.ts` beside this folder.
const SCRIPT: &str = include_str!("page/script.js");

/// Points per curve that a screen can show.
const POINTS: usize = 4000;
/// Points of all curves together; a page of more is slow to open.
const ALL_POINTS: usize = 4_000_000;
/// Frames of an animation, and bytes of all its poses.
const FRAMES: usize = 20_000;
const POSE_BYTES: usize = 12_000_000;
/// A pose is seven numbers of four bytes.
const BYTES_PER_POSE: usize = 28;

impl Page {
    /// Writes the page as one HTML file that needs nothing else, neither files nor a network.
    ///
    /// Fails only if writing fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        // What is generated may have names of the model in its comments.
        let own = self.posture.as_ref().map_or("", |posture| &posture.script);
        let own = own.replace("</", "<\\/").replace("<!--", "<\\!--");
        let script = &format!("{own}{SCRIPT}");
        let mut rest = TEMPLATE;
        // The template is walked once: a title that looks like a place is only a title.
        while let Some((before, after)) = rest.split_once("{{") {
            out.write_all(before.as_bytes())?;
            let (place, after) = after.split_once("}}").unwrap_or((after, ""));
            match place {
                "policy" => out.write_all(policy(script).as_bytes())?,
                "title" => out.write_all(html(self.heading()).as_bytes())?,
                "verdict" => out.write_all(self.badge_html().as_bytes())?,
                "about" => out.write_all(self.about_html().as_bytes())?,
                "summary" => out.write_all(self.summary_html().as_bytes())?,
                "marks" => out.write_all(self.marks_html().as_bytes())?,
                "remark" => out.write_all(html(&self.remark()).as_bytes())?,
                "style" => out.write_all(STYLE.as_bytes())?,
                "script" => out.write_all(script.as_bytes())?,
                "data" => self.write_data(out)?,
                _ => {}
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }

    fn heading(&self) -> &str {
        if self.title.trim().is_empty() { "Report" } else { &self.title }
    }

    /// The verdict as a word with a sign, which leads to its section.
    fn badge_html(&self) -> String {
        let Some(badge) = &self.badge else { return String::new() };
        let (class, sign) = match badge.good {
            true => ("verdict", "M2 8.5 6.2 12.5 14 3.5l-1.2-1L6 10.2 3.1 7.4z"),
            false => ("verdict bad", "M8 1 15.5 14.5H.5zM7.2 6v4h1.6V6zm0 5v1.6h1.6V11z"),
        };
        format!(
            "<button type=\"button\" class=\"{class}\" id=\"verdict\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"{sign}\" fill-rule=\"evenodd\"/></svg><span class=\"hidden\">Verdict: </span>{}</button>\n",
            html(&badge.text)
        )
    }

    fn about_html(&self) -> String {
        let paragraphs = self.about.split("\n\n").filter(|text| !text.trim().is_empty());
        let text: String =
            paragraphs.map(|text| format!("<p>{}</p>\n", prose(text.trim()))).collect();
        if text.is_empty() {
            return text;
        }
        card("about", "About the model", "", false, &format!("<div class=\"about\">{text}</div>"))
    }

    fn summary_html(&self) -> String {
        let mut text = String::new();
        for section in self.summary.iter().filter(|section| !section.rows.is_empty()) {
            let row = |(name, value): &(String, String)| {
                let value = unbroken(&prose(value));
                format!("<tr><th scope=\"row\">{}</th><td>{value}</td></tr>\n", prose(name))
            };
            let rows: String = section.rows.iter().map(row).collect();
            // What must not be overlooked stands open.
            let alarming =
                section.title == "Verdict" && self.badge.as_ref().is_some_and(|badge| !badge.good);
            let (name, value) = &section.rows[0];
            let is_title = name.eq_ignore_ascii_case(&section.title);
            let first = if is_title { value.clone() } else { format!("{name} {value}") };
            let table = format!("<table>\n{rows}</table>");
            text += &card(&section.title, &html(&section.title), &html(&first), alarming, &table);
        }
        text
    }

    fn marks_html(&self) -> String {
        // As many decimals for all, so that the points stand below each other.
        let (from, to) = self.span();
        let decimals = (4 - figures::exponent(to - from)).clamp(0, 9) as usize;
        let row = |(index, mark): (usize, &crate::TimeMark)| {
            let time = match mark.time.is_finite() && mark.time.abs() < 1e15 {
                true => format!("{:.decimals$}", mark.time).replace('-', "\u{2212}"),
                false => figures::shown(mark.time, 6),
            };
            format!(
                "<tr><td><button type=\"button\" data-mark=\"{index}\">{}</button></td><td>{}</td></tr>\n",
                html(&format!("{time}\u{a0}s")),
                prose(&mark.text)
            )
        };
        let rows: String = self.marks.iter().enumerate().map(row).collect();
        if rows.is_empty() {
            return rows;
        }
        let table = format!("<table class=\"marks\"><tbody>\n{rows}</tbody></table>");
        card("events", "Events", &figures::count(self.marks.len() as u64), false, &table)
    }

    /// A remark on what the page leaves out.
    fn remark(&self) -> String {
        let limit = self.points_per_curve();
        let samples = self.curves().map(|curve| curve.samples.max(self.points_of(curve))).max();
        let samples = samples.unwrap_or(0);
        let gathered = self.curves().any(|curve| curve.samples > curve.values.len());
        if samples <= limit && !gathered {
            return String::new();
        }
        let shown = figures::count(limit as u64);
        let all = figures::count(samples as u64);
        format!(
            "Of {all} points, each curve shows about {shown}: the lowest and the highest of every short stretch of time."
        )
    }

    fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.plots.iter().flat_map(|plot| &plot.curves)
    }

    fn times_of<'a>(&'a self, curve: &'a Curve) -> &'a [f64] {
        if curve.times.is_empty() { &self.times } else { &curve.times }
    }

    fn points_of(&self, curve: &Curve) -> usize {
        curve.values.len().min(self.times_of(curve).len())
    }

    fn points_per_curve(&self) -> usize {
        (ALL_POINTS / self.curves().count().max(1)).clamp(200, POINTS)
    }

    /// The first and the last instant of anything.
    fn span(&self) -> (f64, f64) {
        let own = self.curves().map(|curve| &curve.times).chain([&self.times]);
        let film = self.scene.iter().map(|scene| &scene.times);
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for &time in own.chain(film).flatten().filter(|time| time.is_finite()) {
            (from, to) = (from.min(time), to.max(time));
        }
        if from <= to { (from, to) } else { (0.0, 0.0) }
    }

    fn write_data(&self, out: &mut impl Write) -> io::Result<()> {
        let (from, to) = self.span();
        let limit = self.points_per_curve();
        let (name, unit) = (json(&self.axis.name), json(&self.axis.unit));
        let time = self.axis.is_time();
        writeln!(out, "{{\"axis\":{{\"name\":{name},\"unit\":{unit},\"time\":{time}}},")?;
        write!(out, "\"span\":[{},{}],\"marks\":[", number(from), number(to))?;
        for (index, mark) in self.marks.iter().enumerate() {
            let comma = comma(index);
            write!(out, "{comma}{{\"time\":{},\"text\":{}}}", number(mark.time), json(&mark.text))?;
        }
        write!(out, "],\n\"times\":")?;
        let shared = if self.times.len() <= limit { self.times.as_slice() } else { &[] };
        bytes(out, shared.iter().map(|time| time.to_le_bytes()))?;
        write!(out, ",\n\"plots\":[")?;
        for (index, plot) in self.plots.iter().enumerate() {
            let (comma, title, unit) = (comma(index), json(&plot.title), json(&plot.unit));
            write!(out, "{comma}{{\"title\":{title},\"unit\":{unit},\"curves\":[")?;
            for (index, curve) in plot.curves.iter().enumerate() {
                writeln!(out, "{}", self::comma(index))?;
                self.write_curve(out, curve, limit, (from, to))?;
            }
            write!(out, "]}}")?;
        }
        write!(out, "],\n\"scene\":")?;
        match &self.scene {
            Some(scene) if !scene.times.is_empty() => write_scene(out, scene)?,
            _ => write!(out, "null")?,
        }
        write!(out, ",\n\"posture\":{}}}", self.posture.as_ref().map_or("null".into(), posture))
    }

    fn write_curve(
        &self,
        out: &mut impl Write,
        curve: &Curve,
        limit: usize,
        (from, to): (f64, f64),
    ) -> io::Result<()> {
        let (times, count) = (self.times_of(curve), self.points_of(curve));
        let values = &curve.values[..count];
        let storage = Storage::of(values.iter().copied());
        let (offset, scale) = (number(storage.offset), number(storage.scale));
        write!(out, "{{\"name\":{},\"offset\":{offset},\"scale\":{scale}", json(&curve.name))?;
        if curve.times.is_empty() && self.times.len() <= limit {
            write!(out, ",\"values\":")?;
            bytes(out, values.iter().map(|value| storage.store(*value).to_le_bytes()))?;
            return write!(out, "}}");
        }
        // Curves with instants of their own have them as fractions of the whole span, in 32 bits.
        let mut kept = thin::indices(values, limit);
        kept.retain(|&index| times[index].is_finite());
        let width = if to > from { to - from } else { 1.0 };
        let fraction = |time: f64| ((time - from) / width * f64::from(u32::MAX)).round() as u32;
        write!(out, ",\"times\":")?;
        bytes(out, kept.iter().map(|&index| fraction(times[index]).to_le_bytes()))?;
        write!(out, ",\"values\":")?;
        bytes(out, kept.iter().map(|&index| storage.store(values[index]).to_le_bytes()))?;
        write!(out, "}}")
    }
}

/// Sliders and the coordinates that they move.
fn posture(posture: &Posture) -> String {
    let slider = |one: &Slider| {
        let (name, unit, at, speed) = (json(&one.name), json(&one.unit), one.at, one.speed);
        let (from, to) = (number(one.from), number(one.to));
        format!(
            "{{\"name\":{name},\"unit\":{unit},\"at\":{at},\"speed\":{speed},\"from\":{from},\"to\":{to}}}"
        )
    };
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let plain = |numbers: &[usize]| list(numbers.iter().map(usize::to_string).collect());
    let limits = |one: &Option<[f64; 2]>| match one {
        Some([from, to]) => format!("[{},{}]", number(*from), number(*to)),
        None => "null".to_owned(),
    };
    format!(
        "{{\"q\":{},\"names\":{},\"sliders\":{},\"dependent\":{},\"rows\":{},\"limits\":{}}}",
        list(posture.coordinates.iter().map(|value| number(*value)).collect()),
        list(posture.names.iter().map(|name| json(name)).collect()),
        list(posture.sliders.iter().map(slider).collect()),
        plain(&posture.dependent),
        plain(&posture.rows),
        list(posture.limits.iter().map(limits).collect())
    )
}

/// A table that is folded below the plots: the word that leads to it, its heading and the first
/// thing that it says.
fn card(word: &str, title: &str, first: &str, open: bool, inside: &str) -> String {
    let word: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    let (word, open) = (word.to_lowercase(), if open { " open" } else { "" });
    let first = if first.is_empty() { String::new() } else { format!("<small>{first}</small>") };
    format!(
        "<details class=\"card\" id=\"section-{word}\"{open}><summary><h2>{title}</h2>{first}</summary><div class=\"inside\">{inside}</div></details>\n"
    )
}

/// Only the page's own script and style may act, and nothing may be fetched.
fn policy(script: &str) -> String {
    let digest = |text: &str| {
        let base64 = encode::groups(&sha256::digest(text.as_bytes()));
        format!("'sha256-{}'", String::from_utf8_lossy(&base64))
    };
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        digest(script),
        digest(STYLE)
    )
}

fn write_scene(out: &mut impl Write, scene: &Scene) -> io::Result<()> {
    let ground = scene.ground.map_or("null".to_string(), number);
    write!(out, "{{\"up\":{},\"ground\":{ground},\n\"fixed\":", triple(scene.up))?;
    write_shapes(out, &scene.fixed)?;
    write!(out, ",\n\"bodies\":[")?;
    for (index, body) in scene.bodies.iter().enumerate() {
        let (comma, name) = (comma(index), json(&body.name));
        let (colour, ghost) = (body.colour, body.ghost);
        write!(
            out,
            "{comma}\n{{\"name\":{name},\"colour\":{colour},\"ghost\":{ghost},\"shapes\":"
        )?;
        write_shapes(out, &body.shapes)?;
        write!(out, "}}")?;
    }
    write!(out, "],\n\"connectors\":[")?;
    for (index, connector) in scene.connectors.iter().enumerate() {
        let look = match connector.look {
            ConnectorLook::Rod => "rod",
            ConnectorLook::Spring => "spring",
            ConnectorLook::Damper => "damper",
            ConnectorLook::Strut => "strut",
            ConnectorLook::Line => "line",
        };
        let is_ghost = |end: &LineEnd| {
            end.body.and_then(|body| scene.bodies.get(body)).is_some_and(|body| body.ghost)
        };
        let ghost = is_ghost(&connector.from) || is_ghost(&connector.to);
        let (comma, name) = (comma(index), json(&connector.name));
        let (from, to) = (end(&connector.from, scene), end(&connector.to, scene));
        write!(
            out,
            "{comma}\n{{\"name\":{name},\"look\":\"{look}\",\"ghost\":{ghost},\"from\":{from},\"to\":{to}}}"
        )?;
    }
    write!(out, "],\n\"arrows\":[")?;
    for (index, arrow) in scene.arrows.iter().enumerate() {
        let kind = if arrow.reaction { "reaction" } else { "force" };
        let known = arrow.connector.filter(|connector| *connector < scene.connectors.len());
        let connector = known.map_or(-1, |connector| connector as i64);
        let body = arrow.at.body.filter(|body| *body < scene.bodies.len());
        let body = body.map_or(-1, |body| body as i64);
        let curves: Vec<String> = arrow.curves.iter().map(|name| json(name)).collect();
        let (comma, name, point) = (comma(index), json(&arrow.name), triple(arrow.at.point));
        write!(
            out,
            "{comma}\n{{\"name\":{name},\"kind\":\"{kind}\",\"connector\":{connector},\"body\":{body},\"point\":{point},\"curves\":[{}]}}",
            curves.join(",")
        )?;
    }

    // Frames are left out evenly when there are too many; the last stays.
    let bodies = scene.bodies.len();
    let frames = match bodies {
        0 => scene.times.len(),
        _ => scene.times.len().min(scene.poses.len() / bodies),
    };
    let room = (POSE_BYTES / (BYTES_PER_POSE * bodies.max(1))).clamp(2, FRAMES);
    let stride = frames.div_ceil(room).max(1);
    let last = frames.checked_sub(1).filter(|last| last % stride != 0);
    let kept = (0..frames).step_by(stride).chain(last);
    write!(out, "],\n\"times\":")?;
    bytes(out, kept.clone().map(|frame| scene.times[frame].to_le_bytes()))?;
    write!(out, ",\n\"poses\":")?;
    let poses = kept.flat_map(|frame| &scene.poses[frame * bodies..(frame + 1) * bodies]);
    let numbers = poses.flat_map(|pose| pose.position.into_iter().chain(pose.quaternion));
    bytes(out, numbers.map(|number| (number as f32).to_le_bytes()))?;
    write!(out, "}}")
}

/// A list of lists: the kind first, then the numbers.
fn write_shapes(out: &mut impl Write, shapes: &[Shape]) -> io::Result<()> {
    write!(out, "[")?;
    for (index, shape) in shapes.iter().enumerate() {
        write!(out, "{}", comma(index))?;
        match shape {
            Shape::Bar { from, to, radius } => {
                write!(out, "[\"bar\",{},{},{}]", triple(*from), triple(*to), number(*radius))
            }
            Shape::Ball { centre, radius } => {
                write!(out, "[\"ball\",{},{}]", triple(*centre), number(*radius))
            }
            Shape::Box { centre, size } => {
                write!(out, "[\"box\",{},{}]", triple(*centre), triple(*size))
            }
            Shape::Triangles { vertices, triangles, colour } => {
                write_triangles(out, "mesh", vertices, triangles, *colour)
            }
            Shape::Terrain { vertices, triangles } => {
                write_triangles(out, "terrain", vertices, triangles, None)
            }
            Shape::Disc { centre, axis, radius, width } => {
                let (centre, axis) = (triple(*centre), triple(*axis));
                write!(out, "[\"disc\",{centre},{axis},{},{}]", number(*radius), number(*width))
            }
            Shape::Joint { kind, centre, axis } => {
                let kind = match kind {
                    JointMark::Revolute => "revolute",
                    JointMark::Prismatic => "prismatic",
                    JointMark::Ball => "spherical",
                };
                write!(out, "[\"{kind}\",{},{}]", triple(*centre), triple(*axis))
            }
            Shape::Pin { centre, axis, reach } => {
                let (centre, axis) = (triple(*centre), triple(*axis));
                write!(out, "[\"pin\",{centre},{axis},{}]", number(*reach))
            }
            Shape::Mass { centre } => write!(out, "[\"mass\",{}]", triple(*centre)),
            Shape::Point { name, place } => {
                write!(out, "[\"point\",{},{}]", triple(*place), json(name))
            }
            Shape::Axes => write!(out, "[\"axes\"]"),
        }?;
    }
    write!(out, "]")
}

/// Triangles with their bounds, and the colour, empty if there is none.
fn write_triangles(
    out: &mut impl Write,
    kind: &str,
    vertices: &[[f32; 3]],
    triangles: &[[u32; 3]],
    colour: Option<[u8; 3]>,
) -> io::Result<()> {
    let bound =
        |start: f32, pick: fn(f32, f32) -> f32| {
            triple([0, 1, 2].map(|i: usize| {
                f64::from(vertices.iter().map(|vertex| vertex[i]).fold(start, pick))
            }))
        };
    let (low, high) = (bound(f32::INFINITY, f32::min), bound(f32::NEG_INFINITY, f32::max));
    write!(out, "[\"{kind}\",{low},{high},")?;
    bytes(out, vertices.iter().flatten().map(|number| number.to_le_bytes()))?;
    write!(out, ",")?;
    bytes(out, triangles.iter().flatten().map(|index| index.to_le_bytes()))?;
    let colour = colour.map_or("[]".to_owned(), |[r, g, b]| format!("[{r},{g},{b}]"));
    write!(out, ",{colour}]")
}

/// An end of a connector; a body that is not there counts as the ground.
fn end(end: &LineEnd, scene: &Scene) -> String {
    let body = end.body.filter(|body| *body < scene.bodies.len());
    let body = body.map_or("-1".to_string(), |body| body.to_string());
    format!("[{body},{}]", triple(end.point))
}

/// Three numbers; the viewer leaves out what is not finite.
fn triple([x, y, z]: [f64; 3]) -> String {
    format!("[{},{},{}]", number(x), number(y), number(z))
}

/// A quoted base64 string.
fn bytes<const N: usize>(
    out: &mut impl Write,
    items: impl Iterator<Item = [u8; N]>,
) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut stream = Base64::new(out);
    for item in items {
        stream.push(&item)?;
    }
    stream.finish()?;
    out.write_all(b"\"")
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

/// A text whose numbers such as 1e-10 stay in one line: browsers break lines behind hyphens.
fn unbroken(set: &str) -> String {
    let is_split = |word: &str| {
        word.split_once("e-").is_some_and(|(digits, power)| {
            digits.ends_with(|c: char| c.is_ascii_digit())
                && power.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let word = |word: &str| match is_split(word) && !word.contains('<') {
        true => format!("<span class=\"number\">{word}</span>"),
        false => word.to_owned(),
    };
    set.split(' ').map(word).collect::<Vec<String>>().join(" ")
}

#[test]
fn numbers_stay_in_one_line() {
    let check = |text: &str, expected: &str| assert_eq!(unbroken(text), expected);
    check("at 1e-8 and x", "at <span class=\"number\">1e-8</span> and x");
    check("rate-1, <code>1e-8</code>", "rate-1, <code>1e-8</code>");
}
