//! The page as text: what needs no browser.

use rotule_report::{Curve, Page, Plot, Scene};
use rotule_testing::demos;

fn written(page: &Page) -> String {
    let mut bytes = Vec::new();
    page.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn plot(curves: Vec<Curve>) -> Page {
    let times = (0..curves[0].values.len()).map(|k| k as f64).collect();
    Page { times, plots: vec![Plot { curves, ..Plot::default() }], ..Page::default() }
}

#[test]
fn the_same_page_gives_the_same_bytes() {
    for (name, page) in demos::all() {
        assert_eq!(written(&page), written(&page), "{name}");
    }
}

#[test]
fn nothing_refers_to_another_place() {
    for (name, page) in demos::all() {
        let text = written(&page);
        // Names of vocabularies are no addresses, nor are places in a drawing.
        let text = text.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
        for word in ["http:", "https:", "//cdn", "@import", "url("] {
            assert!(!text.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn no_text_opens_or_closes_an_element() {
    let all = demos::all();
    let (_, hostile) = all.iter().find(|(name, _)| *name == "hostile").expect("it is in the list");
    let text = written(hostile);
    // The data and the script, and nothing of the model.
    assert_eq!(text.matches("</script").count(), 2);
    assert_eq!(text.matches("<script").count(), 2);
    assert_eq!(text.matches("<img").count(), 0);
    assert_eq!(text.matches("<!--").count(), 0);
    // A place in a title is not filled in.
    assert!(text.contains("{{data}}"));
}

#[test]
fn long_curves_are_thinned_and_the_page_says_so() {
    let short = plot(vec![Curve::new("x", vec![1.0; 4000])]);
    assert!(!written(&short).contains("Of 4"));
    let long = plot(vec![Curve::new("x", (0..200_000).map(f64::from).collect())]);
    let text = written(&long);
    assert!(text.contains("Of 200\u{202f}000 points, each curve shows about 4000"), "no remark");
    // Four bytes of time and four of value, in base64.
    assert!(
        text.len() < written(&Page::default()).len() + 4100 * 8 * 4 / 3 + 500,
        "{}",
        text.len()
    );
}

#[test]
fn many_curves_share_the_room() {
    let curves = (0..4000).map(|k| Curve::new(format!("x{k}"), vec![0.5; 3000])).collect();
    let text = written(&plot(curves));
    // A thousand points each instead of three thousand.
    assert!(text.len() < 4000 * 1100 * 8 * 4 / 3, "{}", text.len());
}

#[test]
fn films_beyond_the_room_lose_frames_but_not_the_last() {
    let all = demos::all();
    let (_, rover) = all.into_iter().find(|(name, _)| *name == "rover").expect("it is in the list");
    let scene = rover.scene.expect("it has one");
    let frames = 100_000;
    let bodies = scene.bodies.len();
    let poses = scene.poses.iter().copied().cycle().take(frames * bodies).collect();
    let times = (0..frames).map(|k| k as f64).collect();
    let page = Page { scene: Some(Scene { times, poses, ..scene }), ..Page::default() };
    let text = written(&page);
    assert!(text.len() < 17_000_000, "{}", text.len());
    let times = decoded(&text, "\"times\":\"", 2);
    let (eights, rest) = times.as_chunks::<8>();
    assert!(rest.is_empty() && (10_000..=20_001).contains(&eights.len()), "{}", eights.len());
    assert_eq!(f64::from_le_bytes(eights[1]), 5.0);
    assert_eq!(f64::from_le_bytes(eights[eights.len() - 1]), 99_999.0);
}

/// The bytes of the base64 string that follows the `nth` appearance of a key.
fn decoded(text: &str, key: &str, nth: usize) -> Vec<u8> {
    let string =
        text.split(key).nth(nth).and_then(|rest| rest.split('"').next()).expect("the key is there");
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let sextet = |c: u8| alphabet.iter().position(|known| *known == c).unwrap_or(0) as u32;
    let group = |four: &[u8]| {
        let bits = four.iter().fold(0, |bits, c| bits << 6 | sextet(*c));
        let padding = four.iter().filter(|c| **c == b'=').count();
        bits.to_be_bytes()[1..4 - padding].to_vec()
    };
    string.as_bytes().chunks(4).flat_map(group).collect()
}

#[test]
fn writing_stops_where_the_disk_is_full() {
    let (_, page) = demos::all().swap_remove(0);
    let mut small = [0_u8; 5000];
    let error = page.write(&mut small.as_mut_slice()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WriteZero);
}
