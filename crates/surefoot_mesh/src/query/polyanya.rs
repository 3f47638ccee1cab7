//! Polyanya: the optimal any-angle search, on the cells as they are.
//!
//! In go start and goal; out comes the corridor that holds the shortest path in plan. It follows
//! Cui, Harabor and Grastien (2017): a node is an *interval* of an edge with its *root*, the last
//! corner before it, from which all of the interval is seen; its estimate is the length of the
//! shortest way from the root through the interval to the goal, as if the rest were free. What lies
//! behind a node, its observable and its non-observable successors, is found in `successors`. Where
//! it departs: roots are fans, not points, so that storeys above one another, thin walls and spirals
//! keep apart; a goal's piece needs no final node, since the estimate of an interval before it is
//! exact; crossings off the way between start and goal (see `biconnected`) are never looked at;
//! links are taken at sampled points, each of which starts a new root.
//!
//! Intervals are cut with rounded arithmetic, but which edges and corners belong to them is kept by
//! number, and the pieces around an edge are always partitioned among the successors, so rounding
//! cannot lose a way; it can move an interval's end by a few units in the last place.

use super::corridor::Crossing;
use super::filter::Tables;
use super::funnel::Corner;
use super::interval::{Interval, SightLine};
use super::locate::Place;
use super::query_mesh::QueryMesh;
use super::search::{Outcome, Reached, Search};
use crate::pieces::{NONE, closest_on_segment};
use glam::DVec2;

/// Relative difference below which two lengths count as equal when roots are compared.
pub(super) const SAME_LENGTH: f64 = 1e-12;

/// The most steps that one search takes before A* is asked instead: 67 million, half a gigabyte.
const MAX_STEPS: usize = 1 << 26;

/// The most nodes that wait at once, and the most roots: behind one interval there can be as many as a
/// cell has edges. Eight million of either, less than a gigabyte.
const MAX_KEPT: usize = 1 << 23;

/// How far from a vertex the start may lie and still be on it, in metres.
const ON_VERTEX_M: f64 = 1e-7;

/// A place where the path has turned, or where it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) at: DVec2,
    /// The length of the way up to here.
    pub(super) length: f64,
    /// The straight distance to the goal.
    pub(super) to_goal: f64,
    /// The fan it lies on; [`NONE`] for the start and the ends of links.
    pub(super) fan: u32,
    /// The piece in which the path turned, where turning around a closed fan must end.
    pub(super) piece: u32,
    /// Whether the straight way from here to the goal has been tried.
    pub(super) tried: bool,
    /// The root before it.
    pub(super) before: u32,
    /// The step behind which the path turned here.
    pub(super) step: u32,
}

/// An interval with the root that it is seen from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) interval: Interval,
    pub(super) root: u32,
    /// The step of the trail before it.
    pub(super) before: u32,
    /// The edge through which the piece is entered, as an edge of its own; [`NONE`] for a link.
    pub(super) entry: u32,
    /// The piece that is entered.
    pub(super) piece: u32,
}

/// What is left of a node that has been looked behind: enough to find the way back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    crossing: Crossing,
    before: u32,
}

/// The shortest way to a fan, and what it was reached from where paths turn there to the left and to
/// the right; [`NONE`] where none does yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    pub(super) length: f64,
    pub(super) run: u32,
    pub(super) by: [u32; 2],
}

impl Turned {
    const NEVER: Self = Self { length: f64::INFINITY, run: 0, by: [NONE; 2] };

    #[inline]
    pub(super) fn length(&self, run: u32) -> f64 {
        if self.run == run { self.length } else { f64::INFINITY }
    }
}

/// The search with its working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polyanya {
    pub(crate) search: Search,
    /// Nodes that wait in the heap, and places of nodes that no longer do.
    nodes: Vec<Node>,
    free: Vec<u32>,
    trail: Vec<Step>,
    pub(super) roots: Vec<Root>,
    pub(super) fans: Vec<Turned>,
    /// The shortest way known to each vertex, by its fan, and the root that it is seen from.
    pub(super) sights: Vec<Reached>,
    pub(super) link_samples: Vec<Reached>,
    /// Keys and places of the nodes that the last expansion has brought; a key that is not worked out
    /// yet is no number.
    fresh: Vec<(f64, u32)>,
    /// The most steps, and the most nodes or roots at once, that the mesh may ask for.
    most_steps: usize,
    most_kept: usize,
    /// The least estimate of an interval before the goal's piece.
    pub(super) goal_length: f64,
    /// Whether there is no goal, and all within a distance is looked at.
    pub(super) flooding: bool,
    /// The distance of each cell in a flood.
    pub(super) flooded: Vec<Reached>,
}

