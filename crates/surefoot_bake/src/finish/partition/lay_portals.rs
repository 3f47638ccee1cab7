//! Partition by notches (Oliva, *Automatic Generation of Suboptimal NavMeshes*, Universitat
//! Politècnica de Catalunya, 2012, chapter 4).
//!
//! Goes in: a triangulation whose borders are fixed. Comes out: the same with portals fixed, so that
//! what lies between fixed edges is convex up to the relaxation. Every notch gets a portal to
//! something in its area of interest: a corner, a new corner on a border, or, where it sees nothing
//! but a portal whose ends lie outside, two portals. Portals end in corners only, so there are no
//! T-shapes.
//!
//! Departures from the source. Portals that split two notches at once are laid first, the shortest
//! before longer ones, since they alone bring the number of cells below notches + 1 − holes. What is
//! seen is found by an exact walk, so nothing laid can cross anything. A corner is preferred to a
//! slightly nearer point on a border: it needs no new corner and leaves no splinter. The ends of the
//! portal that blocks the view need not be seen themselves: the corner seen next to the area of
//! interest takes their place, which is the source's visibility check without a second search. Notches
//! passed over by the relaxation are taken up again wherever a cell would be too deep with them.

use crate::finish::partition::area_of_interest::{
    Lookout, Notch, Seen, Shown, Wedge, is_left_of, towards,
};
use crate::finish::partition::portal_mesh::{Goal, PortalMesh};
use crate::finish::partition::relax::passed_over;
use glam::DVec2;

/// How many edges a notch looks through when it searches for another notch to share a portal with.
const GATES_FOR_PAIRS: usize = 40;

/// How many edges a notch looks through when it searches for the end of its own portal.
const GATES_FOR_ONE: usize = 4096;

/// A corner is worth going this much further than a point on a border would be.
const CORNER_WEIGHT: f64 = 0.7;

/// A notch that the same portal splits is worth going this much further.
const PAIR_WEIGHT: f64 = 0.25;

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PortalCounts {
    /// Notches that portals had to split.
    pub(super) notches: usize,
    /// Portals that split two notches at once.
    pub(super) shared: usize,
    /// Portals beyond the first that a notch needed.
    pub(super) second: usize,
}

/// Lays portals, one after another, in the same storage.
pub(super) struct Layer<'a> {
    pub(super) mesh: &'a mut PortalMesh,
    pub(super) counts: PortalCounts,
    lookout: Lookout,
    fan: Vec<u32>,
    other_fan: Vec<u32>,
    way: Vec<u32>,
    candidates: Vec<(u64, u32, PortalTarget)>,
}

#[derive(Clone, Copy, Debug)]
enum PortalTarget {
    Corner(u32),
    Border(u32, DVec2),
}

/// What came of looking for the best portal in an area of interest.
enum Best {
    Laid,
    /// There is none; the nearest fixed edge seen there, if there is one.
    Nothing {
        blocking: Option<u32>,
    },
}

/// Bits of a corner's number in the key of a pair: a distance squared has 66 at most.
const CORNER_BITS: u32 = 31;

/// Two notches as a number by which pairs are sorted, the nearest first.
fn pair_key(one: &Notch, two: &Notch) -> u128 {
    let (a, b) = (one.corner.min(two.corner), one.corner.max(two.corner));
    debug_assert!(b < 1 << CORNER_BITS);
    let distance2 = one.point.distance2(two.point) as u128;
    (distance2 << CORNER_BITS | u128::from(a)) << CORNER_BITS | u128::from(b)
}

/// The corners of a pair.
fn ends_of_pair(key: u128) -> (u32, u32) {
    let corner = |bits: u128| (bits as u32) & ((1 << CORNER_BITS) - 1);
    (corner(key >> CORNER_BITS), corner(key))
}

