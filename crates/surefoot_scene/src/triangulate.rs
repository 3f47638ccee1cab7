//! Polygons of scene files, cut into triangles.
//!
//! The corners of one polygon without holes go in; triangles that cover it and turn the same way
//! come out. The polygon is looked at along the axis nearest to its normal (Newell's), so that the
//! plan coordinates are the stored ones. A strictly convex polygon becomes a fan; any other is cut
//! by ear clipping, in which only the two neighbours of a cut ear are looked at again and only the
//! corners beside an ear are tested against it, so the work grows with the square of the corners at
//! worst and hardly faster than their number on common outlines. Keyholes (holes joined to the outline by a bridge
//! that is walked twice) are cut rightly; polygons that cross themselves give some triangles, not
//! necessarily a cover.

/// The most corners a polygon that is not convex may have; more would take too long to cut.
pub(crate) const MAX_CONCAVE_CORNERS: usize = 4096;

/// A polygon with more than [`MAX_CONCAVE_CORNERS`] corners that is not convex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyCorners;

/// Cuts polygons; keeps its working memory between them.
#[derive(Debug, Default)]
pub(crate) struct PolygonCutter {
    plan: Vec<[f64; 2]>,
    next: Vec<u32>,
    previous: Vec<u32>,
    is_ear: Vec<bool>,
    is_cut: Vec<bool>,
    /// The axis of the plan along which the polygon is longer, and the corners in order along it.
    long_axis: usize,
    along: Vec<u32>,
}

/// What passes as an ear. When no corner passes, the next rule is taken and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EarRule {
    /// A convex corner whose triangle no other corner lies in or touches.
    Free,
    /// A convex corner whose triangle no other corner lies in.
    Touched,
    /// A corner without area: it is cut off without a triangle.
    Flat,
    /// Any corner: the polygon crosses itself.
    Any,
}

impl PolygonCutter {
    /// Appends the triangles of a polygon of at least three corners. Every corner must be the index
    /// of a point.
    pub(crate) fn cut(
        &mut self,
        points: &[[f32; 3]],
        corners: &[u32],
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<(), TooManyCorners> {
        match *corners {
            [] | [_] | [_, _] => return Ok(()),
            [a, b, c] => {
                triangles.push([a, b, c]);
                return Ok(());
            }
            _ => {}
        }
        if !self.project(points, corners) || self.is_strictly_convex() {
            triangles.extend(corners[1..].windows(2).map(|w| [corners[0], w[0], w[1]]));
            return Ok(());
        }
        if corners.len() > MAX_CONCAVE_CORNERS {
            return Err(TooManyCorners);
        }
        self.clip_ears(corners, triangles);
        Ok(())
    }

    /// Looks at the polygon along the axis nearest to its normal, from the side from which it turns
    /// counter-clockwise. False when it has no normal.
    fn project(&mut self, points: &[[f32; 3]], corners: &[u32]) -> bool {
        let at = |i: u32| points[i as usize].map(f64::from);
        let base = at(corners[0]);
        let mut normal = [0.0_f64; 3];
        let mut p = at(corners[corners.len() - 1]);
        for &corner in corners {
            let q = at(corner);
            // Relative to one corner, so that polygons far from zero keep their digits.
            let (a, b): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| p[k] - base[k]), std::array::from_fn(|k| q[k] - base[k]));
            for k in 0..3 {
                let (u, v) = ((k + 1) % 3, (k + 2) % 3);
                normal[k] += a[u] * b[v] - a[v] * b[u];
            }
            p = q;
        }
        let mut axis = 0;
        for k in 1..3 {
            if normal[k].abs() > normal[axis].abs() {
                axis = k;
            }
        }
        let along = normal[axis];
        if !(along.is_finite() && along != 0.0) {
            return false;
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (u, v) = if along > 0.0 { (u, v) } else { (v, u) };
        self.plan.clear();
        self.plan.extend(corners.iter().map(|&i| {
            let p = at(i);
            [p[u], p[v]]
        }));
        true
    }

    fn is_strictly_convex(&self) -> bool {
        let n = self.plan.len();
        (0..n).all(|i| turn(self.plan[(i + n - 1) % n], self.plan[i], self.plan[(i + 1) % n]) > 0.0)
    }

    fn clip_ears(&mut self, corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
        let n = corners.len();
        self.next.clear();
        self.next.extend((1..=n as u32).map(|i| if i as usize == n { 0 } else { i }));
        self.previous.clear();
        self.previous.extend((0..n as u32).map(|i| if i == 0 { n as u32 - 1 } else { i - 1 }));
        self.is_ear.clear();
        self.is_ear.resize(n, false);
        self.is_cut.clear();
        self.is_cut.resize(n, false);
        let extent = |k: usize| {
            let all = self.plan.iter().map(|p| p[k]);
            all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min)
        };
        self.long_axis = usize::from(extent(1) > extent(0));
        self.along.clear();
        self.along.extend(0..n as u32);
        let (plan, axis) = (&self.plan, self.long_axis);
        let place = |i: u32| plan[i as usize][axis];
        self.along.sort_unstable_by(|&i, &j| place(i).total_cmp(&place(j)).then(i.cmp(&j)));

