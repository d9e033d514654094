//! Pictures against independent decoders and against the pinhole formula.

use super::deflate::zlib;
use super::*;
use crate::scene::{BodyPose, Connector, ConnectorLook, Figure, LineEnd, Scene, Shape};

/// Numbers between zero and one, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// Bytes that zlib compressed, read back by the tables of RFC 1951.
fn inflate(bytes: &[u8]) -> Vec<u8> {
    let mut at = 16;
    let mut bit = || {
        let bit = bytes[at / 8] >> (at % 8) & 1;
        at += 1;
        u32::from(bit)
    };
    assert_eq!([bit(), bit(), bit()], [1, 1, 0], "one block of fixed codes");
    let mut out: Vec<u8> = Vec::new();
    loop {
        let mut code = 0;
        let mut length = 0;
        let symbol = loop {
            code = code << 1 | bit();
            length += 1;
            match (length, code) {
                (7, 0..=0x17) => break 256 + code,
                (8, 0x30..=0xbf) => break code - 0x30,
                (8, 0xc0..=0xc7) => break 280 + code - 0xc0,
                (9, 0x190..=0x1ff) => break 144 + code - 0x190,
                _ => assert!(length < 9, "no such code"),
            }
        };
        match symbol {
            256 => return out,
            0..256 => out.push(symbol as u8),
            _ => {
                const BASES: [usize; 29] = [
                    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67,
                    83, 99, 115, 131, 163, 195, 227, 258,
                ];
                let row = symbol as usize - 257;
                let extra = if row < 8 || row == 28 { 0 } else { row / 4 - 1 };
                let mut number = |count: usize| (0..count).map(|k| (bit() as usize) << k).sum();
                let more: usize = number(extra);
                let length = BASES[row] + more;
                let row = (0..5).fold(0, |code, _| code << 1 | bit() as usize);
                let extra = if row < 4 { 0 } else { row / 2 - 1 };
                let base = if row < 4 { row + 1 } else { ((2 + row % 2) << extra) + 1 };
                let more: usize = (0..extra).map(|k| (bit() as usize) << k).sum();
                for _ in 0..length {
                    out.push(out[out.len() - base - more]);
                }
            }
        }
    }
}

#[test]
fn compressed_bytes_are_read_back() {
    let mut random = Random(1);
    let noise: Vec<u8> = (0..3000).map(|_| (256.0 * random.next()) as u8).collect();
    let mut mixed: Vec<u8> = noise.iter().map(|byte| byte & 3).collect();
    mixed.extend([7; 70_000]);
    mixed.extend_from_slice(&noise);
    mixed.extend_from_slice(&mixed.clone()[..40_000]);
    for bytes in [&b""[..], b"a", b"ab", b"aaaaaa", b"abcabcabcabc", &noise, &mixed] {
        assert_eq!(inflate(&zlib(bytes)), bytes);
    }
}

/// A scene of specks at random, of which one is a red ball.
fn specks(count: usize, ball: usize) -> Scene {
    let mut random = Random(3);
    let mut scene = Scene { up: [0.0, 0.0, 1.0], times: vec![0.0], ..Scene::default() };
    for number in 0..count {
        let radius = if number == ball { 0.02 } else { 1e-7 };
        let mesh = rotule_mesh::solids::sphere(radius, 16);
        let vertices = mesh.vertices.iter().map(|v| v.map(|x| x as f32)).collect();
        let colour = Some([230, 10, 10]);
        let shapes = vec![Shape::Triangles { vertices, triangles: mesh.triangles, colour }];
        scene.bodies.push(Figure { name: format!("b{number}"), shapes, ..Figure::default() });
        let position = [0, 1, 2].map(|_| random.next());
        let quaternion = [0, 1, 2, 3].map(|_| random.next() + 0.1);
        scene.poses.push(BodyPose { position, quaternion });
    }
    scene
}

#[test]
fn what_is_drawn_is_where_the_pinhole_formula_says() {
    for ball in 0..50 {
        let scene = specks(50, ball);
        let view = Some(View::NAMED[ball % 4].1);
        let look = PictureLook { width: 320, height: 240, view, ..PictureLook::default() };
        let stage = Renderer::new(&scene, look);
        let [x, y, depth] =
            stage.camera(0).project(scene.poses[ball].position).expect("before the eye");
        let (mut sum, mut count) = ([0.0; 2], 0.0);
        for (at, [red, green, blue]) in stage.raster(0).pixels.iter().enumerate() {
            // The direction x is red, too, but has less blue.
            if *red > green.saturating_add(60) && green.abs_diff(*blue) < 25 {
                sum = [sum[0] + (at % 320) as f64 + 0.5, sum[1] + (at / 320) as f64 + 0.5];
                count += 1.0;
            }
        }
        let radius = 0.02 * 120.0 / (stage.camera(0).opening() * depth);
        let area = std::f64::consts::PI * radius * radius;
        assert!(count > 0.6 * area && count < 1.7 * area, "{ball}: {count} for {area}");
        let off = [sum[0] / count - x, sum[1] / count - y];
        assert!(off[0].abs() < 0.6 && off[1].abs() < 0.6, "ball {ball}: {off:?}");
    }
}

