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

use crate::partition::portal_mesh::{PortalMesh, next, previous};
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

/// Looks out from notches, one after another, in the same storage.
#[derive(Default)]
pub(super) struct Lookout {
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    gates: Vec<Gate>,
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
        mut show: impl FnMut(f64, Seen, f64) -> bool,
    ) {
        self.queue.clear();
        self.gates.clear();
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
                self.open(mesh, at, far, part);
            }
        }
        let mut looked = 0;
        while let Some(Reverse((bits, index))) = self.queue.pop() {
            let reached = f64::from_bits(bits);
            let Gate { half_edge, wedge, nearest } = self.gates[index as usize];
            if mesh.is_fixed(half_edge) {
                if !show(reached, Seen::Edge(half_edge, nearest), reached) {
                    return;
                }
                continue;
            }
            looked += 1;
            if looked > most_gates {
                return;
            }
            let entered = mesh.twin(half_edge);
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
                    self.open(mesh, at, right_gate, Wedge { right: wedge.right, left: d });
                }
                if to_left > 0 {
                    self.open(mesh, at, left_gate, Wedge { right: d, left: wedge.left });
                }
            } else if from_right < 0 {
                self.open(mesh, at, left_gate, wedge);
            } else {
                self.open(mesh, at, right_gate, wedge);
            }
        }
    }

    fn open(&mut self, mesh: &PortalMesh, at: DVec2, half_edge: u32, wedge: Wedge) {
        let nearest = nearest_seen(mesh, at, half_edge, wedge);
        // Distances are not negative, so their bits are in their order.
        let far = nearest.distance(at).to_bits();
        self.queue.push(Reverse((far, self.gates.len() as u32)));
        self.gates.push(Gate { half_edge, wedge, nearest });
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
