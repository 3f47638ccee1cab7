//! A triangle over the middles of a column's pixels: which of them it covers, and at which heights.
//!
//! Goes in: a triangle and a column. Comes out: whether it covers a middle, exactly, and the height there.

use crate::input::classify::ClassedTriangle;
use crate::input::points::normal_units;
use crate::layered::model::face::PixelSpans;
use crate::layered::model::scales::{Scales, round_to_i32};

/// The heights of a triangle over the middles of a coarse column's pixels.
struct PixelPlane {
    /// At the first pixel, and how they change.
    z: f64,
    z_per_x: f64,
    z_per_y: f64,
    lo: f64,
    hi: f64,
}

impl PixelPlane {
    /// Of a triangle that has an area in plan.
    #[inline]
    fn new(triangle: &ClassedTriangle, first_middle: [i64; 2], fine: i32) -> Self {
        let [slope_x, slope_y] = slope(triangle);
        let [a, b, c] = &triangle.corners;
        let away = |k: usize| (first_middle[k] - i64::from(a[k])) as f64;
        Self {
            z: f64::from(a[2]) + slope_x * away(0) + slope_y * away(1),
            z_per_x: slope_x * f64::from(fine),
            z_per_y: slope_y * f64::from(fine),
            lo: f64::from(a[2].min(b[2]).min(c[2])),
            hi: f64::from(a[2].max(b[2]).max(c[2])),
        }
    }

    #[inline]
    fn height_over(&self, [i, j]: [u32; 2]) -> i32 {
        let z = self.z + f64::from(i) * self.z_per_x + f64::from(j) * self.z_per_y;
        round_to_i32(z.clamp(self.lo, self.hi))
    }
}

/// Twice the areas that the middles of a coarse column's pixels have with the edges of a triangle.
struct PixelAreas {
    /// Those of the first pixel, and how they change.
    first: [i64; 3],
    per_x: [i64; 3],
    per_y: [i64; 3],
}

impl PixelAreas {
    /// Nothing of a triangle without an area in plan, which covers no middle: lines are cut with it.
    #[inline]
    fn new(triangle: &ClassedTriangle, p: [i64; 2], fine: i32) -> Option<Self> {
        let away = triangle.corners.map(|c| [i64::from(c[0]) - p[0], i64::from(c[1]) - p[1]]);
        let [a, b, c] = away;
        let run = |from: [i64; 2], to: [i64; 2]| [to[0] - from[0], to[1] - from[1]];
        let runs = [run(a, b), run(b, c), run(c, a)];
        // Twice an area of lengths below this fits into 64 bits.
        const NEAR: i64 = 1 << 29;
        // Far beyond a column all that counts is the side: there the areas are cut off.
        const FAR: i128 = 1 << 62;
        let is_near = |v: [i64; 2]| (v[0].abs() < NEAR) & (v[1].abs() < NEAR);
        let turn = match is_near(a) & is_near(b) & is_near(c) {
            true => |u: [i64; 2], v: [i64; 2]| u[0] * v[1] - u[1] * v[0],
            false => |u: [i64; 2], v: [i64; 2]| {
                let turn =
                    i128::from(u[0]) * i128::from(v[1]) - i128::from(u[1]) * i128::from(v[0]);
                turn.clamp(-FAR, FAR) as i64
            },
        };
        let sign = turn(runs[0], runs[1]).signum();
        let fine = sign * i64::from(fine);
        (sign != 0).then(|| Self {
            first: [sign * turn(a, b), sign * turn(b, c), sign * turn(c, a)],
            per_x: runs.map(|run| -fine * run[1]),
            per_y: runs.map(|run| fine * run[0]),
        })
    }

    /// The areas of one pixel's middle. Cut off as they are, none is too large for 64 bits.
    #[inline]
    fn at(&self, [i, j]: [u32; 2]) -> [i64; 3] {
        let (x, y) = (i64::from(i), i64::from(j));
        [0, 1, 2].map(|k| self.first[k] + self.per_x[k] * x + self.per_y[k] * y)
    }

    #[inline]
    fn covers(&self, pixel: [u32; 2]) -> bool {
        is_inside(self.at(pixel))
    }
}

