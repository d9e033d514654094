//! Leaving points out of a curve without losing what one would see: every stretch keeps its lowest
//! and its highest value, and its gaps.

/// The indices to keep of a curve with too many points, in order; at most three for every two of
/// `limit`.
pub fn indices(values: &[f64], limit: usize) -> Vec<usize> {
    let count = values.len();
    if count <= limit.max(4) {
        return (0..count).collect();
    }
    let stretches = limit.max(4) / 2;
    let mut kept = Vec::with_capacity(2 * stretches + 2);
    for stretch in 0..stretches {
        // Wide products: a run may have more points than half the address space has squares.
        let bound = |k: usize| (k as u128 * count as u128 / stretches as u128) as usize;
        let mut here = extremes(values, bound(stretch), bound(stretch + 1));
        here.sort_unstable();
        kept.extend(here.into_iter().flatten());
    }
    kept.extend([0, count - 1]);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// The lowest and the highest finite value, and the first gap, between two indices.
fn extremes(values: &[f64], from: usize, to: usize) -> [Option<usize>; 3] {
    let (mut low, mut high, mut gap) = (None, None, None);
    for (index, &value) in values.iter().enumerate().take(to).skip(from) {
        if !value.is_finite() {
            gap = gap.or(Some(index));
            continue;
        }
        if low.is_none_or(|low: usize| value < values[low]) {
            low = Some(index);
        }
        if high.is_none_or(|high: usize| value > values[high]) {
            high = Some(index);
        }
    }
    [low, high, gap]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_curves_keep_every_point() {
        assert_eq!(indices(&[1.0, 2.0, 3.0], 4), [0, 1, 2]);
        assert_eq!(indices(&[], 4), [0; 0]);
    }

    #[test]
    fn the_ends_a_single_spike_and_a_gap_survive() {
        let mut values = vec![0.0; 1_000_000];
        values[123_457] = 5.0;
        values[777_777] = -3.0;
        values[500_001] = f64::NAN;
        let kept = indices(&values, 4000);
        for index in [0, 123_457, 500_001, 777_777, 999_999] {
            assert!(kept.contains(&index), "{index}");
        }
        assert!(kept.len() <= 6000, "{}", kept.len());
        assert!(kept.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_stretch_keeps_its_extremes() {
        // A fast oscillation: the envelope must not shrink anywhere.
        let values: Vec<f64> = (0..100_000).map(|k| (k as f64 * 0.7).sin()).collect();
        let kept = indices(&values, 1000);
        for pair in kept.chunks_exact(20) {
            let high = pair.iter().map(|&k| values[k]).fold(f64::MIN, f64::max);
            let low = pair.iter().map(|&k| values[k]).fold(f64::MAX, f64::min);
            assert!(high > 0.999 && low < -0.999, "{low} {high}");
        }
    }

    #[test]
    fn a_curve_of_gaps_is_still_a_curve() {
        let kept = indices(&vec![f64::NAN; 10_000], 100);
        assert!(kept.len() >= 2 && kept.len() <= 152, "{}", kept.len());
    }
}
