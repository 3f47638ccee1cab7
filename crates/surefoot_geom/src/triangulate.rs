//! Triangles from polygons with holes, and from points with segments between them.
//!
//! In go lattice points; out come counter-clockwise triangles that name those points by index,
//! every point kept and none added. The result is the constrained Delaunay triangulation: no
//! triangle's circle holds a point that can be seen from inside the triangle. The areas sum up to
//! the polygon's exactly.
//!
//! Contours of a few points, of which there are millions, are cut ear by ear (Meisters, "Polygons
//! have ears", 1975) and flipped to Delaunay on the stack; all else goes through the divide and
//! conquer of the module `delaunay`. A polygon that crosses itself gives an error, never a panic.

use thiserror::Error;

use crate::delaunay::{Delaunay, NONE};
use crate::lattice::LatticePoint;
use crate::polygon::Polygon;
use crate::predicates::{in_circle, orient};

/// Contours with at most this number of points, and no holes, are cut ear by ear.
const EARS_UP_TO: usize = 32;

/// Why there is no triangulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TriangulateError {
    /// Two edges or segments have an inner point in common.
    #[error(
        "the edges ({}, {}) to ({}, {}) and ({}, {}) to ({}, {}) cross (in lattice units); \
         unite the polygon with itself first, which puts a vertex there",
        edge[0].x, edge[0].y, edge[1].x, edge[1].y,
        crossed[0].x, crossed[0].y, crossed[1].x, crossed[1].y
    )]
    Crossing {
        /// The ends of the edge that was to be added, or of the part of it that crosses.
        edge: [LatticePoint; 2],
        /// The ends of the edge it crosses, or of the part of it that is crossed.
        crossed: [LatticePoint; 2],
    },
    /// The contours overlap or turn the wrong way.
    #[error(
        "the contours wind {winding} times around a triangle at ({}, {}) (in lattice units) \
         instead of once or not at all; outer contours must turn counter-clockwise, holes \
         clockwise, and no two may overlap: unite the polygon with itself first",
        at.x, at.y
    )]
    Winding {
        /// A corner of the triangle.
        at: LatticePoint,
        /// How often the contours wind around it, counter-clockwise.
        winding: i32,
    },
    /// A segment names a point that does not exist.
    #[error("segment {segment} ends at point {point}, but there are {points} points")]
    UnknownPoint {
        /// The segment's place in the list.
        segment: usize,
        /// The point it names.
        point: u32,
        /// The number of points.
        points: usize,
    },
    /// More points than `u32` indices of directed edges can serve.
    #[error(
        "{points} points are too many to triangulate at once (at most 2^29); split the polygon"
    )]
    TooManyPoints {
        /// The number of points.
        points: usize,
    },
}

/// The polygon's points in the order in which triangles name them: contour after contour.
pub fn points_in_order(polygon: &Polygon) -> impl Iterator<Item = LatticePoint> + '_ {
    polygon.contours.iter().flatten().copied()
}

/// The constrained Delaunay triangulation of a polygon with holes, as indices into its points in
/// the order of [`points_in_order`].
///
/// Contours may touch themselves and each other in vertices, and vertices may lie on edges; the
/// point has then one name, the index of its first mention, so that triangles around it fit
/// together. A polygon without area has no triangles.
pub fn triangulate_polygon(polygon: &Polygon) -> Result<Vec<[u32; 3]>, TriangulateError> {
    let mut triangles = Vec::new();
    Triangulator::default().polygon_into(polygon, &mut triangles)?;
    Ok(triangles)
}

/// The constrained Delaunay triangulation of the points' convex hull that contains the segments
/// between the given pairs of points.
///
/// Of coincident points the first names all. A segment that runs through a point comes as two
/// edges. Segments that cross are an error. Points on one line have no triangles.
pub fn constrained_delaunay(
    points: &[LatticePoint],
    segments: &[[u32; 2]],
) -> Result<Vec<[u32; 3]>, TriangulateError> {
    let mut triangles = Vec::new();
    Triangulator::default().constrained_into(points, segments, &mut triangles)?;
    Ok(triangles)
}

