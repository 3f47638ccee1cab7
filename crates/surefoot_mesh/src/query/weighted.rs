//! Where costs differ: moving the crossings of a corridor to where they are cheapest.
//!
//! Two small optimisations over a corridor that is already chosen. [`Relaxation`] takes portals and
//! the cost of the ground between them and moves one crossing at a time to its best place (the sum
//! of weighted lengths is convex in all crossings, so every step lowers it). [`LinkPlaces`] moves
//! the place at which a link is taken along its segments, with the taut way before and after it
//! measured anew each time. Both end after a fixed number of rounds; neither ever makes the way
//! worse than it was.

use super::corridor::{Crossing, fill_portals, stretch_length};
use super::filter::Tables;
use super::funnel::{Corner, Funnel, Portal};
use super::query_mesh::QueryMesh;
use crate::pieces::LinkSample;
use crate::validate::LINK_PLAN_TOLERANCE_M;
use glam::DVec2;

/// Rounds over all crossings of a corridor.
const RELAXATION_ROUNDS: usize = 60;

/// Halvings of the range in which the best place of a crossing is looked for.
const SECTION_STEPS: usize = 30;

/// How far a point of a link may lie off its piece to be used, in metres; links may lie off their
/// cells by as much.
const LINK_SLACK_M: f64 = LINK_PLAN_TOLERANCE_M;

/// Finds the least value of a convex function between 0 and 1.
fn least_share(mut f: impl FnMut(f64) -> f64, steps: usize) -> f64 {
    // The golden section keeps one of its two inner points from step to step.
    const SECTION: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (0.0, 1.0);
    let (mut a, mut b) = (1.0 - SECTION, SECTION);
    let (mut fa, mut fb) = (f(a), f(b));
    for _ in 0..steps {
        if fa <= fb {
            high = b;
            (b, fb) = (a, fa);
            a = high - (high - low) * SECTION;
            fa = f(a);
        } else {
            low = a;
            (a, fa) = (b, fb);
            b = low + (high - low) * SECTION;
            fb = f(b);
        }
    }
    let middle = 0.5 * (low + high);
    // The ends are common answers and never quite reached.
    let mut best = (f(middle), middle);
    for end in [0.0, 1.0] {
        let value = f(end);
        if value <= best.0 {
            best = (value, end);
        }
    }
    best.1
}

/// Crossings of a corridor on their way to the cheapest.
#[derive(Clone, Debug, Default)]
pub(super) struct Relaxation {
    points: Vec<DVec2>,
}

impl Relaxation {
    /// Moves crossings from the middles of their portals to where the way is cheapest; `cost(i)` is
    /// that of the ground before portal `i`. Returns whether the result is cheaper than `taut`, the
    /// points of the shortest way with the portals they lie on.
    pub(super) fn run(
        &mut self,
        from: DVec2,
        to: DVec2,
        portals: &[Portal],
        taut: impl Iterator<Item = (u32, DVec2)>,
        cost: impl Fn(usize) -> f64,
    ) -> bool {
        self.points.clear();
        self.points.extend(portals.iter().map(|p| (p.left + p.right) * 0.5));
        let n = portals.len();
        for _ in 0..RELAXATION_ROUNDS {
            let mut moved = 0.0_f64;
            for i in 0..n {
                let before = if i == 0 { from } else { self.points[i - 1] };
                let after = if i + 1 == n { to } else { self.points[i + 1] };
                let Portal { left, right } = portals[i];
                let (cost_before, cost_after) = (cost(i), cost(i + 1));
                let share = least_share(
                    |s| {
                        let p = right + (left - right) * s;
                        cost_before * before.distance(p) + cost_after * p.distance(after)
                    },
                    SECTION_STEPS,
                );
                let p = right + (left - right) * share;
                moved = moved.max(p.distance(self.points[i]));
                self.points[i] = p;
            }
            if moved < 1e-6 {
                break;
            }
        }
        let mut taut_cost = 0.0;
        let (mut at, mut ground) = (from, 0);
        for (portal, p) in taut {
            taut_cost += cost(ground) * at.distance(p);
            (at, ground) = (p, portal as usize + 1);
        }
        taut_cost += cost(n) * at.distance(to);
        let mut own_cost = 0.0;
        let mut at = from;
        for (i, &p) in self.points.iter().enumerate() {
            own_cost += cost(i) * at.distance(p);
            at = p;
        }
        own_cost += cost(n) * at.distance(to);
        own_cost < taut_cost
    }

