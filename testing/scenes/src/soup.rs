//! Solids as triangles: the clay that all scenes are made of.
//!
//! Every solid comes out closed, its triangles counter-clockwise seen from outside, its corners on
//! the grid. A [`Place`] moves and turns what is made while it is set.

use crate::grid::{sin_cos_deg, snap_point};
use crate::outline::{signed_area, triangulate};
use crate::truth::Turn;

/// Where a part stands: turned around +Y, then moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    turn: Turn,
    offset: [f64; 3],
}

impl Place {
    /// At a point, turned counter-clockwise seen from above.
    pub(crate) fn new(offset: [f64; 3], angle_deg: f64) -> Self {
        Self { turn: Turn::new(angle_deg), offset }
    }

    /// A point of the part, in the scene.
    pub(crate) fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        let q = self.turn.apply(p);
        std::array::from_fn(|k| q[k] + self.offset[k])
    }

    /// A direction of the part, in the scene.
    pub(crate) fn direction(&self, d: [f64; 3]) -> [f64; 3] {
        self.turn.apply(d)
    }
}

/// Triangles on their way to a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Soup {
    /// Corners, counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[[f64; 3]; 3]>,
    /// One per triangle: an index into the names, or `u8::MAX`.
    pub(crate) tags: Vec<u8>,
    /// Names of the tags.
    pub(crate) tag_names: Vec<&'static str>,
    tag: Option<u8>,
    place: Option<Place>,
}

impl Soup {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The tag of what is made from here on.
    pub(crate) fn set_tag(&mut self, name: Option<&'static str>) {
        self.tag = name.map(|name| {
            let known = self.tag_names.iter().position(|&n| n == name);
            known.unwrap_or_else(|| {
                self.tag_names.push(name);
                self.tag_names.len() - 1
            }) as u8
        });
    }

    /// Makes a part that stands somewhere else. Places do not nest.
    pub(crate) fn at<T>(&mut self, place: Place, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.place.replace(place);
        let made = make(self);
        self.place = before;
        made
    }

    /// Number of triangles so far.
    pub(crate) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// One triangle, counter-clockwise seen from outside.
    pub(crate) fn triangle(&mut self, corners: [[f64; 3]; 3]) {
        let corners = match &self.place {
            Some(place) => corners.map(|p| snap_point(place.apply(p))),
            None => corners.map(snap_point),
        };
        self.triangles.push(corners);
        self.tags.push(self.tag.unwrap_or(u8::MAX));
    }