impl<'a> Layer<'a> {
    pub(super) fn new(mesh: &'a mut PortalMesh) -> Self {
        Self {
            mesh,
            counts: PortalCounts::default(),
            lookout: Lookout::default(),
            fan: Vec::new(),
            other_fan: Vec::new(),
            way: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Splits every notch that the relaxation does not pass over.
    pub(super) fn split_notches(&mut self, convex_units: f64) {
        let count = self.mesh.corners.len();
        let mut notches: Vec<Option<Notch>> = Vec::with_capacity(count);
        for corner in 0..count as u32 {
            notches.push(Notch::at(self.mesh, corner, &mut self.fan));
        }
        for corner in passed_over(self.mesh, &notches, convex_units) {
            notches[corner as usize] = None;
        }
        self.counts.notches += notches.iter().flatten().count();
        let order = self.lay_shared(&mut notches);
        for (_, corner) in order {
            if notches[corner as usize].is_some() {
                self.split(corner);
            }
        }
    }

    /// Lays portals between notches that one portal splits at once; what is split is `None`
    /// afterwards. Returns all notches in the order of the distance to what they see nearest.
    fn lay_shared(&mut self, notches: &mut [Option<Notch>]) -> Vec<(u64, u32)> {
        let mut pairs: Vec<u128> = Vec::new();
        let mut order: Vec<(u64, u32)> = Vec::new();
        for notch in notches.iter().flatten() {
            let mut nearest = f64::INFINITY;
            self.mesh.fan(notch.corner, &mut self.fan);
            self.lookout.look_for(
                self.mesh,
                notch,
                notch.wedge(),
                &self.fan,
                (GATES_FOR_PAIRS, Shown::NearestEdge),
                |_, seen, distance| {
                    nearest = nearest.min(distance);
                    if let Seen::Corner(other) = seen
                        && let Some(other) = &notches[other as usize]
                        && other.is_split_by(notch.point)
                    {
                        pairs.push(pair_key(notch, other));
                    }
                    true
                },
            );
            order.push((nearest.to_bits(), notch.corner));
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (a, b) in pairs.into_iter().map(ends_of_pair) {
            if let (Some(one), Some(two)) = (notches[a as usize], notches[b as usize])
                && one.is_split_by(two.point)
                && self.mesh.lay_portal(a, b, &mut self.fan, &mut self.way)
            {
                self.counts.shared += 1;
                notches[a as usize] = None;
                notches[b as usize] = None;
            }
        }
        order.sort_unstable();
        order
    }

    /// Splits the notch at a corner, if there is one; says whether none is left.
    pub(super) fn split(&mut self, corner: u32) -> bool {
        // One portal, or two; more only where the second opens nothing but a splinter.
        for attempt in 0..4 {
            let Some(notch) = Notch::at(self.mesh, corner, &mut self.fan) else { return true };
            if attempt > 0 {
                self.counts.second += 1;
            }
            let blocking = match self.lay_best(&notch) {
                Best::Laid => continue,
                Best::Nothing { blocking } => blocking,
            };
            if !blocking.is_some_and(|edge| self.lay_beside(&notch, edge)) {
                return false;
            }
        }
        Notch::at(self.mesh, corner, &mut self.fan).is_none()
    }

    /// Lays the best portal in the area of interest.
    fn lay_best(&mut self, notch: &Notch) -> Best {
        let mut best = f64::INFINITY;
        let mut blocking: Option<u32> = None;
        self.candidates.clear();
        let (mesh, other_fan, candidates) =
            (&*self.mesh, &mut self.other_fan, &mut self.candidates);
        self.lookout.look(
            mesh,
            notch,
            notch.wedge(),
            &self.fan,
            GATES_FOR_ONE,
            |reached, seen, distance| {
                if reached * PAIR_WEIGHT > best {
                    return false;
                }
                let (weight, target) = match seen {
                    Seen::Corner(c) => {
                        let other = Notch::at(mesh, c, other_fan);
                        let shared = other.is_some_and(|o| o.is_split_by(notch.point));
                        (if shared { PAIR_WEIGHT } else { CORNER_WEIGHT }, PortalTarget::Corner(c))
                    }
                    Seen::Edge(h, _) if !mesh.is_border(h) => {
                        blocking.get_or_insert(h);
                        return true;
                    }
                    Seen::Edge(h, at) => {
                        blocking.get_or_insert(h);
                        (1.0, PortalTarget::Border(h, at))
                    }
                };
                best = best.min(distance * weight);
                candidates.push(((distance * weight).to_bits(), candidates.len() as u32, target));
                true
            },
        );
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_unstable_by_key(|c| (c.0, c.1));
        let laid = candidates.iter().any(|&(_, _, target)| self.lay(notch, target));
        self.candidates = candidates;
        if laid { Best::Laid } else { Best::Nothing { blocking } }
    }

    fn lay(&mut self, notch: &Notch, target: PortalTarget) -> bool {
        let corner = notch.corner;
        let end = match target {
            PortalTarget::Corner(end) => end,
            PortalTarget::Border(h, at) => {
                let splits = |q| notch.is_split_by(q);
                let Some(q) = self.mesh.place_on_border(h, at, splits) else { return false };
                let goal = Goal::Edge(h);
                if self.mesh.way(corner, q, goal, &mut self.other_fan, &mut self.way).is_none() {
                    return false;
                }
                self.mesh.split_border(h, q)
            }
        };
        self.mesh.lay_portal(corner, end, &mut self.other_fan, &mut self.way)
    }

    /// Lays a portal to the corner seen nearest beside the area of interest, on the side where it is
    /// nearer; the notch that is left has a wider area of interest.
    fn lay_beside(&mut self, notch: &Notch, blocking: u32) -> bool {
        let wedge = notch.wedge();
        let (right_end, left_end) = (self.mesh.from(blocking), self.mesh.to(blocking));
        let right_side = Wedge { right: towards(notch.point, right_end), left: wedge.right };
        let left_side = Wedge { right: wedge.left, left: towards(notch.point, left_end) };
        let mut found: Vec<(u64, u32)> = Vec::new();
        for (side, is_right) in [(right_side, true), (left_side, false)] {
            if !side.has_width() {
                continue;
            }
            let mut best: Option<(u32, u64)> = None;
            self.mesh.fan(notch.corner, &mut self.fan);
            let mesh = &*self.mesh;
            self.lookout.look(mesh, notch, side, &self.fan, GATES_FOR_ONE, |_, seen, distance| {
                if let Seen::Corner(c) = seen {
                    let p = mesh.corners[c as usize].point;
                    let better = best.is_none_or(|(b, _)| {
                        let b = mesh.corners[b as usize].point;
                        is_left_of(notch.point, if is_right { (b, p) } else { (p, b) })
                    });
                    let on_border = p == notch.first_to || p == notch.last_to;
                    if better && !on_border {
                        best = Some((c, distance.to_bits()));
                    }
                }
                true
            });
            found.extend(best.map(|(c, distance)| (distance, c)));
        }
        found.sort_unstable();
        found
            .into_iter()
            .any(|(_, c)| self.mesh.lay_portal(notch.corner, c, &mut self.fan, &mut self.way))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_geom::LatticePoint;

    /// Pairs come by distance, then by their corners, as far apart as the lattice allows.
    #[test]
    fn keys_of_pairs_are_in_the_order_of_distances() {
        let most = i32::MAX;
        let points = [[0, 0], [3, 4], [-most, -most], [most, most], [5, 0], [0, 5], [most, 7]];
        let notch = |(corner, at): (u32, &[i32; 2])| {
            let point = LatticePoint::new(at[0], at[1]);
            Notch { corner, point, first_to: point, last_to: point, in_fan: (0, 0) }
        };
        let numbers = [9, 0, (1 << CORNER_BITS) - 1, 1 << 30, 7, 2, 77];
        let notches: Vec<Notch> = numbers.into_iter().zip(&points).map(notch).collect();
        let mut pairs = Vec::new();
        for one in &notches {
            for two in notches.iter().filter(|two| two.corner != one.corner) {
                let ends = (one.corner.min(two.corner), one.corner.max(two.corner));
                let key = pair_key(one, two);
                assert_eq!(ends_of_pair(key), ends);
                pairs.push(((one.point.distance2(two.point), ends), key));
            }
        }
        pairs.sort_unstable();
        assert!(pairs.is_sorted_by_key(|pair| pair.1));
        pairs.dedup();
        assert_eq!(pairs.len(), 21);
    }
}
