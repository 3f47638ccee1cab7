//! What can be seen from a place: the distance to the nearest wall.
//!
//! In goes a place; out comes the nearest wall. The nearest point of any wall is reached by a
//! straight line, so it is enough to look along straight lines: a window is the part of an edge
//! seen from the place, and windows are opened nearest first until the nearest wall is nearer than
//! all of them. What lies in other storeys, or behind a wall, is never looked at.

use super::filter::Tables;
use super::heap::Heap;
use super::locate::Place;
use super::query_mesh::QueryMesh;
use super::ray::passable;
use crate::pieces::{NONE, closest_on_segment};
use glam::DVec2;

/// The part of an edge that can be seen.
#[derive(Clone, Copy, Debug)]
struct Window {
    left: DVec2,
    right: DVec2,
    /// The edge, from the side that is looked into.
    entry: u32,
}

/// Working memory of looking around.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    windows: Vec<Window>,
    heap: Heap,
    /// Edges that the eye lies on and that have been looked through, by run.
    touched: Vec<u32>,
    run: u32,
}

/// The nearest point of the nearest wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWall {
    pub(crate) edge: u32,
    pub(crate) at: DVec2,
    pub(crate) distance_m: f64,
}

/// One look around: from where, and the nearest wall seen so far.
struct Look<'a> {
    mesh: QueryMesh<'a>,
    tables: &'a Tables,
    eye: DVec2,
    best: NearWall,
}

impl Sight {
    /// The nearest wall no farther than `reach_m`.
    pub(crate) fn nearest_wall(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        place: Place,
        reach_m: f64,
    ) -> Option<NearWall> {
        self.windows.clear();
        self.heap.clear();
        self.run = self.run.wrapping_add(1);
        if self.touched.len() < mesh.pieces.edges.len() || self.run == 0 {
            self.touched.clear();
            self.touched.resize(mesh.pieces.edges.len(), 0);
            self.run = self.run.max(1);
        }
        let best = NearWall { edge: NONE, at: place.plan, distance_m: reach_m };
        let mut look = Look { mesh, tables, eye: place.plan, best };
        let pieces = &mesh.pieces;
        for i in pieces.range(place.piece) {
            let (right, left) = pieces.segment(i as u32);
            self.see(&mut look, i, right, left);
        }
        while let Some((distance, number)) = self.heap.pop() {
            if distance >= look.best.distance_m {
                break;
            }
            self.open(&mut look, number);
        }
        (look.best.edge != NONE).then_some(look.best)
    }

    /// Takes note of the part of an edge between `right` and `left`.
    fn see(&mut self, look: &mut Look<'_>, edge: usize, right: DVec2, left: DVec2) {
        let Look { mesh, tables, eye, best } = look;
        let eye = *eye;
        let at = closest_on_segment(right, left, eye);
        let distance_m = at.distance(eye);
        let nearer =
            distance_m < best.distance_m || (best.edge == NONE && distance_m <= best.distance_m);
        if !nearer {
            return;
        }
        if passable(&mesh.pieces, tables, edge) {
            let entry = mesh.pieces.edges[edge].twin;
            if distance_m > 0.0 {
                // A line of sight is all that is left: what lies behind is seen beside it.
                if (right - eye).perp_dot(left - eye) <= 0.0 {
                    return;
                }
            } else if self.touched[edge] == self.run || self.touched[entry as usize] == self.run {
                // Around a vertex on which the eye lies there would be no end.
                return;
            } else {
                self.touched[edge] = self.run;
            }
            self.heap.push(distance_m, self.windows.len() as u32);
            self.windows.push(Window { left, right, entry });
        } else {
            *best = NearWall { edge: edge as u32, at, distance_m };
        }
    }

    /// Looks through a window at the edges behind it.
    fn open(&mut self, look: &mut Look<'_>, number: u32) {
        let Look { mesh, eye, .. } = *look;
        let pieces = &mesh.pieces;
        let Window { left, right, entry } = self.windows[number as usize];
        let range = pieces.range(pieces.edge_pieces[entry as usize]);
        let (to_right, to_left) = (right - eye, left - eye);
        for i in range {
            if i as u32 == entry {
                continue;
            }
            let (mut a, mut b) = pieces.segment(i as u32);
            // Clip to the left of the right ray and to the right of the left one. A ray of no
            // length (the eye on the window's end) clips nothing.
            for (ray, sign) in [(to_right, 1.0), (to_left, -1.0)] {
                let (side_a, side_b) = (sign * ray.perp_dot(a - eye), sign * ray.perp_dot(b - eye));
                if side_a < 0.0 && side_b < 0.0 {
                    (a, b) = (DVec2::NAN, DVec2::NAN);
                } else if side_a < 0.0 {
                    a += (b - a) * (side_a / (side_a - side_b));
                } else if side_b < 0.0 {
                    b = a + (b - a) * (side_a / (side_a - side_b));
                }
            }
            if !a.is_nan() && !b.is_nan() {
                self.see(look, i, a, b);
            }
        }
    }
}