    /// The crossings, one for each portal.
    pub(super) fn crossings(&self) -> impl Iterator<Item = DVec2> + '_ {
        self.points.iter().copied()
    }
}

/// The links of a corridor with the places at which they are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkPlaces {
    pub(super) all: Vec<LinkSample>,
    funnel: Funnel,
    portals_before: Vec<Portal>,
    portals_after: Vec<Portal>,
    corners: Vec<Corner>,
}

impl LinkPlaces {
    /// Takes the links of a corridor at the places that the search has tried.
    pub(super) fn take(&mut self, mesh: QueryMesh<'_>, corridor: &[Crossing]) {
        self.all.clear();
        let samples = &mesh.pieces.link_samples;
        if !samples.is_empty() {
            self.all.extend(corridor.iter().filter_map(|c| c.as_link()).map(|s| samples[s]));
        }
    }

    /// Moves the places along their links' segments to where the way between two ends is shortest.
    pub(super) fn improve(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        [start, goal]: [DVec2; 2],
        corridor: &[Crossing],
    ) {
        // A second round lets links that follow one another settle.
        for _ in 0..2 {
            let mut from = start;
            let mut rest = corridor;
            for k in 0..self.all.len() {
                let length = stretch_length(rest);
                let after = &rest[length + 1..];
                let to = self.all.get(k + 1).map_or(goal, |l| l.from);
                fill_portals(mesh, &rest[..length], &mut self.portals_before);
                fill_portals(mesh, &after[..stretch_length(after)], &mut self.portals_after);
                let old = self.all[k];
                let moved = |share: f64| moved_link(mesh, &old, share);
                let old_cost = self.cost_of_way(tables, from, to, &old);
                let share = least_share(
                    |s| moved(s).map_or(f64::INFINITY, |l| self.cost_of_way(tables, from, to, &l)),
                    SECTION_STEPS,
                );
                if let Some(new) = moved(share)
                    && self.cost_of_way(tables, from, to, &new) < old_cost
                {
                    self.all[k] = new;
                }
                from = self.all[k].to;
                rest = after;
            }
        }
    }

    /// The cost of the taut way through the portals before a link, the link, and those after it.
    fn cost_of_way(&mut self, tables: &Tables, from: DVec2, to: DVec2, link: &LinkSample) -> f64 {
        let mut length = tables.link_cost(link.link, link.length_m).unwrap_or(f64::INFINITY);
        for (a, b, portals) in
            [(from, link.from, &self.portals_before), (link.to, to, &self.portals_after)]
        {
            self.corners.clear();
            self.funnel.run(a, b, portals, &mut self.corners);
            let mut at = a;
            for c in &self.corners {
                length += at.distance(c.at);
                at = c.at;
            }
            length += at.distance(b);
        }
        length
    }
}

/// The same link taken at another share of its segments, if both ends stay in their pieces.
fn moved_link(mesh: QueryMesh<'_>, sample: &LinkSample, share: f64) -> Option<LinkSample> {
    let link = &mesh.links()[sample.link as usize];
    let at = |segment: [[f32; 3]; 2]| -> [f64; 3] {
        std::array::from_fn(|k| {
            let (a, b) = (f64::from(segment[0][k]), f64::from(segment[1][k]));
            a + (b - a) * share
        })
    };
    let (mut from, mut to) = (at(link.from_segment), at(link.to_segment));
    if sample.backwards {
        std::mem::swap(&mut from, &mut to);
    }
    let place = |piece: u32, p: [f64; 3]| {
        let plan = DVec2::new(p[0], p[1]);
        let q = mesh.pieces.closest(piece, plan);
        (q.distance(plan) <= LINK_SLACK_M).then_some(q)
    };
    Some(LinkSample {
        share,
        from: place(sample.from_piece, from)?,
        to: place(sample.to_piece, to)?,
        length_m: glam::DVec3::from(from).distance(glam::DVec3::from(to)),
        ..*sample
    })
}