    /// Four corners of a face, counter-clockwise seen from outside.
    pub(crate) fn quad(&mut self, [a, b, c, d]: [[f64; 3]; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// A box with its faces along the axes.
    pub(crate) fn block(&mut self, low: [f64; 3], high: [f64; 3]) {
        let ring = |y: f64| {
            [[low[0], y, high[2]], [high[0], y, high[2]], [high[0], y, low[2]], [low[0], y, low[2]]]
        };
        self.hexahedron(ring(low[1]), ring(high[1]));
    }

    /// A solid between two faces of four corners, both counter-clockwise seen from above.
    pub(crate) fn hexahedron(&mut self, bottom: [[f64; 3]; 4], top: [[f64; 3]; 4]) {
        self.quad(top);
        let [a, b, c, d] = bottom;
        self.quad([d, c, b, a]);
        for i in 0..4 {
            let j = (i + 1) % 4;
            self.quad([bottom[i], bottom[j], top[j], top[i]]);
        }
    }

    /// A solid slab over four corners (counter-clockwise seen from above) of a given thickness,
    /// measured downwards: a ramp, a leaning wall, a bridge deck.
    pub(crate) fn slab(&mut self, top: [[f64; 3]; 4], thickness_m: f64) {
        self.hexahedron(top.map(|[x, y, z]| [x, y - thickness_m, z]), top);
    }

    /// An upright prism over an outline given as `[x, z]`, in any orientation.
    pub(crate) fn prism(&mut self, outline: &[[f64; 2]], low_y: f64, high_y: f64) {
        self.extrude(outline, |[x, z], far| [x, if far { high_y } else { low_y }, z]);
    }

    /// An outline swept from one end to the other; `place` gives the point of an outline point at
    /// the near (`false`) and the far (`true`) end.
    pub(crate) fn extrude(
        &mut self,
        outline: &[[f64; 2]],
        place: impl Fn([f64; 2], bool) -> [f64; 3],
    ) {
        let n = outline.len();
        let near: Vec<[f64; 3]> = outline.iter().map(|&p| place(p, false)).collect();
        let far: Vec<[f64; 3]> = outline.iter().map(|&p| place(p, true)).collect();
        let mut solid = Vec::with_capacity(4 * n);
        for t in triangulate(outline, &[]) {
            solid.push(t.map(|i| far[i]));
            let [a, b, c] = t;
            solid.push([c, b, a].map(|i| near[i]));
        }
        let forward = signed_area(outline) > 0.0;
        for i in 0..n {
            let j = (i + 1) % n;
            let (i, j) = if forward { (i, j) } else { (j, i) };
            solid.push([near[i], near[j], far[j]]);
            solid.push([near[i], far[j], far[i]]);
        }
        self.solid(solid);
    }

    /// A closed solid whose triangles all face out or all face in.
    pub(crate) fn solid(&mut self, triangles: Vec<[[f64; 3]; 3]>) {
        let outward = signed_volume(&triangles) >= 0.0;
        for [a, b, c] in triangles {
            self.triangle(if outward { [a, b, c] } else { [c, b, a] });
        }
    }

    /// An upright round pillar with the given number of sides; corners lie on the circle.
    pub(crate) fn pillar(&mut self, foot: [f64; 3], radius_m: f64, sides: usize, height_m: f64) {
        self.prism(&circle([foot[0], foot[2]], radius_m, sides, 0.0), foot[1], foot[1] + height_m);
    }

    /// A round bar between two points, with flat ends.
    pub(crate) fn bar(&mut self, from: [f64; 3], to: [f64; 3], radius_m: f64, sides: usize) {
        let d: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
        let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        if length <= 0.0 {
            return;
        }
        let w = d.map(|c| c / length);
        let helper = if w[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let u = normalize(cross(helper, w));
        let v = cross(w, u);
        let ring = |p: [f64; 3]| -> Vec<[f64; 3]> {
            (0..sides)
                .map(|i| {
                    let (s, c) = sin_cos_deg(i as f64 * 360.0 / sides as f64);
                    std::array::from_fn(|k| p[k] + radius_m * (c * u[k] + s * v[k]))
                })
                .collect()
        };
        let (a, b) = (ring(from), ring(to));
        for i in 0..sides {
            let j = (i + 1) % sides;
            self.quad([a[i], a[j], b[j], b[i]]);
            if i >= 1 && j != 0 {
                self.triangle([a[0], a[j], a[i]]);
                self.triangle([b[0], b[i], b[j]]);
            }
        }
    }

    /// A ball: rings of latitude and sectors of longitude, with corners on the sphere.
    pub(crate) fn ball(&mut self, centre: [f64; 3], radius_m: f64, rings: usize, sectors: usize) {
        let point = |ring: usize, sector: usize| -> [f64; 3] {
            let (rise, flat) = sin_cos_deg(90.0 - 180.0 * ring as f64 / rings as f64);
            let (s, c) = sin_cos_deg(360.0 * (sector % sectors) as f64 / sectors as f64);
            [
                centre[0] + radius_m * flat * c,
                centre[1] + radius_m * rise,
                centre[2] - radius_m * flat * s,
            ]
        };
        for ring in 0..rings {
            for sector in 0..sectors {
                let (a, b) = (point(ring, sector), point(ring, sector + 1));
                let (c, d) = (point(ring + 1, sector + 1), point(ring + 1, sector));
                match ring {
                    0 => self.triangle([a, d, c]),
                    r if r + 1 == rings => self.triangle([a, c, b]),
                    _ => self.quad([a, d, c, b]),
                }
            }
        }
    }

    /// A stone with four faces, lying on a base at the given height.
    pub(crate) fn pebble(&mut self, foot: [f64; 3], size_m: f64, angle_deg: f64) {
        let corner = |k: f64, reach: f64| {
            let (s, c) = sin_cos_deg(angle_deg + 120.0 * k);
            [foot[0] + reach * c, foot[1], foot[2] - reach * s]
        };
        let (a, b, c) = (corner(0.0, size_m), corner(1.0, size_m * 0.8), corner(2.0, size_m * 0.9));
        let top = [foot[0], foot[1] + size_m * 0.8, foot[2]];
        self.triangle([a, c, b]);
        self.triangle([a, b, top]);
        self.triangle([b, c, top]);
        self.triangle([c, a, top]);
    }

    /// A flat rectangle facing up, cut into a grid of cells.
    pub(crate) fn sheet(&mut self, low: [f64; 2], high: [f64; 2], y: f64, cells: [usize; 2]) {
        let at = |k: usize, i: usize| low[k] + (high[k] - low[k]) * i as f64 / cells[k] as f64;
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                let (x0, x1, z0, z1) = (at(0, i), at(0, i + 1), at(1, j), at(1, j + 1));
                self.quad([[x0, y, z1], [x1, y, z1], [x1, y, z0], [x0, y, z0]]);
            }
        }
    }
}

/// A regular outline with its corners on the circle, the first in the given direction.
pub(crate) fn circle(
    centre: [f64; 2],
    radius_m: f64,
    sides: usize,
    first_deg: f64,
) -> Vec<[f64; 2]> {
    (0..sides)
        .map(|i| {
            let (s, c) = sin_cos_deg(first_deg + 360.0 * i as f64 / sides as f64);
            [centre[0] + radius_m * c, centre[1] + radius_m * s]
        })
        .collect()
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn normalize(a: [f64; 3]) -> [f64; 3] {
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    a.map(|c| c / length)
}

/// Six times the volume enclosed by triangles that face out.
pub(crate) fn signed_volume(triangles: &[[[f64; 3]; 3]]) -> f64 {
    let Some(&[origin, ..]) = triangles.first() else { return 0.0 };
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|p| std::array::from_fn(|k| p[k] - origin[k]));
            let n = cross(b, c);
            a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
        })
        .sum()
}