        let mut rule = EarRule::Free;
        let mut left = n;
        let mut i = 0_u32;
        self.look_for_ears(i, rule);
        // Corners passed since the last cut.
        let mut passed = 0;
        while left > 3 {
            if !self.is_ear[i as usize] {
                i = self.next[i as usize];
                passed += 1;
                if passed >= left {
                    rule = match rule {
                        EarRule::Free => EarRule::Touched,
                        EarRule::Touched => EarRule::Flat,
                        EarRule::Flat | EarRule::Any => EarRule::Any,
                    };
                    self.look_for_ears(i, rule);
                    passed = 0;
                }
                continue;
            }
            let (before, after) = (self.previous[i as usize], self.next[i as usize]);
            if self.turn_at(i) != 0.0 || rule == EarRule::Any {
                triangles.push([before, i, after].map(|k| corners[k as usize]));
            }
            self.next[before as usize] = after;
            self.previous[after as usize] = before;
            self.is_cut[i as usize] = true;
            left -= 1;
            passed = 0;
            self.is_ear[before as usize] = self.passes(before, rule);
            self.is_ear[after as usize] = self.passes(after, rule);
            // Going on behind the next corner spreads the cuts around the outline, which makes
            // fatter triangles than a fan.
            i = self.next[after as usize];
        }
        let (before, after) = (self.previous[i as usize], self.next[i as usize]);
        triangles.push([before, i, after].map(|k| corners[k as usize]));
    }

    fn look_for_ears(&mut self, start: u32, rule: EarRule) {
        let mut i = start;
        loop {
            self.is_ear[i as usize] = self.passes(i, rule);
            i = self.next[i as usize];
            if i == start {
                return;
            }
        }
    }

    fn turn_at(&self, i: u32) -> f64 {
        let at = |k: u32| self.plan[k as usize];
        turn(at(self.previous[i as usize]), at(i), at(self.next[i as usize]))
    }

    fn passes(&self, i: u32, rule: EarRule) -> bool {
        let turned = self.turn_at(i);
        match rule {
            EarRule::Any => return true,
            EarRule::Flat if turned == 0.0 => return true,
            _ if turned > 0.0 => {}
            _ => return false,
        }
        let (before, after) = (self.previous[i as usize], self.next[i as usize]);
        let [a, b, c] = [before, i, after].map(|k| self.plan[k as usize]);
        let low: [f64; 2] = std::array::from_fn(|k| a[k].min(b[k]).min(c[k]));
        let high: [f64; 2] = std::array::from_fn(|k| a[k].max(b[k]).max(c[k]));
        let (axis, other) = (self.long_axis, 1 - self.long_axis);
        let start = self.along.partition_point(|&j| self.plan[j as usize][axis] < low[axis]);
        for &j in &self.along[start..] {
            let p = self.plan[j as usize];
            if p[axis] > high[axis] {
                break;
            }
            // The other end of a bridge stands on a corner of the ear and does not block it; nor do
            // the corners of the ear themselves.
            if self.is_cut[j as usize]
                || p[other] < low[other]
                || p[other] > high[other]
                || [a, b, c].iter().any(|&corner| is_same(p, corner))
            {
                continue;
            }
            let sides = [turn(a, b, p), turn(b, c, p), turn(c, a, p)];
            let blocks = match rule {
                EarRule::Free => sides.iter().all(|&s| s >= 0.0),
                _ => sides.iter().all(|&s| s > 0.0),
            };
            if blocks {
                return false;
            }
        }
        true
    }
}

/// Whether two plan points are the same.
fn is_same(p: [f64; 2], q: [f64; 2]) -> bool {
    p[0] - q[0] == 0.0 && p[1] - q[1] == 0.0
}

