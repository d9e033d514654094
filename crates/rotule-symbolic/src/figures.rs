//! Numbers as people read them: few significant digits, units, long counts in groups of three.

/// A number with at most `digits` significant digits, without needless zeros, in ASCII: `0.0123`,
/// `1.5e-9`.
pub fn plain(value: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if !value.is_finite() {
        return if value.is_nan() {
            "nan"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    // The exponent after rounding: 9.9996 with four digits is 10.
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits as i32 + 1).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return without_zeros(&format!("{value:.decimals$}")).to_string();
    }
    format!("{}e{exponent}", without_zeros(mantissa))
}

/// The power of ten of a number's first digit; the least there is for zero.
pub fn exponent(value: f64) -> i32 {
    if value == 0.0 {
        return f64::MIN_10_EXP;
    }
    let scientific = format!("{value:e}");
    scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// A number for a page: a true minus sign, powers of ten with raised digits: `1.5·10⁻⁹`.
pub fn shown(value: f64, digits: usize) -> String {
    let plain = plain(value, digits);
    let (mantissa, exponent) = plain.split_once('e').unwrap_or((&plain, ""));
    let mut text = mantissa.replace('-', "\u{2212}");
    if !exponent.is_empty() {
        text += "·10";
        text.extend(exponent.chars().map(raised));
    }
    text
}

/// A number with its unit.
pub fn quantity(value: f64, digits: usize, unit: &str) -> String {
    let number = shown(value, digits);
    if unit.is_empty() { number } else { format!("{number}\u{a0}{unit}") }
}

/// Rows of cells as lines of text, in columns two blanks apart: the first to the left, all others
/// to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let cell =
                if at == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
            line.push_str(&cell);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A count in groups of three: `1 234 567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A stretch of time in the unit that suits it: `12.3 µs`, `4.56 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".to_string();
    }
    for (below, factor, unit) in
        [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms"), (60.0, 1.0, "s")]
    {
        if seconds < below {
            return format!("{}\u{a0}{unit}", plain(seconds * factor, 3));
        }
    }
    let whole = seconds.round();
    let (hours, minutes, seconds) = (whole / 3600.0, whole / 60.0 % 60.0, whole % 60.0);
    if hours >= 1.0 {
        return format!("{:.0}\u{a0}h {:.0}\u{a0}min", hours.floor(), minutes.floor());
    }
    format!("{:.0}\u{a0}min {seconds:.0}\u{a0}s", minutes.floor())
}

/// Zeros after the point say nothing once the rounding is fixed.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn raised(c: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])
}

/// Twelve significant digits, without zeros that say nothing.
pub fn digits(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return if number == 0.0 { "0".to_owned() } else { number.to_string() };
    }
    // Rounding may carry into the next power of ten, so the exponent is read off the rounded
    // number.
    let rounded = format!("{number:.11e}");
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-5..=9).contains(&power) {
        let places = usize::try_from(11 - power).unwrap_or(0);
        return trimmed(&format!("{number:.places$}"));
    }
    format!("{}e{exponent}", trimmed(mantissa))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_the_first_digit() {
        for (value, expected) in
            [(1.0, 0), (999.999, 2), (1000.0, 3), (-0.01, -2), (0.0, -307), (f64::NAN, 0)]
        {
            assert_eq!(exponent(value), expected, "{value}");
        }
    }

    #[test]
    fn numbers_have_the_digits_that_were_requested() {
        for (value, digits, expected) in [
            (0.0, 4, "0"),
            (-0.0, 4, "0"),
            (1.0, 4, "1"),
            (std::f64::consts::PI, 5, "3.1416"),
            (9.9996, 4, "10"),
            (99999.6, 5, "100000"),
            (123_456.0, 4, "1.235e5"),
            (12_345.0, 4, "12345"),
            (0.000_123_4, 4, "0.0001234"),
            (0.000_012_34, 3, "1.23e-5"),
            (-1.5e-9, 4, "-1.5e-9"),
            (1e300, 6, "1e300"),
            (5e-324, 3, "4.94e-324"),
            (100.0, 4, "100"),
            (f64::NAN, 4, "nan"),
            (f64::NEG_INFINITY, 4, "-inf"),
        ] {
            assert_eq!(plain(value, digits), expected, "{value}");
        }
    }

    #[test]
    fn pages_get_signs_and_powers_in_type() {
        assert_eq!(shown(-1.5e-9, 4), "\u{2212}1.5·10⁻⁹");
        assert_eq!(shown(2e15, 4), "2·10¹⁵");
        assert_eq!(quantity(0.25, 4, "m/s"), "0.25\u{a0}m/s");
        assert_eq!(quantity(3.0, 4, ""), "3");
    }

    #[test]
    fn counts_and_durations_are_grouped() {
        for (value, expected) in [
            (0, "0"),
            (1234, "1234"),
            (12_345, "12\u{202f}345"),
            (1_234_567, "1\u{202f}234\u{202f}567"),
        ] {
            assert_eq!(count(value), expected);
        }
        for (value, expected) in [
            (0.0, "0 ns"),
            (1.234e-5, "12.3 µs"),
            (0.0456, "45.6 ms"),
            (4.561, "4.56 s"),
            (200.0, "3 min 20 s"),
            (7500.0, "2 h 5 min"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(duration(value).replace('\u{a0}', " "), expected);
        }
    }

    #[test]
    fn numbers_have_twelve_digits_at_most() {
        let check = |number: f64, expected: &str| assert_eq!(digits(number), expected);
        check(0.0, "0");
        check(-0.0, "0");
        check(1.0, "1");
        check(-1.0 / 3.0, "-0.333333333333");
        check(1e9, "1000000000");
        check(123_456.789, "123456.789");
        check(1e-5, "0.00001");
        check(0.999_999_999_999_9, "1");
        check(2.5e-7, "2.5e-7");
        check(-6.02e23, "-6.02e23");
        check(f64::NAN, "NaN");
        check(f64::NEG_INFINITY, "-inf");
    }
}
