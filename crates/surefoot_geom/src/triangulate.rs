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
    if let [contour] = polygon.contours.as_slice()
        && (3..=EARS_UP_TO).contains(&contour.len())
        && let Some(triangles) = triangulate_small(contour)
    {
        return Ok(triangles);
    }
    let points: Vec<_> = points_in_order(polygon).collect();
    let mut net = Net::of(&points)?;
    let mut first = 0;
    for contour in &polygon.contours {
        let count = contour.len();
        for i in 0..count {
            net.insert(first + i, first + (i + 1) % count)?;
        }
        first += count;
    }
    net.delaunay.inner_triangles().map_err(|(corner, winding)| TriangulateError::Winding {
        at: points[corner as usize],
        winding,
    })
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
    for (segment, ends) in segments.iter().enumerate() {
        if let Some(&point) = ends.iter().find(|&&p| p as usize >= points.len()) {
            return Err(TriangulateError::UnknownPoint { segment, point, points: points.len() });
        }
    }
    let mut net = Net::of(points)?;
    for &[a, b] in segments {
        net.insert(a as usize, b as usize)?;
    }
    Ok(net.delaunay.triangles())
}

/// The triangulation of some points, into which segments are put one by one.
struct Net<'a> {
    points: &'a [LatticePoint],
    /// For each point the first one in the same place.
    name_of: Vec<u32>,
    delaunay: Delaunay,
}

impl<'a> Net<'a> {
    fn of(points: &'a [LatticePoint]) -> Result<Self, TriangulateError> {
        // Three edges a point, two directions each, and room for those that divide and conquer
        // adds before it deletes others.
        if points.len() > 1 << 29 {
            return Err(TriangulateError::TooManyPoints { points: points.len() });
        }
        let (delaunay, name_of) = Delaunay::of(points);
        Ok(Self { points, name_of, delaunay })
    }

    fn insert(&mut self, a: usize, b: usize) -> Result<(), TriangulateError> {
        self.delaunay.insert(self.name_of[a], self.name_of[b], 1).map_err(|c| {
            TriangulateError::Crossing {
                edge: c.segment.map(|i| self.points[i as usize]),
                crossed: c.crossed.map(|i| self.points[i as usize]),
            }
        })
    }
}

/// Triangulates a small contour; `None` where it is not simple or turns clockwise.
fn triangulate_small(contour: &[LatticePoint]) -> Option<Vec<[u32; 3]>> {
    match *contour {
        [a, b, c] => (orient(a, b, c) > 0).then(|| vec![[0, 1, 2]]),
        [a, b, c, d] => {
            // The sides of each diagonal tell which ones lie inside.
            let (abc, cda) = (orient(a, b, c) > 0, orient(c, d, a) > 0);
            let (bcd, dab) = (orient(b, c, d) > 0, orient(d, a, b) > 0);
            let by_ac = match (abc && cda, bcd && dab) {
                (false, false) => return None,
                (true, false) => true,
                (false, true) => false,
                // Of two Delaunay diagonals on one circle, the one at the first point.
                (true, true) => in_circle(a, b, c, d).is_le(),
            };
            Some(if by_ac { vec![[0, 1, 2], [0, 2, 3]] } else { vec![[0, 1, 3], [1, 2, 3]] })
        }
        _ if is_simple(contour) => cut_ears(contour),
        _ => None,
    }
}

/// Triangulates a small simple contour of five corners or more; `None` where it turns clockwise.
fn cut_ears(contour: &[LatticePoint]) -> Option<Vec<[u32; 3]>> {
    const MAX: usize = EARS_UP_TO;
    let n = contour.len();
    debug_assert!((3..=MAX).contains(&n));
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
    let mut ears = Ears { count: 0, corners: [[0; 3]; MAX], across: [[NONE; 3]; MAX] };
    let mut left = n;
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
                return None;
            }
            b = c;
            continue;
        }
        tried = 0;
        let ear = ears.add([a, b, c], [behind[b as usize], NONE, behind[a as usize]]);
        behind[a as usize] = ear * 4 + 1;
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
        return None;
    }
    ears.add([a, b, c], [behind[b as usize], behind[c as usize], behind[a as usize]]);
    ears.flip_to_delaunay(contour);
    Some(ears.corners[..ears.count].iter().map(|t| t.map(u32::from)).collect())
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

/// The triangles of a small contour, on the stack.
struct Ears {
    count: usize,
    corners: [[u8; 3]; EARS_UP_TO],
    /// `across[t][i]` lies across the edge opposite to corner `i`: a triangle's index times four
    /// plus the side, or none for the border.
    across: [[u32; 3]; EARS_UP_TO],
}

impl Ears {
    /// Adds a triangle and tells its index.
    fn add(&mut self, corners: [u8; 3], sides: [u32; 3]) -> u32 {
        let index = self.count;
        self.count += 1;
        self.put(index, corners, sides);
        index as u32
    }

    /// Stores a triangle, and tells those across its sides.
    fn put(&mut self, index: usize, corners: [u8; 3], sides: [u32; 3]) {
        self.corners[index] = corners;
        self.across[index] = sides;
        for (side, &other) in sides.iter().enumerate() {
            if other != NONE {
                self.across[(other / 4) as usize][(other % 4) as usize] = (index * 4 + side) as u32;
            }
        }
    }

    /// Flips edges between triangles until each is locally Delaunay.
    fn flip_to_delaunay(&mut self, contour: &[LatticePoint]) {
        let at = |i: u8| contour[i as usize];
        // Flips end (each lowers the lifted surface), and passes are few for so few triangles.
        let mut changed = true;
        while changed {
            changed = false;
            for t in 0..self.count {
                for i in 0..3 {
                    let other = self.across[t][i];
                    if other == NONE {
                        continue;
                    }
                    let (u, j) = ((other / 4) as usize, (other % 4) as usize);
                    let [a, b, c] = [i, (i + 1) % 3, (i + 2) % 3].map(|k| self.corners[t][k]);
                    let d = self.corners[u][j];
                    if in_circle(at(a), at(b), at(c), at(d)).is_le() {
                        continue;
                    }
                    // The triangles a b c and d c b become a b d and a d c.
                    let (ca, ab) = (self.across[t][(i + 1) % 3], self.across[t][(i + 2) % 3]);
                    let (bd, dc) = (self.across[u][(j + 1) % 3], self.across[u][(j + 2) % 3]);
                    self.put(t, [a, b, d], [bd, NONE, ab]);
                    self.put(u, [a, d, c], [dc, ca, NONE]);
                    self.across[t][1] = (u * 4 + 2) as u32;
                    self.across[u][2] = (t * 4 + 1) as u32;
                    changed = true;
                    break;
                }
            }
        }
    }
}
