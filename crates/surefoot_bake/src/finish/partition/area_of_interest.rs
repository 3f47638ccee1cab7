//! What a notch sees of the ground where a portal would split it: its *area of interest*.
//!
//! Goes in: a notch, by the two fixed edges that bound its reflex angle. Comes out: the corners and
//! fixed edges seen from it inside the wedge between the prolongations of those two edges, nearest
//! first. A portal that ends in the wedge leaves two angles of at most half a turn.
//!
//! The walk goes from triangle to triangle through edges that are not fixed, and narrows the wedge to
//! what is seen through each of them; every turn is decided exactly. What it costs grows with the
//! triangles that are nearer than what is looked for, never with the size of the ground. The source
//! renders the scene from every notch for this.

use crate::finish::partition::portal_mesh::{PortalMesh, next, previous};
use crate::surface::plan_units;
use glam::DVec2;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use surefoot_geom::LatticePoint;
use surefoot_geom::predicates::orient;

/// A direction on the lattice; any length above zero.
type Direction = (i64, i64);

fn direction(from: LatticePoint, to: LatticePoint) -> Direction {
    (i64::from(to.x) - i64::from(from.x), i64::from(to.y) - i64::from(from.y))
}

fn cross(a: Direction, b: Direction) -> i128 {
    i128::from(a.0) * i128::from(b.1) - i128::from(a.1) * i128::from(b.0)
}

fn dot(a: Direction, b: Direction) -> i128 {
    i128::from(a.0) * i128::from(b.0) + i128::from(a.1) * i128::from(b.1)
}

fn opposite(d: Direction) -> Direction {
    (-d.0, -d.1)
}

fn same(a: Direction, b: Direction) -> bool {
    cross(a, b) == 0 && dot(a, b) > 0
}

/// The directions from one to another, counter-clockwise, less than half a turn; both belong to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wedge {
    pub(super) right: Direction,
    pub(super) left: Direction,
}

impl Wedge {
    pub(super) fn holds(&self, d: Direction) -> bool {
        if d == (0, 0) {
            return false;
        }
        let (r, l) = (cross(self.right, d), cross(d, self.left));
        if cross(self.right, self.left) == 0 {
            r == 0 && dot(self.right, d) > 0
        } else {
            r >= 0 && l >= 0
        }
    }

    /// Whether it is more than one direction, and less than half a turn.
    pub(super) fn has_width(&self) -> bool {
        cross(self.right, self.left) > 0
    }

    /// The part that two wedges have in common.
    fn meet(&self, other: &Self) -> Option<Self> {
        let right = if other.holds(self.right) {
            self.right
        } else if self.holds(other.right) {
            other.right
        } else {
            return None;
        };
        let left = if other.holds(self.left) { self.left } else { other.left };
        Some(Self { right, left })
    }
}

/// The direction from one point to another.
pub(super) fn towards(from: LatticePoint, to: LatticePoint) -> Direction {
    direction(from, to)
}

/// Whether, seen from `eye`, the second point lies to the left of the first.
pub(super) fn is_left_of(eye: LatticePoint, (first, second): (LatticePoint, LatticePoint)) -> bool {
    orient(eye, first, second) > 0
}

/// A corner whose inner angle is more than half a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notch {
    pub(super) corner: u32,
    pub(super) point: LatticePoint,
    /// Where the fixed edges lead that bound the angle: first and last, counter-clockwise.
    pub(super) first_to: LatticePoint,
    pub(super) last_to: LatticePoint,
    /// Where the triangles of the angle lie in the fan.
    pub(super) in_fan: (u32, u32),
}