/// One expansion: where the node's successors lie, and the step that leads to them.
pub(super) struct Expansion<'a> {
    pub(super) mesh: QueryMesh<'a>,
    pub(super) tables: &'a Tables,
    pub(super) step: u32,
    pub(super) piece: u32,
}

impl Polyanya {
    /// Prepares a run between two places of one component.
    pub(crate) fn begin(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        start: Place,
        goal: Place,
    ) {
        self.search.begin(mesh, tables, start, goal);
        self.flooding = false;
        self.goal_length = f64::INFINITY;
        self.forget_old_runs();
    }

    /// Prepares a run to everything within a distance.
    pub(super) fn begin_flood(&mut self, mesh: QueryMesh<'_>, start: Place, limit_m: f64) {
        self.search.begin_without_goal(mesh, start);
        self.flooding = true;
        self.goal_length = limit_m;
        self.forget_old_runs();
    }

    fn forget_old_runs(&mut self) {
        if self.search.is_first_run() {
            self.fans.fill(Turned::NEVER);
            self.sights.fill(Reached::NEVER);
            self.link_samples.fill(Reached::NEVER);
            self.flooded.fill(Reached::NEVER);
        }
    }

    /// Starts the search after [`Polyanya::begin`] or [`Polyanya::begin_flood`].
    pub(crate) fn start(&mut self, mesh: QueryMesh<'_>, tables: &Tables) {
        self.nodes.clear();
        self.free.clear();
        self.trail.clear();
        self.roots.clear();
        self.fresh.clear();
        let fans = mesh.pieces.fan_count as usize;
        if self.fans.len() < fans {
            self.fans.resize(fans, Turned::NEVER);
            self.sights.resize(fans, Reached::NEVER);
        }
        let edges = mesh.pieces.edges.len();
        self.most_steps = (10_000 + 256 * edges).min(MAX_STEPS);
        self.most_kept = (10_000 + 64 * edges).min(MAX_KEPT);
        let samples = mesh.pieces.link_samples.len();
        if self.link_samples.len() < samples {
            self.link_samples.resize(samples, Reached::NEVER);
        }
        // A start right beside a vertex is on it: the views along the edges that meet there must not
        // depend on which side of them rounding puts it. The funnel knows the start as it is.
        let Search { start, goal, start_piece: piece, .. } = self.search;
        let corners = mesh.pieces.range(piece).map(|i| mesh.pieces.edges[i].start());
        let vertex =
            corners.into_iter().find(|v| v.distance_squared(start) < ON_VERTEX_M * ON_VERTEX_M);
        let start = vertex.unwrap_or(start);
        self.roots.push(Root {
            at: start,
            length: 0.0,
            to_goal: start.distance(goal),
            fan: NONE,
            piece,
            tried: true,
            before: NONE,
            step: NONE,
        });
        self.see_all(&Expansion { mesh, tables, step: NONE, piece }, 0);
        if self.flooding {
            self.push_fresh(tables);
        }
    }

    /// Goes on for at most `limit` nodes.
    pub(crate) fn run(&mut self, mesh: QueryMesh<'_>, tables: &Tables, limit: u64) -> Outcome {
        let mut left = limit;
        if left == 0 {
            return Outcome::Paused;
        }
        loop {
            let next = self.next_of_fresh(tables).or_else(|| self.search.heap.pop());
            let Some((key, place)) = next else { return Outcome::Exhausted };
            let node = self.take_node(place);
            if node.piece == self.search.goal_piece {
                self.collect(mesh, &node, false);
                return Outcome::Found;
            }
            let root = self.roots[node.root as usize];
            if self.is_stale(&root) || self.is_node_outdone(mesh, tables, &node, &root) {
                continue;
            }
            if !root.tried && self.sees_goal(mesh, tables, &node, &root, key) {
                self.collect(mesh, &node, true);
                self.search.corridor.extend_from_slice(&self.search.walked);
                return Outcome::Found;
            }
            left -= 1;
            self.look_behind(mesh, tables, &node, &root);
            if self.is_astray() {
                return Outcome::Exhausted;
            }
            if left == 0 {
                self.push_fresh(tables);
                return Outcome::Paused;
            }
        }
    }