/// Twice the signed area of a plan triangle. The coordinates are `f32` values, so differences and
/// products are exact in `f64` unless the polygon mixes sizes more than 2²⁸ apart.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a polygon of the plane y = 0 (seen from above: x to the right, -z up), and returns its
    /// triangles after checking that they turn as the polygon does and cover its area.
    fn cut(outline: &[[f32; 2]]) -> Vec<[u32; 3]> {
        let area = |ring: &[[f32; 2]]| {
            let mut sum = 0.0;
            for (i, p) in ring.iter().enumerate() {
                let q = ring[(i + 1) % ring.len()];
                sum += f64::from(p[0]) * f64::from(q[1]) - f64::from(p[1]) * f64::from(q[0]);
            }
            sum / 2.0
        };
        let points: Vec<[f32; 3]> = outline.iter().map(|p| [p[0], 0.0, -p[1]]).collect();
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        PolygonCutter::default().cut(&points, &corners, &mut triangles).unwrap();
        let sign = area(outline).signum();
        let mut sum = 0.0;
        for t in &triangles {
            let a = area(&t.map(|i| outline[i as usize]));
            assert!(a * sign >= 0.0, "triangle {t:?} turns the wrong way");
            sum += a;
        }
        assert!((sum - area(outline)).abs() < 1e-9, "{sum} instead of {}", area(outline));
        triangles
    }

    #[test]
    fn a_convex_polygon_becomes_a_fan() {
        let triangles = cut(&[[0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [2.0, 2.0], [0.0, 2.0]]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn concave_polygons_are_covered_whichever_corner_comes_first() {
        let dart = [[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]];
        let comb = [
            [0.0, 0.0],
            [7.0, 0.0],
            [7.0, 5.0],
            [6.0, 5.0],
            [6.0, 1.0],
            [5.0, 1.0],
            [5.0, 5.0],
            [4.0, 5.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 5.0],
            [0.0, 5.0],
        ];
        for shape in [&dart[..], &comb[..]] {
            for turn in 0..shape.len() {
                let mut outline = shape.to_vec();
                outline.rotate_left(turn);
                assert_eq!(cut(&outline).len(), outline.len() - 2);
                outline.reverse();
                assert_eq!(cut(&outline).len(), outline.len() - 2);
            }
        }
    }

    #[test]
    fn corners_on_straight_edges_make_no_flat_triangles() {
        let square: Vec<[f32; 2]> = [
            [0.0, 0.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [2.0, 2.0],
            [1.0, 2.0],
            [0.0, 2.0],
            [0.0, 1.0],
        ]
        .to_vec();
        for turn in 0..8 {
            let mut outline = square.clone();
            outline.rotate_left(turn);
            let triangles = cut(&outline);
            assert_eq!(triangles.len(), 6, "one triangle for each corner but two");
            for t in triangles {
                let [a, b, c] = t.map(|i| outline[i as usize].map(f64::from));
                assert!(super::turn(a, b, c) > 0.0, "{t:?} is flat");
            }
        }
    }

    #[test]
    fn a_hole_on_a_bridge_stays_open() {
        // The outline runs to the hole, around it and back over the same two corners.
        let triangles = cut(&[
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 6.0],
            [0.0, 6.0],
            [0.0, 0.0],
            [2.0, 2.0],
            [2.0, 4.0],
            [4.0, 4.0],
            [4.0, 2.0],
            [2.0, 2.0],
        ]);
        assert_eq!(triangles.len(), 8);
    }

    #[test]
    fn random_stars_are_covered() {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32
        };
        for n in 4..300 {
            let outline: Vec<[f32; 2]> = (0..n)
                .map(|i| {
                    let angle = i as f32 / n as f32 * std::f32::consts::TAU;
                    let radius = 1.0 + 9.0 * random();
                    [radius * angle.cos(), radius * angle.sin()]
                })
                .collect();
            assert_eq!(cut(&outline).len(), n - 2);
        }
    }

    #[test]
    fn nonsense_gives_triangles_and_no_panic() {
        let mut cutter = PolygonCutter::default();
        let bow = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.5]];
        let nan = [[f32::NAN; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let line = [[0.0; 3], [1.0; 3], [2.0; 3], [0.5; 3]];
        for points in [bow, nan, line] {
            let mut triangles = Vec::new();
            cutter.cut(&points, &[0, 1, 2, 3], &mut triangles).unwrap();
            assert_eq!(triangles.len(), 2);
        }
        let mut triangles = Vec::new();
        cutter.cut(&bow, &[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 0], &mut triangles).unwrap();
        assert!(triangles.len() <= 9);
    }

    #[test]
    fn a_huge_concave_polygon_is_refused_and_a_huge_convex_one_is_not() {
        let n = MAX_CONCAVE_CORNERS as u32 + 1;
        let saw: Vec<[f32; 3]> =
            (0..n).map(|i| [i as f32, if i == 0 { 1e6 } else { (i % 2) as f32 }, 0.0]).collect();
        let corners: Vec<u32> = (0..n).collect();
        let mut triangles = Vec::new();
        let mut cutter = PolygonCutter::default();
        assert_eq!(cutter.cut(&saw, &corners, &mut triangles), Err(TooManyCorners));
        let bowl: Vec<[f32; 3]> = (0..n)
            .map(|i| {
                let x = i as f32 - 2048.0;
                [x, 0.0, x * x]
            })
            .collect();
        cutter.cut(&bowl, &corners, &mut triangles).unwrap();
        assert_eq!(triangles.len(), n as usize - 2);
    }
}