impl Notch {
    /// The notch at a corner, if its inner angle, or the part of it that portals have left, is more
    /// than half a turn. The fan is filled in any case.
    pub(super) fn at(mesh: &PortalMesh, corner: u32, fan: &mut Vec<u32>) -> Option<Self> {
        if !mesh.fan(corner, fan) {
            return None;
        }
        let point = mesh.corners[corner as usize].point;
        let mut start = 0;
        for i in 0..fan.len() {
            let end = previous(fan[i]);
            if !mesh.is_fixed(end) {
                continue;
            }
            let (first_to, last_to) = (mesh.to(fan[start]), mesh.from(end));
            let turn = orient(point, first_to, last_to);
            // Triangles have area: edges in one direction bound a whole turn, never none.
            let whole_turn =
                turn == 0 && same(direction(point, first_to), direction(point, last_to));
            if turn < 0 || whole_turn {
                let in_fan = (start as u32, i as u32 + 1);
                return Some(Self { corner, point, first_to, last_to, in_fan });
            }
            start = i + 1;
        }
        None
    }

    pub(super) fn wedge(&self) -> Wedge {
        Wedge {
            right: opposite(direction(self.point, self.last_to)),
            left: opposite(direction(self.point, self.first_to)),
        }
    }

    /// Whether a portal to a point would split the notch into two convex angles.
    pub(super) fn is_split_by(&self, p: LatticePoint) -> bool {
        self.wedge().holds(direction(self.point, p))
    }
}

/// Something seen from a notch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen {
    /// A corner.
    Corner(u32),
    /// A fixed half-edge, and the point on its seen part that lies nearest.
    Edge(u32, DVec2),
}

struct Gate {
    half_edge: u32,
    wedge: Wedge,
    /// The point nearest to the eye on the part of it that lies in the wedge.
    nearest: DVec2,
}

/// Which fixed edges are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// All, in their turn.
    Edges,
    /// The nearest of those, at the end.
    NearestEdge,
}

/// Looks out from notches, one after another, in the same storage.
#[derive(Default)]
pub(super) struct Lookout {
    queue: BinaryHeap<Reverse<u128>>,
    gates: Vec<Gate>,
    /// The least turn of a fixed edge that does not wait in the queue, or [`NO_TURN`].
    nearest_fixed: u128,
}

/// No gate has this turn.
const NO_TURN: u128 = u128::MAX;

/// When a gate's turn comes: by its distance, whose bits are in its order since it is not negative, and
/// among equally far ones by its number.
fn turn_of(far: f64, gate: usize) -> u128 {
    u128::from(far.to_bits()) << 32 | gate as u128
}

/// The distance of a gate and its number.
fn gate_in_turn(turn: u128) -> (f64, usize) {
    (f64::from_bits((turn >> 32) as u64), (turn as u32) as usize)
}

impl Lookout {
    /// Shows what is seen inside a wedge, in the order of the distance at which it may begin, until
    /// `show` says no or `most_gates` edges have been looked through. `show` is given the distance in
    /// units up to which everything has been shown, what is seen and its own distance.
    pub(super) fn look(
        &mut self,
        mesh: &PortalMesh,
        notch: &Notch,
        wedge: Wedge,
        fan: &[u32],
        most_gates: usize,
        show: impl FnMut(f64, Seen, f64) -> bool,
    ) {
        self.look_for(mesh, notch, wedge, fan, (most_gates, Shown::Edges), show);
    }