#[test]
fn hidden_and_broken_things_are_not_drawn() {
    let triangle = |x: f32| Shape::Triangles {
        vertices: vec![[x, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        triangles: vec![[0, 1, 2]],
        colour: None,
    };
    for (shapes, poses) in [
        (vec![triangle(f32::NAN)], vec![BodyPose::IDENTITY]),
        (vec![triangle(0.0)], vec![BodyPose { position: [f64::NAN; 3], ..BodyPose::IDENTITY }]),
        (vec![triangle(0.0)], vec![BodyPose { quaternion: [0.0; 4], ..BodyPose::IDENTITY }]),
        (vec![triangle(1e30)], vec![BodyPose::IDENTITY]),
        (vec![triangle(0.0)], Vec::new()),
        (Vec::new(), vec![BodyPose::IDENTITY]),
    ] {
        let connector = Connector {
            name: "c".into(),
            look: ConnectorLook::Spring,
            from: LineEnd { body: Some(7), point: [0.0; 3] },
            to: LineEnd { body: Some(0), point: [f64::INFINITY; 3] },
        };
        let bodies = vec![Figure { name: "b".into(), shapes, ..Figure::default() }];
        let scene = Scene { bodies, poses, connectors: vec![connector], ..Scene::default() };
        let look = PictureLook { width: 40, height: 30, ..PictureLook::default() };
        let stage = Renderer::new(&scene, look);
        assert_eq!(stage.raster(0).pixels.len(), 1200);
        assert!(stage.svg(0).ends_with("</svg>\n") && !stage.svg(0).contains("NaN"));
    }
}

/// The frames of a film as indices of colours, by the rules of GIF.
fn frames(file: &[u8]) -> Vec<Vec<u8>> {
    let [width, height] =
        [6, 8].map(|at| usize::from(u16::from_le_bytes([file[at], file[at + 1]])));
    assert_eq!(&file[..6], b"GIF89a");
    let mut at = 13 + 3 * 256;
    let mut canvas = vec![0; width * height];
    let mut all = Vec::new();
    loop {
        match file[at] {
            0x3b => return all,
            0x21 => {
                at += 2;
                while file[at] > 0 {
                    at += usize::from(file[at]) + 1;
                }
                at += 1;
            }
            0x2c => {
                let number = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
                let [left, top, wide, tall] = [1, 3, 5, 7].map(|k| number(at + k));
                assert_eq!(file[at + 9..at + 11], [0, 8]);
                at += 11;
                let mut data = Vec::new();
                while file[at] > 0 {
                    let count = usize::from(file[at]);
                    data.extend_from_slice(&file[at + 1..=at + count]);
                    at += count + 1;
                }
                at += 1;
                let pixels = unpacked(&data);
                assert_eq!(pixels.len(), wide * tall);
                for (k, pixel) in pixels.iter().enumerate() {
                    canvas[(top + k / wide) * width + left + k % wide] = *pixel;
                }
                all.push(canvas.clone());
            }
            other => panic!("an unknown block {other}"),
        }
    }
}

fn unpacked(data: &[u8]) -> Vec<u8> {
    let (mut at, mut width) = (0, 9);
    let fresh = || (0..258).map(|k| vec![k as u8]).collect::<Vec<_>>();
    let (mut table, mut out, mut before) = (fresh(), Vec::new(), None::<usize>);
    loop {
        let code: usize =
            (0..width).map(|k| usize::from(data[(at + k) / 8] >> ((at + k) % 8) & 1) << k).sum();
        at += width;
        match code {
            256 => (table, width, before) = (fresh(), 9, None),
            257 => return out,
            _ => {
                if let Some(before) = before
                    && table.len() < 4096
                {
                    let first = if code < table.len() { table[code][0] } else { table[before][0] };
                    let longer = [table[before].as_slice(), &[first]].concat();
                    table.push(longer);
                }
                out.extend_from_slice(&table[code]);
                before = Some(code);
                if table.len() == 1 << width && width < 12 {
                    width += 1;
                }
            }
        }
    }
}

#[test]
fn films_have_the_colours_of_their_frames() {
    let mut random = Random(5);
    let picture = |shift: u32, random: &mut Random| {
        let pixel = |k: u32| {
            let inside = (k % 90 + shift) % 90 < 20;
            let noise = (8.0 * random.next()) as u8;
            if inside { [200, noise, 30] } else { [noise, 90, 160 + noise] }
        };
        Raster { width: 90, height: 70, pixels: (0..6300).map(pixel).collect() }
    };
    let all: Vec<Raster> = (0..5).map(|k| picture(7 * k, &mut random)).collect();
    let mut file = Vec::new();
    gif(&mut file, &all, all.iter().cloned(), 4).expect("memory");
    let palette = &file[13..13 + 768];
    let found = frames(&file);
    assert_eq!(found.len(), all.len());
    for (indices, picture) in found.iter().zip(&all) {
        for (index, pixel) in indices.iter().zip(&picture.pixels) {
            let colour = &palette[3 * usize::from(*index)..][..3];
            let off = colour.iter().zip(pixel).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(off < Some(10), "{colour:?} for {pixel:?}");
        }
    }
}

/// The elements of a WebM file, those inside of others behind them: what they are, what they have.
fn elements(bytes: &[u8], out: &mut Vec<(u32, Vec<u8>)>) {
    let mut at = 0;
    while at < bytes.len() {
        let wide = bytes[at].leading_zeros() as usize + 1;
        let id = bytes[at..at + wide].iter().fold(0_u32, |id, byte| id << 8 | u32::from(*byte));
        at += wide;
        let wide = bytes[at].leading_zeros() as usize + 1;
        let mut length = u64::from(bytes[at]) & ((1 << (8 - wide)) - 1);
        for byte in &bytes[at + 1..at + wide] {
            length = length << 8 | u64::from(*byte);
        }
        at += wide;
        let inside = &bytes[at..at + length as usize];
        out.push((id, inside.to_vec()));
        let masters = [0x1853_8067, 0x1549_a966, 0x1654_ae6b, 0xae, 0xe0, 0x1f43_b675, 0x1c53_bb6b];
        if masters.contains(&id) || [0xbb, 0xb7].contains(&id) {
            elements(inside, out);
        }
        at += length as usize;
    }
}

#[test]
fn films_for_browsers_have_their_frames_in_time() {
    let picture = |k: usize| Raster {
        width: 33,
        height: 18,
        pixels: (0..33 * 18)
            .map(|at| if at % 33 < k % 33 { [200, 30, 60] } else { [240; 3] })
            .collect(),
    };
    let mut file = Vec::new();
    webm(&mut file, (0..120).map(picture), 40).expect("memory");
    let mut all = Vec::new();
    elements(&file, &mut all);
    let of = |id: u32| all.iter().filter(move |(one, _)| *one == id).map(|(_, inside)| inside);
    assert_eq!(of(0x86).next().map(Vec::as_slice), Some(&b"V_VP8"[..]));
    assert_eq!((of(0xb0).next(), of(0xba).next()), (Some(&vec![33]), Some(&vec![18])));
    assert_eq!(of(0x4489).next(), Some(&4800_f64.to_be_bytes().to_vec()));
    // Every fiftieth frame does without the ones before; the list says where its cluster is.
    let blocks: Vec<&Vec<u8>> = of(0xa3).collect();
    let keys: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at][3] == 0x80).collect();
    assert_eq!((blocks.len(), keys), (120, vec![0, 50, 100]));
    assert!(blocks.iter().all(|block| (block[4] & 1 == 0) == (block[3] == 0x80)));
    let segment = of(0x1853_8067).next().expect("a segment");
    let mut clusters = of(0x1f43_b675);
    for place in of(0xf1) {
        let place = place.iter().fold(0_usize, |at, byte| at << 8 | usize::from(*byte));
        assert_eq!(segment[place..place + 4], [0x1f, 0x43, 0xb6, 0x75]);
        let inside = clusters.next().expect("a cluster for each place");
        assert_eq!(&segment[place + 12..place + 12 + inside.len()], &inside[..]);
    }
    assert_eq!(clusters.count(), 0);
    // Frames of another size are left out, and no frame is a film, too.
    let odd = [picture(1), Raster { width: 2, height: 1, pixels: vec![[0; 3]; 2] }];
    let (mut file, mut all) = (Vec::new(), Vec::new());
    webm(&mut file, odd.into_iter(), 40).expect("memory");
    elements(&file, &mut all);
    assert_eq!(all.iter().filter(|(id, _)| *id == 0xa3).count(), 1);
    webm(&mut Vec::new(), std::iter::empty(), 40).expect("memory");
}

