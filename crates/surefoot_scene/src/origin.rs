//! Where a scene's `f32` coordinates are counted from.
//!
//! Coordinates near zero are kept as they are. Along an axis on which the whole scene lies far to
//! one side of zero (geographic coordinates), they are counted from a whole number in the middle
//! of the scene, so that an `f32` is as fine as the scene's extent allows. Coordinates that were
//! `f32` to begin with stay exact where the far end is at most twice as far as the near one,
//! because their difference to such an origin is an `f32` again (Sterbenz' lemma).

use surefoot_geom::Bounds;
use surefoot_geom::threads::prelude::*;

/// Along an axis on which no coordinate is larger than this, coordinates stay as they are: there
/// an `f32` is good to a quarter of a millimetre.
pub(crate) const NEAR_ZERO_M: f64 = 4096.0;

/// The box around all triangles with finite corners; the corners are looked up by `point`.
pub(crate) fn bounds_of(
    triangles: &[[u32; 3]],
    point: impl Fn(u32) -> [f64; 3] + Sync + Send,
) -> Bounds {
    let of_chunks: Vec<Bounds> = triangles
        .par_chunks(1 << 14)
        .map(|chunk| {
            let mut bounds = Bounds::EMPTY;
            for corners in chunk.iter().map(|t| t.map(&point)) {
                if corners.iter().flatten().all(|c| c.is_finite()) {
                    corners.into_iter().for_each(|p| bounds.add_point(p));
                }
            }
            bounds
        })
        .collect();
    let mut bounds = Bounds::EMPTY;
    of_chunks.iter().for_each(|part| bounds.add(part));
    // Which zero is the smallest or the largest depends on the order of comparing.
    for c in bounds.low.iter_mut().chain(&mut bounds.high) {
        *c += 0.0;
    }
    bounds
}

/// Whether coordinates are counted from zero along every axis.
#[cfg(feature = "load")]
pub(crate) fn is_zero(origin: [f64; 3]) -> bool {
    origin.iter().all(|&c| c == 0.0)
}

/// Whether two origins are the same.
pub(crate) fn is_same(a: [f64; 3], b: [f64; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a - b == 0.0)
}

/// The origin for a scene of these bounds: for each axis a whole number that is an `f32`, zero
/// wherever another would gain nothing.
pub(crate) fn choose_origin(bounds: &Bounds) -> [f64; 3] {
    if bounds.is_empty() {
        return [0.0; 3];
    }
    std::array::from_fn(|k| {
        let (low, high) = (bounds.low[k], bounds.high[k]);
        let one_sided = low > 0.0 || high < 0.0;
        if !one_sided || low.abs().max(high.abs()) <= NEAR_ZERO_M {
            return 0.0;
        }
        let middle = f64::from(((low + (high - low) * 0.5) as f32).round());
        if middle.is_finite() { middle } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin_of(low: [f64; 3], high: [f64; 3]) -> [f64; 3] {
        choose_origin(&Bounds { low, high })
    }

    #[test]
    fn near_zero_or_around_it_the_origin_is_zero() {
        let is_zero = |origin| is_same(origin, [0.0; 3]);
        assert!(is_zero(choose_origin(&Bounds::EMPTY)));
        assert!(is_zero(origin_of([1.0; 3], [4096.0; 3])));
        assert!(is_zero(origin_of([-20_000.0; 3], [10_000.0; 3])));
    }

    #[test]
    fn far_to_one_side_it_is_a_whole_number_amid_the_scene() {
        let o = origin_of([4_500_000.3, -9_000.0, 0.0], [4_500_100.9, -8_000.0, 50.0]);
        assert!(is_same(o, [4_500_051.0, -8_500.0, 0.0]), "{o:?}");
        let huge = origin_of([1e30; 3], [f64::MAX; 3]);
        assert!(huge.iter().all(|c| c.is_finite()));
    }

    #[test]
    fn single_precision_coordinates_stay_exact() {
        // Sterbenz: within a factor of two every difference to the origin is an f32.
        let (low, high) = (5_000.123_f32, 9_999.9_f32);
        let o = origin_of([f64::from(low); 3], [f64::from(high); 3])[0];
        let mut c = low;
        while c < high {
            let relative = (f64::from(c) - o) as f32;
            assert_eq!((f64::from(relative) + o).to_bits(), f64::from(c).to_bits());
            c += 1.234_567;
        }
    }
}