    /// Takes the nearest node of a flood and looks behind it; returns the piece it leads into and
    /// its distance.
    pub(super) fn step_flood(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
    ) -> Option<(f64, u32)> {
        if self.is_astray() {
            return None;
        }
        let (distance, place) = self.search.heap.pop()?;
        let node = self.take_node(place);
        let root = self.roots[node.root as usize];
        if !self.is_stale(&root) {
            self.look_behind(mesh, tables, &node, &root);
            self.push_fresh(tables);
        }
        Some((distance, node.piece))
    }

    /// Whether the goal lies straight ahead of a node's root, with nothing in between, and no other
    /// node can lead to a shorter way. Tried once for each root: there is one such line.
    fn sees_goal(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        node: &Node,
        root: &Root,
        key: f64,
    ) -> bool {
        let key = if key.is_nan() { self.key_of(tables, node) } else { key };
        if key > self.search.heap.least_key() || tables.least_factor < 1.0 {
            return false;
        }
        let straight = root.length + root.to_goal;
        if key > straight * (1.0 + SAME_LENGTH) {
            return false;
        }
        self.roots[node.root as usize].tried = true;
        self.search.walk_to_goal(mesh, tables, root.at, node.piece)
    }

    /// Whether a shorter way to a root has been found since it was made.
    fn is_stale(&self, root: &Root) -> bool {
        root.fan != NONE
            && self.fans[root.fan as usize].length(self.search.run)
                < root.length * (1.0 - SAME_LENGTH)
    }

    /// Finds the successors of a node, whose step joins the trail.
    #[inline]
    fn look_behind(&mut self, mesh: QueryMesh<'_>, tables: &Tables, node: &Node, root: &Root) {
        self.search.nodes += 1;
        let step = self.trail.len() as u32;
        self.trail.push(Step { crossing: node.interval.crossing, before: node.before });
        let expansion = Expansion { mesh, tables, step, piece: node.piece };
        if node.entry == NONE {
            self.see_all(&expansion, node.root);
        } else {
            self.expand(&expansion, node, root);
        }
    }

    /// Whether there are more steps than any mesh brings about, however it is made: then rounding
    /// has led the search in a circle, and it is to end. Also where they would take up too much
    /// memory.
    fn is_astray(&self) -> bool {
        self.trail.len() > self.most_steps
            || self.nodes.len().max(self.roots.len()) > self.most_kept
    }

    /// Takes a node out of its place, which becomes free.
    #[inline]
    fn take_node(&mut self, place: u32) -> Node {
        self.free.push(place);
        self.nodes[place as usize]
    }

    /// Keeps a node for when the expansion is done. A key that is no number is worked out when it
    /// is known that there are other nodes.
    #[inline]
    pub(super) fn keep(&mut self, key: f64, node: Node) {
        let place = if let Some(place) = self.free.pop() {
            self.nodes[place as usize] = node;
            place
        } else {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        };
        self.fresh.push((key, place));
    }

    /// The least length of a way from the start through a node to the goal.
    #[inline(always)]
    fn key_of(&self, tables: &Tables, node: &Node) -> f64 {
        let root = &self.roots[node.root as usize];
        let rest = if self.flooding {
            let Interval { left, right, .. } = node.interval;
            closest_on_segment(right, left, root.at).distance(root.at)
        } else {
            node.interval.estimate(root.at, root.to_goal, self.search.goal)
        };
        let factor = if node.piece == self.search.goal_piece { 1.0 } else { tables.least_factor };
        root.length + rest * factor
    }

    /// Works out the keys that are still missing.
    #[inline(always)]
    fn weigh_fresh(&mut self, tables: &Tables) {
        for i in 0..self.fresh.len() {
            let (mut key, place) = self.fresh[i];
            let node = &self.nodes[place as usize];
            if key.is_nan() {
                key = self.key_of(tables, node);
                self.fresh[i].0 = key;
            }
            if node.piece == self.search.goal_piece && key < self.goal_length {
                self.goal_length = key;
            }
        }
    }