#[test]
fn strips_hold_their_pictures() {
    let one = |value: u8| Raster { width: 3, height: 2, pixels: vec![[value; 3]; 6] };
    let strip = Raster::strip(&[one(1), one(2), one(3), one(4)], 3);
    assert_eq!([strip.width, strip.height], [3 * 3 + 8, 2 * 2 + 4]);
    assert_eq!(strip.pixels[0], [1; 3]);
    assert_eq!(strip.pixels[7], [2; 3]);
    assert_eq!(strip.pixels[6 * 17], [4; 3]);
    assert_eq!(Raster::strip(&[], 3).pixels.len(), 0);
}

/// A slope that rises along x, 40 m wide.
fn slope() -> Shape {
    let corners = [[-20.0, -20.0], [20.0, -20.0], [20.0, 20.0], [-20.0, 20.0]];
    let vertices = corners.map(|[x, y]: [f32; 2]| [x, y, 0.2 * x]).to_vec();
    Shape::Terrain { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

/// A red ball over a slope.
fn ball_over_slope(centre: [f64; 3]) -> Scene {
    let mesh = rotule_mesh::solids::sphere(0.2, 32);
    let vertices = mesh.vertices.iter().map(|v| v.map(|x| x as f32)).collect();
    let ball =
        Shape::Triangles { vertices, triangles: mesh.triangles, colour: Some([230, 10, 10]) };
    // Points are not drawn, but are on the picture.
    let point = |at: [f64; 3]| Shape::Point {
        place: [0, 1, 2].map(|k| at[k] - centre[k]),
        name: "p".into(),
    };
    let shapes = vec![ball, point([-5.0, -3.0, -1.0]), point([5.0, 3.0, 2.0])];
    let figure = Figure { name: "ball".into(), shapes, ..Figure::default() };
    let pose = BodyPose { position: centre, ..BodyPose::IDENTITY };
    Scene {
        up: [0.0, 0.0, 1.0],
        times: vec![0.0],
        fixed: vec![slope()],
        bodies: vec![figure],
        poses: vec![pose],
        ..Scene::default()
    }
}

#[test]
fn hills_have_lines_and_shadows() {
    let view = Some(View { turn: -0.6, rise: 0.9 });
    let look = PictureLook { width: 640, height: 480, view, ..PictureLook::default() };
    for centre in [[0.0, 0.0, 0.5], [3.0, -2.0, 1.1], [-4.0, 1.0, -0.2]] {
        let scene = ball_over_slope(centre);
        let mut bare = scene.clone();
        bare.bodies[0].shapes.remove(0);
        let (stage, bare) = (Renderer::new(&scene, look), Renderer::new(&bare, look));
        assert_eq!(stage.camera(0), bare.camera(0));
        let (shaded, bare) = (stage.raster(0), bare.raster(0));
        // Along the light of the page to the slope: z - s lz = 0.2 (x - s lx).
        let light = [-0.45, -0.7, 1.5];
        let s = (centre[2] - 0.2 * centre[0]) / (light[2] - 0.2 * light[0]);
        let foot = [0, 1, 2].map(|k| centre[k] - s * light[k]);
        let grey = |raster: &Raster, [dx, dy]: [f64; 2]| {
            let point = [foot[0] + dx, foot[1] + dy, foot[2] + 0.2 * dx];
            let [x, y, _] = stage.camera(0).project(point).expect("before the eye");
            raster.pixels[y as usize * 640 + x as usize].map(u32::from).iter().sum::<u32>()
        };
        let [dark, lit] = [&shaded, &bare].map(|raster| grey(raster, [0.0; 2]));
        assert!(4 * dark < 3 * lit, "{centre:?}: {dark} in the shadow, {lit} without");
        for aside in [[0.5, 0.0], [0.0, 0.5]] {
            assert_eq!(grey(&shaded, aside), grey(&bare, aside), "{centre:?}: beside the shadow");
        }
        let lower = &bare.pixels[320 * 640..];
        let colours: std::collections::BTreeSet<_> = lower.iter().collect();
        assert!(colours.len() > 20, "no lines: {} colours", colours.len());
    }
}

#[test]
fn what_travels_fills_the_picture() {
    let size = [4.0, 1.5, 1.0];
    let shapes = vec![Shape::Box { centre: [0.0; 3], size }];
    let body = Figure { name: "car".into(), shapes, ..Figure::default() };
    let count = 50;
    let pose = |k: usize| BodyPose { position: [2.0 * k as f64, 0.0, 0.5], ..BodyPose::IDENTITY };
    let scene = Scene {
        up: [0.0, 0.0, 1.0],
        times: (0..count).map(|k| 0.1 * k as f64).collect(),
        bodies: vec![body],
        poses: (0..count).map(pose).collect(),
        ..Scene::default()
    };
    let stage = Renderer::new(&scene, PictureLook::default());
    for frame in [0, 20, count - 1] {
        let mut most = 0.0_f64;
        for (.., place) in stage.corners(frame) {
            let [x, y, _] = stage.camera(frame).project(place).expect("before the eye");
            let share = ((x - 600.0).abs() / 600.0).max((y - 400.0).abs() / 400.0);
            most = most.max(share);
        }
        assert!((0.8..=1.0).contains(&most), "frame {frame}: {most} of the picture");
    }
}
