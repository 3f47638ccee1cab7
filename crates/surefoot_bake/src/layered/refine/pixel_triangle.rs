//! A triangle over the middles of a column's pixels: which of them it covers, and at which heights.
//!
//! Goes in: a triangle and a column. Comes out: whether it covers a middle, exactly, and the height there.

use crate::layered::rasterize::FaceRange;
use crate::layered::scales::{Scales, round_to_i32};
use crate::voxel::grid::GridTriangle;

/// The heights of a triangle over the middles of a coarse column's pixels.
pub(super) struct PixelPlane {
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
    pub(super) fn new(triangle: &GridTriangle, first_middle: [i64; 2], fine: i32) -> Self {
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
    pub(super) fn height_over(&self, i: u32, j: u32) -> i32 {
        let z = self.z + f64::from(i) * self.z_per_x + f64::from(j) * self.z_per_y;
        round_to_i32(z.clamp(self.lo, self.hi))
    }

    fn is_level(&self) -> bool {
        self.z_per_x == 0.0 && self.z_per_y == 0.0
    }
}

/// A triangle over the middles of a coarse column's pixels.
struct PixelTriangle {
    /// Twice the areas that the first pixel's middle has with each edge, and how they change.
    areas: [i64; 3],
    per_x: [i64; 3],
    per_y: [i64; 3],
    plane: PixelPlane,
}

impl PixelTriangle {
    /// Nothing of a triangle without an area in plan, which covers no middle: lines are cut with it.
    fn new(triangle: &GridTriangle, p: [i64; 2], fine: i32) -> Option<Self> {
        let long = |c: [i32; 3]| [i64::from(c[0]), i64::from(c[1])];
        let [a, b, c] = triangle.corners;
        let c = [long(a), long(b), long(c)];
        // Twice an area of lengths below this fits into 64 bits.
        const NEAR: i64 = 1 << 30;
        let is_near = |v: i64| v.abs() < NEAR;
        let near = c.iter().all(|c| is_near(c[0] - p[0]) && is_near(c[1] - p[1]));
        // Far beyond a column all that counts is the side: there the areas are cut off.
        const FAR: i128 = 1 << 62;
        let turn = |a: [i64; 2], b: [i64; 2], q: [i64; 2]| {
            let (ux, uy, vx, vy) = (b[0] - a[0], b[1] - a[1], q[0] - a[0], q[1] - a[1]);
            if near {
                return ux * vy - uy * vx;
            }
            let turn = i128::from(ux) * i128::from(vy) - i128::from(uy) * i128::from(vx);
            turn.clamp(-FAR, FAR) as i64
        };
        let whole = turn(c[0], c[1], c[2]);
        if whole == 0 {
            return None;
        }
        let sign = if whole < 0 { -1 } else { 1 };
        let plane = PixelPlane::new(triangle, p, fine);
        let fine = i64::from(fine);
        let mut out = Self { areas: [0; 3], per_x: [0; 3], per_y: [0; 3], plane };
        for k in 0..3 {
            let (a, b) = (c[k], c[(k + 1) % 3]);
            out.areas[k] = sign * turn(a, b, p);
            out.per_x[k] = -sign * (b[1] - a[1]) * fine;
            out.per_y[k] = sign * (b[0] - a[0]) * fine;
        }
        Some(out)
    }

    /// The areas that a pixel's middle has with each edge. Cut off as they are, none is too large for 64
    /// bits.
    #[inline]
    fn areas_at(&self, i: u32, j: u32) -> [i64; 3] {
        let (x, y) = (i64::from(i), i64::from(j));
        [0, 1, 2].map(|k| self.areas[k] + self.per_x[k] * x + self.per_y[k] * y)
    }