/// The middle of a column's first pixel, in lattice units.
#[inline]
pub(crate) fn first_middle(column: u32, scales: &Scales) -> [i64; 2] {
    let half = i64::from(scales.fine / 2);
    scales.corner(column).map(|v| v + half)
}

/// The height of a triangle over the middle of one pixel of a column, where it covers it; its border counts.
pub(crate) fn height_over_middle(
    triangle: &ClassedTriangle,
    column: u32,
    pixel: [u32; 2],
    scales: &Scales,
) -> Option<i32> {
    let first = first_middle(column, scales);
    PixelAreas::new(triangle, first, scales.fine).filter(|areas| areas.covers(pixel))?;
    Some(PixelPlane::new(triangle, first, scales.fine).height_over(pixel))
}

/// Visits those pixels of a column, among some, that a triangle covers, with its height there.
#[inline]
pub(crate) fn visit_covered(
    spans: PixelSpans,
    triangle: &ClassedTriangle,
    first_middle: [i64; 2],
    scales: &Scales,
    mut visit: impl FnMut(u32, i32),
) {
    let [[i0, i1], [j0, j1]] = spans.0.map(|span| span.map(u32::from));
    let Some(areas) = PixelAreas::new(triangle, first_middle, scales.fine) else { return };
    // Of a crowd most cover no middle.
    let mut plane = None;
    for j in j0..j1 {
        let mut at = areas.at([i0, j]);
        for i in i0..i1 {
            if is_inside(at) {
                let plane = plane
                    .get_or_insert_with(|| PixelPlane::new(triangle, first_middle, scales.fine));
                visit(j * scales.per_side + i, plane.height_over([i, j]));
            }
            for k in 0..3 {
                at[k] += areas.per_x[k];
            }
        }
    }
}

/// Whether a point lies in a triangle, by the areas that it has with the edges: none is negative.
#[inline]
const fn is_inside([a, b, c]: [i64; 3]) -> bool {
    a | b | c >= 0
}

/// How much a triangle rises along each axis; nothing for a vertical one.
#[inline]
pub(crate) fn slope(triangle: &ClassedTriangle) -> [f64; 2] {
    [rise(triangle, 0), rise(triangle, 1)]
}

/// How much a triangle rises along one axis; nothing for a vertical one.
#[inline]
pub(crate) fn rise(triangle: &ClassedTriangle, axis: usize) -> f64 {
    let [a, b, c] = triangle.corners;
    let n = normal_units(a, b, c);
    let along = if axis == 0 { n.x } else { n.y };
    if n.z.abs() > 0.0 { -along / n.z } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::classify::FaceClass;
    use crate::layered::model::any_numbers::any_below;
    use crate::settings::BakeSettings;

    /// Pixel after pixel, a triangle covers those that it covers when each is asked for alone.
    #[test]
    fn pixels_in_a_row_are_covered_as_alone() {
        let settings = BakeSettings::default().resolve().unwrap();
        let mut below = any_below(7);
        let (mut covered, mut level) = (0, 0);
        for round in 0..2_000 {
            let mut corners = [0, 1, 2].map(|_| [0, 1, 2].map(|_| 819 * (below(33) - 12)));
            if round % 2 == 0 {
                corners.iter_mut().for_each(|c| c[2] = 1_000);
                level += 1;
            }
            let triangle = ClassedTriangle { corners, class: FaceClass::ground(0) };
            let frame = ClassedTriangle { corners: [[0; 3], [13_000; 3], [13_000; 3]], ..triangle };
            let scales = Scales::new(&[frame], &settings.agent, &settings.layered).unwrap();
            let side = scales.per_side as u8;
            let mut found = Vec::new();
            let (first, spans) = (first_middle(0, &scales), PixelSpans([[0, side]; 2]));
            visit_covered(spans, &triangle, first, &scales, |pixel, z| found.push((pixel, z)));
            let expected: Vec<(u32, i32)> = (0..scales.pixels_per_cell() as u32)
                .filter_map(|p| {
                    let (_, pixel) = scales.split(p);
                    height_over_middle(&triangle, 0, pixel, &scales).map(|z| (p, z))
                })
                .collect();
            assert_eq!(found, expected, "{corners:?}");
            covered += found.len();
        }
        assert!(covered > 1_000 && level > 500, "{covered} covered");
    }
}