    /// Puts the nodes that the last expansion has brought into the heap.
    fn push_fresh(&mut self, tables: &Tables) {
        self.weigh_fresh(tables);
        for &(key, place) in &self.fresh {
            if key <= self.goal_length {
                self.search.heap.push(key, place);
            } else {
                self.free.push(place);
            }
        }
        self.fresh.clear();
    }

    /// The same but for a node that would come out again at once: one that is the only one to come
    /// next, whose key need not be known for that, or one that comes before all others.
    #[inline(always)]
    fn next_of_fresh(&mut self, tables: &Tables) -> Option<(f64, u32)> {
        if self.fresh.is_empty() {
            return None;
        }
        if let [only] = self.fresh[..]
            && self.goal_length.is_infinite()
            && self.nodes[only.1 as usize].piece != self.search.goal_piece
        {
            self.fresh.clear();
            return Some(only);
        }
        self.weigh_fresh(tables);
        let least_key = self.search.heap.least_key();
        let mut best: Option<(f64, u32)> = None;
        for &fresh in &self.fresh {
            if fresh.0 > self.goal_length {
                self.free.push(fresh.1);
                continue;
            }
            let is_first = match best {
                Some(b) => fresh < b,
                None => fresh.0 < least_key,
            };
            let rest = if is_first { best.replace(fresh) } else { Some(fresh) };
            if let Some((key, place)) = rest {
                self.search.heap.push(key, place);
            }
        }
        self.fresh.clear();
        best
    }

    /// Follows the trail back from the goal, which is seen straight from the last node's root or lies
    /// right behind its interval.
    fn collect(&mut self, mesh: QueryMesh<'_>, last: &Node, is_in_sight: bool) {
        let Search { corridor, corners, start, goal, .. } = &mut self.search;
        let last_crossing = last.interval.crossing;
        let mut root = &self.roots[last.root as usize];
        // The funnel knows the start as it is, and it alone copes with the portals of a wider agent's
        // ground, which can be as narrow as what counts as one point here.
        let mut known = self.roots[0].at == *start
            && last_crossing.as_link().is_none()
            && std::ptr::eq(mesh.ground, &raw const mesh.mesh.ground);
        // Counted from the end at first.
        if !is_in_sight
            && known
            && let Some(at) = last.interval.turn_at(root.at, *goal)
        {
            let Interval { right, left_is_vertex, right_is_vertex, .. } = last.interval;
            known = if at == right { right_is_vertex } else { left_is_vertex };
            corners.push(Corner { at, portal: 0 });
        }
        corridor.push(last_crossing);
        let mut number = last.before;
        while number != NONE {
            let step = self.trail[number as usize];
            if root.step == number {
                corners.push(Corner { at: root.at, portal: corridor.len() as u32 });
                root = &self.roots[root.before as usize];
            }
            known &= step.crossing.as_link().is_none();
            corridor.push(step.crossing);
            number = step.before;
        }
        corridor.reverse();
        corners.reverse();
        self.search.corners_are_known = known && self.place_corners(mesh);
    }

    /// Names the first portal that each corner is an end of. Returns whether the line turns at every
    /// corner: where it runs straight on, or straight back on another storey, the funnel says what
    /// is to become of the corner.
    fn place_corners(&mut self, mesh: QueryMesh<'_>) -> bool {
        let Search { corridor, corners, start, goal, .. } = &mut self.search;
        let last_portal = corridor.len() as u32 - 1;
        let (mut before, mut least_portal) = (*start, 0);
        for i in 0..corners.len() {
            let next = corners.get(i + 1).map_or(*goal, |c| c.at);
            let corner = &mut corners[i];
            let at = corner.at;
            if SightLine::new(before, at - before).side_or(next, 0.0).abs() <= 0.0 {
                return false;
            }
            let mut portal = last_portal - corner.portal;
            while portal > least_portal {
                let (right, left) = mesh.pieces.portal(corridor[portal as usize - 1].edge());
                if right != at && left != at {
                    break;
                }
                portal -= 1;
            }
            corner.portal = portal;
            (before, least_portal) = (at, portal);
        }
        true
    }
}