/// Triangulates one polygon after another in the same storage. Use one for each thread where there
/// are many polygons.
#[derive(Clone, Debug, Default)]
pub struct Triangulator {
    delaunay: Delaunay,
    points: Vec<LatticePoint>,
    name_of: Vec<u32>,
}

impl Triangulator {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a polygon's triangles to `out`; see [`triangulate_polygon`]. After an error `out` is
    /// as it was.
    pub fn polygon_into(
        &mut self,
        polygon: &Polygon,
        out: &mut Vec<[u32; 3]>,
    ) -> Result<(), TriangulateError> {
        if let [contour] = polygon.contours.as_slice()
            && (3..=EARS_UP_TO).contains(&contour.len())
            && cut_ears(contour, out)
        {
            return Ok(());
        }
        self.polygon_by_delaunay(polygon, out)
    }

    fn polygon_by_delaunay(
        &mut self,
        polygon: &Polygon,
        out: &mut Vec<[u32; 3]>,
    ) -> Result<(), TriangulateError> {
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        points.extend(points_in_order(polygon));
        let result = self.wound_around_once(&points, polygon, out);
        self.points = points;
        result
    }

    fn wound_around_once(
        &mut self,
        points: &[LatticePoint],
        polygon: &Polygon,
        out: &mut Vec<[u32; 3]>,
    ) -> Result<(), TriangulateError> {
        check_count(points.len())?;
        self.delaunay.triangulate(points, &mut self.name_of);
        let mut first = 0;
        for contour in &polygon.contours {
            let count = contour.len();
            for i in 0..count {
                let (a, b) = (first + i, first + (i + 1) % count);
                self.insert(points, a, b)?;
            }
            first += count;
        }
        let before = out.len();
        self.delaunay.inner_triangles_into(out).map_err(|(corner, winding)| {
            out.truncate(before);
            TriangulateError::Winding { at: points[corner as usize], winding }
        })
    }

    /// Appends the triangles of points and segments to `out`; see [`constrained_delaunay`]. After
    /// an error `out` is as it was.
    pub fn constrained_into(
        &mut self,
        points: &[LatticePoint],
        segments: &[[u32; 2]],
        out: &mut Vec<[u32; 3]>,
    ) -> Result<(), TriangulateError> {
        check_count(points.len())?;
        for (segment, ends) in segments.iter().enumerate() {
            if let Some(&point) = ends.iter().find(|&&p| p as usize >= points.len()) {
                return Err(TriangulateError::UnknownPoint {
                    segment,
                    point,
                    points: points.len(),
                });
            }
        }
        self.delaunay.triangulate(points, &mut self.name_of);
        for &[a, b] in segments {
            self.insert(points, a as usize, b as usize)?;
        }
        self.delaunay.triangles_into(out);
        Ok(())
    }

    fn insert(
        &mut self,
        points: &[LatticePoint],
        a: usize,
        b: usize,
    ) -> Result<(), TriangulateError> {
        self.delaunay.insert(self.name_of[a], self.name_of[b], 1).map_err(|c| {
            TriangulateError::Crossing {
                edge: c.segment.map(|i| points[i as usize]),
                crossed: c.crossed.map(|i| points[i as usize]),
            }
        })
    }
}

fn check_count(points: usize) -> Result<(), TriangulateError> {
    // Three edges a point, two directions each, and room for those that divide and conquer adds
    // before it deletes others.
    if points > 1 << 29 { Err(TriangulateError::TooManyPoints { points }) } else { Ok(()) }
}