    /// The same, where it may be enough to know the nearest of all fixed edges.
    pub(super) fn look_for(
        &mut self,
        mesh: &PortalMesh,
        notch: &Notch,
        wedge: Wedge,
        fan: &[u32],
        (most_gates, shown): (usize, Shown),
        mut show: impl FnMut(f64, Seen, f64) -> bool,
    ) {
        self.queue.clear();
        self.gates.clear();
        self.nearest_fixed = NO_TURN;
        let eye = notch.point;
        let at = plan_units(eye);
        let mut before: Option<u32> = None;
        for &h in &fan[notch.in_fan.0 as usize..notch.in_fan.1 as usize] {
            let far = next(h);
            let (a, b) = (mesh.from(far), mesh.to(far));
            let (da, db) = (direction(eye, a), direction(eye, b));
            // Ends that lie in the wedge are seen: nothing is nearer in their direction.
            for (corner, p, d) in [(mesh.corner(far), a, da), (mesh.corner(next(far)), b, db)] {
                if before != Some(corner) && wedge.holds(d) {
                    before = Some(corner);
                    if !show(0.0, Seen::Corner(corner), at.distance(plan_units(p))) {
                        return;
                    }
                }
            }
            // A wedge without width that runs through an end sees that end and nothing beyond.
            if let Some(part) = wedge.meet(&Wedge { right: da, left: db })
                && (cross(part.right, part.left) != 0
                    || (cross(da, part.right) > 0 && cross(part.right, db) > 0))
            {
                self.open(mesh, at, far, part, shown);
            }
        }
        let mut looked = 0;
        // What is opened later may come a little nearer by rounding: an edge whose turn has come stays shown.
        let mut nearest_shown = NO_TURN;
        loop {
            let Some(Reverse(turn)) = self.queue.pop() else {
                nearest_shown = self.nearest_fixed;
                break;
            };
            if self.nearest_fixed < turn {
                nearest_shown = self.nearest_fixed;
            }
            let (reached, index) = gate_in_turn(turn);
            let Gate { half_edge, wedge, nearest } = self.gates[index];
            let Some(entered) = mesh.beyond(half_edge) else {
                if !show(reached, Seen::Edge(half_edge, nearest), reached) {
                    return;
                }
                continue;
            };
            looked += 1;
            if looked > most_gates {
                break;
            }
            let (right_gate, left_gate) = (next(entered), previous(entered));
            let apex = mesh.from(left_gate);
            let d = direction(eye, apex);
            let (from_right, to_left) = (cross(wedge.right, d), cross(d, wedge.left));
            if from_right >= 0 && to_left >= 0 {
                let far = at.distance(plan_units(apex));
                if !show(reached, Seen::Corner(mesh.corner(left_gate)), far) {
                    return;
                }
                if from_right > 0 {
                    self.open(mesh, at, right_gate, Wedge { right: wedge.right, left: d }, shown);
                }
                if to_left > 0 {
                    self.open(mesh, at, left_gate, Wedge { right: d, left: wedge.left }, shown);
                }
            } else if from_right < 0 {
                self.open(mesh, at, left_gate, wedge, shown);
            } else {
                self.open(mesh, at, right_gate, wedge, shown);
            }
        }
        if nearest_shown != NO_TURN {
            let (reached, index) = gate_in_turn(nearest_shown);
            let Gate { half_edge, nearest, .. } = self.gates[index];
            show(reached, Seen::Edge(half_edge, nearest), reached);
        }
    }

    #[inline]
    fn open(&mut self, mesh: &PortalMesh, at: DVec2, half_edge: u32, wedge: Wedge, shown: Shown) {
        let is_fixed = shown == Shown::NearestEdge && mesh.is_fixed(half_edge);
        if is_fixed && self.is_farther_than_nearest(mesh, at, half_edge) {
            return;
        }
        let nearest = nearest_seen(mesh, at, half_edge, wedge);
        let turn = turn_of(nearest.distance(at), self.gates.len());
        self.gates.push(Gate { half_edge, wedge, nearest });
        if is_fixed {
            self.nearest_fixed = self.nearest_fixed.min(turn);
        } else {
            self.queue.push(Reverse(turn));
        }
    }

    /// Whether all of an edge is certainly farther away than the nearest fixed one: the box around it is, by
    /// more than what points on it are rounded by.
    #[inline]
    fn is_farther_than_nearest(&self, mesh: &PortalMesh, at: DVec2, half_edge: u32) -> bool {
        const CERTAIN: f64 = 1.0 + 1e-6;
        if self.nearest_fixed == NO_TURN {
            return false;
        }
        let far = gate_in_turn(self.nearest_fixed).0 + 1.0;
        let (a, b) = (plan_units(mesh.from(half_edge)), plan_units(mesh.to(half_edge)));
        let beside = (a.min(b) - at).max(at - a.max(b)).max(DVec2::ZERO);
        beside.length_squared() > far * far * CERTAIN
    }
}