/// Edges that are not matched by an equal edge in the other direction: zero for any heap of closed
/// solids.
#[cfg(test)]
pub(crate) fn unmatched_edges(triangles: &[[[f64; 3]; 3]]) -> usize {
    let key = |p: [f64; 3]| p.map(crate::grid::steps);
    let mut edges: Vec<([i64; 3], [i64; 3], i32)> = Vec::with_capacity(triangles.len() * 3);
    for t in triangles {
        for i in 0..3 {
            let (a, b) = (key(t[i]), key(t[(i + 1) % 3]));
            edges.push(if a < b { (a, b, 1) } else { (b, a, -1) });
        }
    }
    edges.sort_unstable();
    edges
        .chunk_by(|p, q| (p.0, p.1) == (q.0, q.1))
        .map(|run| run.iter().map(|e| e.2).sum::<i32>().unsigned_abs() as usize)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, volume_m3: f64, tolerance: f64, make: impl Fn(&mut Soup)) {
        for place in [None, Some(Place::new([3.0, 1.0, -7.0], 33.3))] {
            let mut soup = Soup::new();
            match place {
                None => make(&mut soup),
                Some(place) => soup.at(place, |soup| make(soup)),
            }
            assert_eq!(unmatched_edges(&soup.triangles), 0, "{name} is not closed");
            let volume = signed_volume(&soup.triangles) / 6.0;
            assert!((volume - volume_m3).abs() < tolerance, "{name}: {volume} m³");
        }
    }

    #[test]
    fn solids_are_closed_and_face_out() {
        check("block", 24.0, 1e-3, |s| s.block([0.0; 3], [2.0, 3.0, 4.0]));
        check("slab", 2.0, 1e-3, |s| {
            s.slab([[0.0, 0.0, 2.0], [5.0, 3.0, 2.0], [5.0, 3.0, 0.0], [0.0, 0.0, 0.0]], 0.2);
        });
        let l = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        let mut backwards = l;
        backwards.reverse();
        check("prism", 10.0, 1e-3, |s| s.prism(&l, 1.0, 3.0));
        check("prism", 10.0, 1e-3, |s| s.prism(&backwards, 1.0, 3.0));
        check("extrusion", 10.0, 1e-3, |s| {
            s.extrude(&l, |[x, y], far| [x, y, if far { 2.0 } else { 0.0 }]);
        });
        let pi = std::f64::consts::PI;
        check("pillar", pi, 0.01, |s| s.pillar([1.0, 2.0, 3.0], 0.5, 128, 4.0));
        check("bar", pi * 0.09 * 3.0, 0.01, |s| s.bar([1.0; 3], [3.0, 2.0, 3.0], 0.3, 64));
        check("upright bar", pi * 0.09 * 3.0, 0.01, |s| s.bar([1.0; 3], [1.0, 4.0, 1.0], 0.3, 64));
        check("ball", 4.0 / 3.0 * pi * 8.0, 0.2, |s| s.ball([0.0; 3], 2.0, 32, 64));
        check("pebble", 0.0, 1e-3, |s| s.pebble([0.0; 3], 0.05, 17.0));
    }

    #[test]
    fn a_pebble_faces_out_and_a_sheet_faces_up() {
        let mut soup = Soup::new();
        soup.pebble([0.0; 3], 1.0, 10.0);
        assert!(signed_volume(&soup.triangles) > 0.0);
        let mut soup = Soup::new();
        soup.sheet([0.0, 0.0], [2.0, 3.0], 1.0, [2, 3]);
        let area: f64 = soup
            .triangles
            .iter()
            .map(|[a, b, c]| {
                let sub = |p: &[f64; 3]| std::array::from_fn(|k| p[k] - a[k]);
                cross(sub(b), sub(c))[1] * 0.5
            })
            .sum();
        assert!((area - 6.0).abs() < 1e-12);
    }
}