    fn covers(&self, i: u32, j: u32) -> bool {
        is_inside(self.areas_at(i, j))
    }
}

/// The middle of a column's first pixel, in lattice units.
#[inline]
pub(super) fn first_middle(column: u32, scales: &Scales) -> [i64; 2] {
    let half = i64::from(scales.fine / 2);
    scales.corner(column).map(|v| v + half)
}

/// The height of a triangle over the middle of one pixel of a column, where it covers it; its border counts.
pub(crate) fn height_over_middle(
    triangle: &GridTriangle,
    column: u32,
    [i, j]: [u32; 2],
    scales: &Scales,
) -> Option<i32> {
    let first = first_middle(column, scales);
    let plane = match covers_middle(&triangle.corners, first, [i, j], scales.fine) {
        Some(true) => PixelPlane::new(triangle, first, scales.fine),
        Some(false) => return None,
        None => PixelTriangle::new(triangle, first, scales.fine).filter(|t| t.covers(i, j))?.plane,
    };
    Some(plane.height_over(i, j))
}

/// Whether a triangle covers the middle of one pixel of a column; its border counts. Nothing is said
/// where it lies so far away that areas do not fit into 64 bits.
#[inline]
pub(super) fn covers_middle(
    c: &[[i32; 3]; 3],
    first_middle: [i64; 2],
    [i, j]: [u32; 2],
    fine: i32,
) -> Option<bool> {
    const NEAR: i64 = 1 << 29;
    let fine = i64::from(fine);
    let p = [first_middle[0] + i64::from(i) * fine, first_middle[1] + i64::from(j) * fine];
    let away = |k: usize| [i64::from(c[k][0]) - p[0], i64::from(c[k][1]) - p[1]];
    let (a, b, c) = (away(0), away(1), away(2));
    let is_near = |v: [i64; 2]| (v[0].abs() < NEAR) & (v[1].abs() < NEAR);
    if !(is_near(a) & is_near(b) & is_near(c)) {
        return None;
    }
    let turn = |a: [i64; 2], b: [i64; 2]| a[0] * b[1] - a[1] * b[0];
    let (ab, bc, ca) = (turn(a, b), turn(b, c), turn(c, a));
    // They make up the triangle's area. No branch asks for their signs, which cannot be foreseen.
    let whole = ab + bc + ca;
    Some((whole != 0) & (is_inside([ab, bc, ca]) | is_inside([-ab, -bc, -ca])))
}

/// Which of four pixels' middles a triangle covers, its border counted: a bit for a pixel of the column, for the next
/// along x, along y, and along both. Which ones a small triangle covers cannot be foreseen, so all are asked for at once
/// and without a branch. Nothing is said where it lies so far away that areas do not fit into 64 bits.
#[inline]
pub(super) fn covered_of_four(
    c: &[[i32; 3]; 3],
    first_middle: [i64; 2],
    [i, j]: [u32; 2],
    fine: i32,
) -> Option<u32> {
    const NEAR: i64 = 1 << 29;
    let fine = i64::from(fine);
    let p = [first_middle[0] + i64::from(i) * fine, first_middle[1] + i64::from(j) * fine];
    let away = |k: usize| [i64::from(c[k][0]) - p[0], i64::from(c[k][1]) - p[1]];
    let [a, b, c] = [away(0), away(1), away(2)];
    let beyond = |v: [i64; 2]| (v[0] + NEAR) | (v[1] + NEAR);
    if !(0..2 * NEAR).contains(&(beyond(a) | beyond(b) | beyond(c))) {
        return None;
    }
    let turn = |a: [i64; 2], b: [i64; 2]| a[0] * b[1] - a[1] * b[0];
    // The areas with the three edges make up the triangle's.
    let whole = turn(a, b) + turn(b, c) + turn(c, a);
    let sign = whole >> 63 | 1;
    let mut outside = [0; 4];
    for (a, b) in [(a, b), (b, c), (c, a)] {
        let area = sign * turn(a, b);
        let (per_x, per_y) = ((a[1] - b[1]) * sign * fine, (b[0] - a[0]) * sign * fine);
        outside[0] |= area;
        outside[1] |= area + per_x;
        outside[2] |= area + per_y;
        outside[3] |= area + per_x + per_y;
    }
    let bit = |k: usize| u32::from(outside[k] >= 0) << k;
    Some(u32::from(whole != 0).wrapping_neg() & (bit(0) | bit(1) | bit(2) | bit(3)))
}

/// Visits the pixels of a column that a face covers with its height there.
pub(super) fn visit_covered(
    face: &FaceRange,
    triangle: &GridTriangle,
    first_middle: [i64; 2],
    scales: &Scales,
    mut visit: impl FnMut(u32, i32),
) {
    let [[i0, i1], [j0, j1]] = face.spans;
    let (i0, i1, j0, j1) = (u32::from(i0), u32::from(i1), u32::from(j0), u32::from(j1));
    if i0 >= i1 || j0 >= j1 {
        return;
    }
    let Some(over) = PixelTriangle::new(triangle, first_middle, scales.fine) else { return };
    let corners = [(i0, j0), (i1 - 1, j0), (i0, j1 - 1), (i1 - 1, j1 - 1)];
    let all = corners.iter().all(|&(i, j)| over.covers(i, j));
    let level = over.plane.is_level();
    let first = over.plane.height_over(i0, j0);
    for j in j0..j1 {
        let mut areas = over.areas_at(i0, j);
        for i in i0..i1 {
            if all || is_inside(areas) {
                let height = if level { first } else { over.plane.height_over(i, j) };
                visit(j * scales.per_side + i, height);
            }
            for k in 0..3 {
                areas[k] += over.per_x[k];
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
pub(crate) fn slope(triangle: &GridTriangle) -> [f64; 2] {
    [rise(triangle, 0), rise(triangle, 1)]
}

/// How much a triangle rises along one axis; nothing for a vertical one.
#[inline]
pub(crate) fn rise(triangle: &GridTriangle, axis: usize) -> f64 {
    let c = triangle.corners;
    let n = crate::exact::read::normal_units(c[0], c[1], c[2]);
    let along = if axis == 0 { n.x } else { n.y };
    if n.z.abs() > 0.0 { -along / n.z } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::any_numbers::any_below;
    use crate::settings::BakeSettings;
    use crate::voxel::grid::Surface;

    /// The quick answer for one middle is the one that areas give.
    #[test]
    fn one_middle_is_covered_as_among_many() {
        let settings = BakeSettings::default().resolve().unwrap();
        let mut below = any_below(3);
        let (mut covered, mut not) = (0, 0);
        for _ in 0..3_000 {
            // On a coarse raster, so that edges and corners often lie on a middle.
            let corners = [0, 1, 2].map(|_| [0, 1, 2].map(|_| 819 * (below(17) - 4)));
            let triangle = GridTriangle { corners, surface: Surface::ground(0) };
            let frame = GridTriangle { corners: [[0; 3], [13_000; 3], [13_000; 3]], ..triangle };
            let scales = Scales::new(&[frame], &settings).unwrap();
            let first = first_middle(0, &scales);
            let over = PixelTriangle::new(&triangle, first, scales.fine);
            for (i, j) in [(0, 0), (1, 2), (3, 3)] {
                let quick = covers_middle(&corners, first, [i, j], scales.fine);
                let covers = over.as_ref().is_some_and(|over| over.covers(i, j));
                assert_eq!(quick, Some(covers), "{corners:?} at {i}, {j}");
                if quick == Some(true) { covered += 1 } else { not += 1 }
            }
        }
        assert!(covered > 500 && not > 500, "{covered} covered, {not} not");
    }

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
            let triangle = GridTriangle { corners, surface: Surface::ground(0) };
            let frame = GridTriangle { corners: [[0; 3], [13_000; 3], [13_000; 3]], ..triangle };
            let scales = Scales::new(&[frame], &settings).unwrap();
            let side = scales.per_side as u8;
            let face = FaceRange {
                triangle: 0,
                lo: 0,
                hi: 0,
                surface: triangle.surface,
                spans: [[0, side]; 2],
            };
            let mut found = Vec::new();
            let first = first_middle(0, &scales);
            visit_covered(&face, &triangle, first, &scales, |pixel, z| found.push((pixel, z)));
            let expected: Vec<(u32, i32)> = (0..scales.pixels_per_cell() as u32)
                .filter_map(|p| {
                    let (i, j) = (p % scales.per_side, p / scales.per_side);
                    height_over_middle(&triangle, 0, [i, j], &scales).map(|z| (p, z))
                })
                .collect();
            assert_eq!(found, expected, "{corners:?}");
            covered += found.len();
        }
        assert!(covered > 1_000 && level > 500, "{covered} covered");
    }

    /// Four middles at once are covered as one by one.
    #[test]
    fn four_middles_are_covered_as_alone() {
        let mut below = any_below(11);
        let (mut covered, mut none) = (0, 0);
        for (fine, raster) in [(3264, 408), (3264, 819), (3264, 1632), (64, 8)] {
            let first = [70_000 + i64::from(fine), -1_000_000];
            for _ in 0..1_000 {
                let around = |k: usize, v: i32| first[k] as i32 + raster * (v - 6);
                let corners =
                    [0, 1, 2].map(|_| [around(0, below(25)), around(1, below(25)), below(9)]);
                for (i, j) in [(0, 0), (1, 2)] {
                    let found = covered_of_four(&corners, first, [i, j], fine);
                    let alone = [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]]
                        .map(|pixel| covers_middle(&corners, first, pixel, fine) == Some(true));
                    let bits = (0..4).map(|k| u32::from(alone[k]) << k).sum();
                    assert_eq!(found, Some(bits), "{corners:?} at {i}, {j}");
                    covered += alone.iter().filter(|covers| **covers).count();
                    none += usize::from(bits == 0);
                }
            }
        }
        assert!(covered > 1_000 && none > 500, "{covered} covered, {none} times none");
    }

    /// What lies too far away for areas in 64 bits is left to others.
    #[test]
    fn far_triangles_are_not_judged_in_a_hurry() {
        let far = [[1 << 30, 0, 0], [1 << 30, 10, 0], [0, 0, 0]];
        assert_eq!(covers_middle(&far, [0, 0], [0, 0], 100), None);
        assert_eq!(covered_of_four(&far, [0, 0], [0, 0], 100), None);
    }
}