/// Triangulates a small contour and appends the triangles; gives up, with `out` as it was, where
/// the contour is not simple or turns clockwise.
fn cut_ears(contour: &[LatticePoint], out: &mut Vec<[u32; 3]>) -> bool {
    const MAX: usize = EARS_UP_TO;
    let n = contour.len();
    debug_assert!((3..=MAX).contains(&n));
    match *contour {
        [a, b, c] => {
            let simple = orient(a, b, c) > 0;
            if simple {
                out.push([0, 1, 2]);
            }
            return simple;
        }
        [a, b, c, d] => {
            // The sides of each diagonal tell which ones lie inside.
            let (abc, cda) = (orient(a, b, c) > 0, orient(c, d, a) > 0);
            let (bcd, dab) = (orient(b, c, d) > 0, orient(d, a, b) > 0);
            let by_ac = match (abc && cda, bcd && dab) {
                (false, false) => return false,
                (true, false) => true,
                (false, true) => false,
                // Of two Delaunay diagonals on one circle, the one at the first point.
                (true, true) => in_circle(a, b, c, d).is_le(),
            };
            out.extend_from_slice(&if by_ac {
                [[0, 1, 2], [0, 2, 3]]
            } else {
                [[0, 1, 3], [1, 2, 3]]
            });
            return true;
        }
        _ => {}
    }
    if !is_simple(contour) {
        return false;
    }
    // The ring of corners left; beside each, the side of a triangle that lies behind the edge to
    // the next corner (a triangle's index times four plus the side, or none for the border).
    let (mut next, mut prev, mut behind) = ([0_u8; MAX], [0_u8; MAX], [NONE; MAX]);
    for i in 0..n {
        next[i] = ((i + 1) % n) as u8;
        prev[i] = ((i + n - 1) % n) as u8;
    }
    let turn =
        |a: u8, b: u8, c: u8| orient(contour[a as usize], contour[b as usize], contour[c as usize]);
    // Only a corner that is not convex can lie inside an ear, and corners never lose convexity.
    let mut blunt = 0_u32;
    for i in 0..n {
        if turn(prev[i], i as u8, next[i]) <= 0 {
            blunt |= 1 << i;
        }
    }
    let mut triangles = [[0_u8; 3]; MAX];
    let mut across = [[NONE; 3]; MAX];
    let (mut count, mut left) = (0, n);
    let (mut b, mut tried) = (0_u8, 0);
    while left > 3 {
        let (a, c) = (prev[b as usize], next[b as usize]);
        let is_ear = blunt & 1 << b == 0 && {
            let mut others = blunt & !(1 << a | 1 << c);
            let mut clear = true;
            while clear && others != 0 {
                let q = others.trailing_zeros() as u8;
                others &= others - 1;
                clear = turn(a, b, q) < 0 || turn(b, c, q) < 0 || turn(c, a, q) < 0;
            }
            clear
        };
        if !is_ear {
            tried += 1;
            if tried > left {
                return false;
            }
            b = c;
            continue;
        }
        tried = 0;
        put(
            &mut triangles,
            &mut across,
            count,
            [a, b, c],
            [behind[b as usize], NONE, behind[a as usize]],
        );
        behind[a as usize] = (count * 4 + 1) as u32;
        count += 1;
        left -= 1;
        next[a as usize] = c;
        prev[c as usize] = a;
        blunt &= !(1 << b);
        for corner in [a, c] {
            if turn(prev[corner as usize], corner, next[corner as usize]) > 0 {
                blunt &= !(1 << corner);
            } else {
                blunt |= 1 << corner;
            }
        }
        // On with the corner after next, so that ears do not all share one point.
        b = next[c as usize];
    }
    let (a, c) = (prev[b as usize], next[b as usize]);
    if turn(a, b, c) <= 0 {
        return false;
    }
    let sides = [behind[b as usize], behind[c as usize], behind[a as usize]];
    put(&mut triangles, &mut across, count, [a, b, c], sides);
    count += 1;
    flip_to_delaunay(contour, &mut triangles[..count], &mut across[..count]);
    out.extend(triangles[..count].iter().map(|t| t.map(u32::from)));
    true
}