/// The point nearest to the eye on the part of an edge that lies in a wedge: the foot of the
/// perpendicular, one of the edge's ends, or where a side of the wedge meets it, these five.
fn nearest_seen(mesh: &PortalMesh, at: DVec2, half_edge: u32, wedge: Wedge) -> DVec2 {
    let (a, b) = (plan_units(mesh.from(half_edge)), plan_units(mesh.to(half_edge)));
    let along = b - a;
    let meet = |d: Direction| {
        let d = DVec2::new(d.0 as f64, d.1 as f64);
        let share = (at - a).perp_dot(d) / along.perp_dot(d);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    };
    let (low, high) = (meet(wedge.right), meet(wedge.left));
    let foot = (at - a).dot(along) / along.length_squared();
    a + along * foot.clamp(low.min(high), high.max(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StageContext;
    use crate::finish::partition::outlines::outlines_of_faces;
    use crate::finish::partition::triangulate_outlines::triangulate_outlines;
    use crate::surface::{WalkableSurface, level_face};
    use surefoot_geom::Frame;

    /// A court with teeth on all of its sides.
    fn court_with_teeth() -> PortalMesh {
        let mut corners: Vec<(i32, i32)> = Vec::new();
        let tooth = |k: i32| (k * 1000 - 9000, (k % 2) * (900 + 700 * (k % 3)) - 9000);
        // The four sides: each is the one before it, turned.
        for (sine, cosine) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let turn = |(x, y)| (cosine * x - sine * y, sine * x + cosine * y);
            corners.extend((0..18).map(tooth).map(turn));
        }
        let frame = Frame::with_up([0.0, 0.0, 1.0]).unwrap();
        let surface = WalkableSurface {
            frame,
            faces: vec![level_face(&corners)],
            area_names: vec!["ground".to_owned()],
        };
        let outlines = outlines_of_faces(&surface);
        let triangles = triangulate_outlines(&surface, outlines, &mut StageContext::new()).unwrap();
        PortalMesh::new(&triangles.cells, &triangles.outline_of)
    }

    /// Corners come in the same order, and the nearest of the edges that would be shown is shown, whether
    /// the look ends early or not.
    #[test]
    fn the_nearest_edge_alone_is_the_nearest_of_all() {
        let mesh = court_with_teeth();
        let (mut one, mut other, mut fan) = (Lookout::default(), Lookout::default(), Vec::new());
        let (mut notches, mut cut_short) = (0, 0);
        for corner in 0..mesh.corners.len() as u32 {
            let Some(notch) = Notch::at(&mesh, corner, &mut fan) else { continue };
            notches += 1;
            let mut most_edges = None;
            for most_gates in [0, 1, 2, 3, 5, 8, 13, 40, 4096] {
                let look = |lookout: &mut Lookout, shown: Shown| {
                    let (mut corners, mut edges) = (Vec::new(), Vec::new());
                    let limit = (most_gates, shown);
                    lookout.look_for(&mesh, &notch, notch.wedge(), &fan, limit, |_, seen, far| {
                        match seen {
                            Seen::Corner(c) => corners.push((c, far.to_bits())),
                            Seen::Edge(h, at) => edges.push((far.to_bits(), h, at)),
                        }
                        true
                    });
                    (corners, edges)
                };
                let (corners, edges) = look(&mut one, Shown::Edges);
                let (same_corners, nearest) = look(&mut other, Shown::NearestEdge);
                assert_eq!(corners, same_corners);
                assert!(nearest.len() <= 1);
                let least = |edges: &[(u64, u32, DVec2)]| edges.iter().map(|e| e.0).min();
                assert_eq!(least(&edges), least(&nearest));
                cut_short +=
                    usize::from(most_edges.replace(edges.len()).is_some_and(|m| m < edges.len()));
            }
        }
        assert!(notches > 20 && cut_short > 20, "{notches} notches, {cut_short} cut short");
    }
}
