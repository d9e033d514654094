//! SHA-256, for the page's Content-Security-Policy: only scripts and styles with the stated digests
//! may act, so that no text of a model ever can. FIPS 180-4; a crate would be larger than the need.

/// The digest.
pub fn digest(message: &[u8]) -> [u8; 32] {
    let constants = roots(64, 3);
    let mut state: Vec<u32> = roots(8, 2);
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut bytes = [0; 32];
    for (slot, byte) in bytes.iter_mut().zip(state.iter().flat_map(|word| word.to_be_bytes())) {
        *slot = byte;
    }
    bytes
}

fn compress(state: &mut [u32], block: &[u8], constants: &[u32]) {
    let mut w = [0_u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for t in 16..64 {
        let (a, b) = (w[t - 15], w[t - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let mut v: [u32; 8] = std::array::from_fn(|k| state[k]);
    for t in 0..64 {
        let [a, b, c, d, e, f, g, h] = v;
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let first =
            h.wrapping_add(s1).wrapping_add(choice).wrapping_add(constants[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = a & b ^ a & c ^ b & c;
        v = [
            first.wrapping_add(s0).wrapping_add(majority),
            a,
            b,
            c,
            d.wrapping_add(first),
            e,
            f,
            g,
        ];
    }
    for (slot, value) in state.iter_mut().zip(v) {
        *slot = slot.wrapping_add(value);
    }
}

/// The first 32 bits of the fractional parts of the roots of the first primes.
fn roots(count: usize, degree: u32) -> Vec<u32> {
    let prime = |n: &u32| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (2..).filter(prime).take(count).map(|prime| root(prime, degree) as u32).collect()
}

/// The root of a number below 512 in units of 2^-32, rounded down, bit by bit.
fn root(number: u32, degree: u32) -> u64 {
    let power = u128::from(number) << (32 * degree);
    (0..38).rev().fold(0_u64, |root, bit| {
        let trial = root | 1 << bit;
        if u128::from(trial).pow(degree) <= power { trial } else { root }
    })
}

#[cfg(test)]
mod tests {
    use super::digest;
    use std::fs;
    use std::path::Path;

    #[test]
    fn digests_are_those_of_the_standard() {
        for (message, expected) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(hex(message), expected);
        }
    }

    fn hex(message: &str) -> String {
        digest(message.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The bundled script is part of the repository: whoever changes its sources, or the script by
    /// hand, and forgets `cargo xtask page`, fails here, without Node.js.
    #[test]
    fn the_script_was_bundled_from_the_sources_that_are_here() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut names: Vec<String> = fs::read_dir(&folder)
            .expect("the sources are beside the crate")
            .map(|entry| entry.expect("the folder is readable").file_name())
            .filter_map(|name| name.into_string().ok())
            .filter(|name| [".ts", ".mjs", ".json"].iter().any(|ending| name.ends_with(ending)))
            .collect();
        names.sort();
        let text = |path: &Path| fs::read_to_string(path).expect("the file is readable");
        let sources: String =
            names.iter().map(|name| format!("{name}\n{}", text(&folder.join(name)))).collect();
        let script = include_str!("page/script.js");
        let both = format!("{} sources\n{} script.js\n", hex(&sources), hex(script));
        assert_eq!(include_str!("page/script.sha256"), both, "run `cargo xtask page`");
    }
}