/// Whether no two edges of a small contour have a point in common but the corner between them.
fn is_simple(contour: &[LatticePoint]) -> bool {
    let n = contour.len();
    let corner = |i: usize| contour[if i < n { i } else { i - n }];
    let upwards = |a: LatticePoint, b: LatticePoint| (b.y, b.x) > (a.y, a.x);
    // A contour that always turns left (or runs straight on), and once around, is convex.
    let (mut turns_left, mut rounds) = (true, 0);
    for i in 0..n {
        let (a, b, c) = (corner(i), corner(i + 1), corner(i + 2));
        let turn = orient(a, b, c);
        let (before, after) = (upwards(a, b), upwards(b, c));
        if turn == 0 && (a == b || before != after) {
            return false;
        }
        turns_left &= turn >= 0;
        rounds += u32::from(!before && after);
    }
    if turns_left && rounds == 1 {
        return true;
    }
    let box_of =
        |a: LatticePoint, b: LatticePoint| (a.x.min(b.x), a.y.min(b.y), a.x.max(b.x), a.y.max(b.y));
    for i in 0..n - 2 {
        let (a, b) = (corner(i), corner(i + 1));
        let (lo_x, lo_y, hi_x, hi_y) = box_of(a, b);
        // All edges after the next one; the last is a neighbour of the first.
        for j in i + 2..n - usize::from(i == 0) {
            let (c, d) = (corner(j), corner(j + 1));
            let other = box_of(c, d);
            if other.0 > hi_x || other.1 > hi_y || other.2 < lo_x || other.3 < lo_y {
                continue;
            }
            let parted = |p, q, r, s| {
                let (r, s) = (orient(p, q, r).signum(), orient(p, q, s).signum());
                r != 0 && r == s
            };
            if !parted(a, b, c, d) && !parted(c, d, a, b) {
                return false;
            }
        }
    }
    true
}

/// Stores a triangle; `sides[i]` lies across the edge opposite to corner `i`.
fn put(
    triangles: &mut [[u8; 3]],
    across: &mut [[u32; 3]],
    index: usize,
    corners: [u8; 3],
    sides: [u32; 3],
) {
    triangles[index] = corners;
    across[index] = sides;
    for (side, &other) in sides.iter().enumerate() {
        if other != NONE {
            across[(other / 4) as usize][(other % 4) as usize] = (index * 4 + side) as u32;
        }
    }
}

/// Flips edges between triangles until each is locally Delaunay.
fn flip_to_delaunay(contour: &[LatticePoint], triangles: &mut [[u8; 3]], across: &mut [[u32; 3]]) {
    let at = |i: u8| contour[i as usize];
    // Flips end (each lowers the lifted surface), and passes are few for so few triangles.
    let mut changed = true;
    while changed {
        changed = false;
        for t in 0..triangles.len() {
            for i in 0..3 {
                let other = across[t][i];
                if other == NONE {
                    continue;
                }
                let (u, j) = ((other / 4) as usize, (other % 4) as usize);
                let [a, b, c] = [i, (i + 1) % 3, (i + 2) % 3].map(|k| triangles[t][k]);
                let d = triangles[u][j];
                if in_circle(at(a), at(b), at(c), at(d)).is_le() {
                    continue;
                }
                // The triangles a b c and d c b become a b d and a d c.
                let (ca, ab) = (across[t][(i + 1) % 3], across[t][(i + 2) % 3]);
                let (bd, dc) = (across[u][(j + 1) % 3], across[u][(j + 2) % 3]);
                put(triangles, across, t, [a, b, d], [bd, NONE, ab]);
                put(triangles, across, u, [a, d, c], [dc, ca, NONE]);
                across[t][1] = (u * 4 + 2) as u32;
                across[u][2] = (t * 4 + 1) as u32;
                changed = true;
                break;
            }
        }
    }
}
