//! The optimal search: any-angle, on the cells as they are.
//!
//! In go start and goal; out comes the corridor that holds the shortest path in plan. It follows
//! Polyanya (Cui, Harabor and Grastien, 2017): a node is an interval of an edge that can be seen
//! from its root, the last corner before it, and its estimate is the length of the shortest way
//! from the root through the interval to the goal, as if the rest were free. Where it departs:
//! roots are fans, not points, so that storeys above one another, thin walls and spirals keep
//! apart; a goal's piece needs no last node, since the estimate of an interval before it is exact;
//! crossings off the way between start and goal (see `blocks`) are never looked at; links are taken
//! at sampled points, each of which starts a new root.
//!
//! Intervals are cut with rounded arithmetic, but which edges and corners belong to them is kept by
//! number, and the pieces around an edge are always partitioned among the successors, so rounding
//! cannot lose a way; it can move an interval's end by a few units in the last place.

use super::filter::Tables;
use super::funnel::Corner;
use super::search::{Crossing, Outcome, Reached, Search};
use crate::ground::Surface;
use crate::pieces::{NONE, closest_on_segment};
use glam::DVec2;

/// Relative difference below which two lengths count as equal when roots are compared.
const SAME_LENGTH: f64 = 1e-12;

/// How much shorter another way to an interval must be for the interval to be dropped, in metres:
/// more than rounding adds up to on the longest of ways.
const OUTDONE_M: f64 = 1e-7;

/// Searches end before so many nodes as a rule; to compare ways is worth its time only beyond.
const SMALL_SEARCH: u64 = 64;

/// The most steps that one search takes before A* is asked instead: 67 million, half a gigabyte.
const MAX_STEPS: usize = 1 << 26;

/// In what a fan was reached by: a root that is no fan.
const NOT_A_FAN: u32 = 1 << 31;

/// A place where the path has turned, or where it starts.
#[derive(Clone, Copy, Debug)]
struct Root {
    at: DVec2,
    /// The length of the way up to here.
    length: f64,
    /// The straight distance to the goal.
    to_goal: f64,
    /// The fan it lies on; [`NONE`] for the start and the ends of links.
    fan: u32,
    /// The piece in which the path turned, where turning around a closed fan must end.
    piece: u32,
    /// Whether the straight way from here to the goal has been tried.
    tried: bool,
    /// The root before it.
    before: u32,
    /// The step behind which the path turned here.
    step: u32,
}

/// An interval of an edge and what is seen through it.
#[derive(Clone, Copy, Debug)]
struct Node {
    left: DVec2,
    right: DVec2,
    root: u32,
    /// The step of the trail before it.
    before: u32,
    /// How the piece is entered.
    crossing: Crossing,
    /// The edge through which it is entered, as an edge of its own; [`NONE`] for a link.
    entry: u32,
    piece: u32,
    /// Whether the ends of the interval are those of its edge.
    left_is_vertex: bool,
    right_is_vertex: bool,
}

/// What is left of a node that has been looked behind: enough to find the way back.
#[derive(Clone, Copy, Debug)]
struct Step {
    crossing: Crossing,
    before: u32,
}

/// The shortest way to a fan, and what it was reached from where paths turn there to the left and to
/// the right; [`NONE`] where none does yet.
#[derive(Clone, Copy, Debug)]
struct Turned {
    length: f64,
    run: u32,
    by: [u32; 2],
}

impl Turned {
    const NEVER: Self = Self { length: f64::INFINITY, run: 0, by: [NONE; 2] };

    #[inline]
    fn length(&self, run: u32) -> f64 {
        if self.run == run { self.length } else { f64::INFINITY }
    }
}

/// Working memory of the optimal search.
#[derive(Clone, Debug, Default)]
pub(crate) struct TautState {
    /// Nodes that wait in the heap, and places of nodes that no longer do.
    nodes: Vec<Node>,
    free: Vec<u32>,
    trail: Vec<Step>,
    roots: Vec<Root>,
    fans: Vec<Turned>,
    /// The shortest way known to each vertex, by its fan, and the root that it is seen from.
    sights: Vec<Reached>,
    link_samples: Vec<Reached>,
    /// Keys and places of the nodes that the last expansion has brought; a key that is not worked out
    /// yet is no number.
    fresh: Vec<(f64, u32)>,
    /// The least estimate of an interval before the goal's piece.
    goal_length: f64,
}

impl TautState {
    pub(crate) fn forget(&mut self) {
        self.fans.fill(Turned::NEVER);
        self.sights.fill(Reached::NEVER);
        self.link_samples.fill(Reached::NEVER);
    }
}

/// The end of the segment between `right` and `left` at which the shortest way from `root` through it
/// to `to`, which lies beyond it or on its line, turns, if it does.
#[inline(always)]
fn turn_at(root: DVec2, left: DVec2, right: DVec2, to: DVec2) -> Option<DVec2> {
    let way = to - root;
    let (to_left, to_right) = (left - root, right - root);
    let (side_left, side_right) = (to_left.perp_dot(way), to_right.perp_dot(way));
    let is_beside =
        |side: f64, along: DVec2| side * side > ON_RAY_M * ON_RAY_M * along.length_squared();
    if side_right < 0.0 && is_beside(side_right, to_right) {
        Some(right)
    } else if side_left > 0.0 && is_beside(side_left, to_left) {
        Some(left)
    } else if side_right >= 0.0
        && side_left <= 0.0
        && (is_beside(side_right, to_right) || is_beside(side_left, to_left))
    {
        None
    } else {
        turn_on_line(root, left, right, to)
    }
}

/// The same for a `to` that lies on the line to an end but for rounding. The straight way passes the
/// segment if `root` or `to` lies at it, or they lie off different ends. But where all lie on one
/// line, as storeys over one another can, both may lie off the same end, in whichever order and even
/// at one place: then the way goes to that end and back.
#[cold]
#[inline(never)]
fn turn_on_line(root: DVec2, left: DVec2, right: DVec2, to: DVec2) -> Option<DVec2> {
    let along = left - right;
    if along.dot(root - right) < 0.0 && along.dot(to - right) < 0.0 {
        Some(right)
    } else if along.dot(root - left) > 0.0 && along.dot(to - left) > 0.0 {
        Some(left)
    } else {
        None
    }
}

/// The length of the shortest way from `root` to `to` through the segment between `right` and
/// `left`, with `to` beyond it.
#[inline]
fn length_through(root: DVec2, left: DVec2, right: DVec2, to: DVec2) -> f64 {
    match turn_at(root, left, right, to) {
        Some(end) => root.distance(end) + end.distance(to),
        None => root.distance(to),
    }
}

/// The least length from a root through the segment to `goal`, wherever the goal lies.
#[inline]
fn estimate(root: &Root, left: DVec2, right: DVec2, goal: DVec2) -> f64 {
    let along = left - right;
    let side = along.perp_dot(goal - right);
    if side > 0.0 {
        // The goal lies on the root's side: touching the segment and coming back is as far as
        // going on to the goal's mirror image.
        let mirrored = goal - along.perp() * (2.0 * side / along.length_squared());
        return length_through(root.at, left, right, mirrored);
    }
    match turn_at(root.at, left, right, goal) {
        Some(end) => root.at.distance(end) + end.distance(goal),
        None => root.to_goal,
    }
}

/// How far from a ray a vertex may lie and still be on it, in metres: rounding must not decide
/// which side of a vertex a view along a straight border passes.
const ON_RAY_M: f64 = 1e-9;

/// How far from a vertex the start may lie and still be on it, in metres.
const ON_VERTEX_M: f64 = 1e-7;

/// A line of sight.
struct Ray {
    from: DVec2,
    along: DVec2,
    /// The square of the greatest [`Ray::side_or`] of a point that counts as on the ray.
    on_ray2: f64,
}

impl Ray {
    #[inline]
    fn new(from: DVec2, along: DVec2) -> Self {
        Self { from, along, on_ray2: ON_RAY_M * ON_RAY_M * along.length_squared() }
    }

    /// Positive to the left of the ray, negative to its right, zero on it, and `behind` on its line
    /// backwards.
    #[inline]
    fn side_or(&self, p: DVec2, behind: f64) -> f64 {
        let to = p - self.from;
        let side = self.along.perp_dot(to);
        if side * side > self.on_ray2 {
            side
        } else if self.along.dot(to) >= 0.0 {
            0.0
        } else {
            behind
        }
    }
}

/// Whether a segment is seen as a line: from behind, or from a place that is on its line but for
/// rounding.
#[inline]
fn is_edge_on(to_right: DVec2, to_left: DVec2) -> bool {
    // Beside a vertex the line to it can point anywhere: there the angle must be small too.
    const NARROW2: f64 = 1e-5 * 1e-5;
    let facing = to_right.perp_dot(to_left);
    if facing <= 0.0 {
        return true;
    }
    let (right2, left2) = (to_right.length_squared(), to_left.length_squared());
    let facing2 = facing * facing;
    if to_right.dot(to_left) > 0.0 {
        facing2 <= ON_RAY_M * ON_RAY_M * right2.max(left2) && facing2 <= NARROW2 * right2 * left2
    } else {
        facing2 <= ON_RAY_M * ON_RAY_M * (to_left - to_right).length_squared()
    }
}

/// One expansion: the node, its root, and where successors go.
struct Expansion<'a> {
    mesh: Surface<'a>,
    tables: &'a Tables,
    number: u32,
    piece: u32,
}

/// An interval with the vertices of its edge.
struct Sighting {
    left: DVec2,
    right: DVec2,
    left_vertex: DVec2,
    right_vertex: DVec2,
    left_fan: u32,
    right_fan: u32,
}

impl Search {
    /// Starts the optimal search after [`Search::begin`].
    pub(crate) fn begin_taut(&mut self, mesh: Surface<'_>, tables: &Tables) {
        let state = &mut self.taut;
        state.nodes.clear();
        state.free.clear();
        state.trail.clear();
        state.roots.clear();
        state.fresh.clear();
        state.goal_length = if self.flooding { self.flood_limit_m } else { f64::INFINITY };
        let fans = mesh.pieces.fan_count as usize;
        if state.fans.len() < fans {
            state.fans.resize(fans, Turned::NEVER);
            state.sights.resize(fans, Reached::NEVER);
        }
        let samples = mesh.pieces.link_samples.len();
        if state.link_samples.len() < samples {
            state.link_samples.resize(samples, Reached::NEVER);
        }
        // A start right beside a vertex is on it: the views along the edges that meet there must not
        // depend on which side of them rounding puts it. The funnel knows the start as it is.
        let corners = mesh.pieces.range(self.start_piece).map(|i| mesh.pieces.edges[i].start());
        let vertex = corners
            .into_iter()
            .find(|v| v.distance_squared(self.start) < ON_VERTEX_M * ON_VERTEX_M);
        let start = vertex.unwrap_or(self.start);
        state.roots.push(Root {
            at: start,
            length: 0.0,
            to_goal: start.distance(self.goal),
            fan: NONE,
            piece: self.start_piece,
            tried: true,
            before: NONE,
            step: NONE,
        });
        let start = Expansion { mesh, tables, number: NONE, piece: self.start_piece };
        self.spread(&start, 0);
        if self.flooding {
            self.push_fresh(tables);
        }
    }

    /// Goes on with the optimal search for at most `limit` nodes.
    pub(crate) fn run_taut(&mut self, mesh: Surface<'_>, tables: &Tables, limit: u64) -> Outcome {
        let mut left = limit;
        if left == 0 {
            return Outcome::Paused;
        }
        loop {
            let next = self.next_of_fresh(tables).or_else(|| self.heap.pop());
            let Some((key, place)) = next else { return Outcome::Exhausted };
            let node = self.take_node(place);
            if node.piece == self.goal_piece {
                self.collect_taut(mesh, &node, false);
                return Outcome::Found;
            }
            let root = self.taut.roots[node.root as usize];
            if self.is_stale(&root) || self.is_node_outdone(mesh, tables, &node, &root) {
                continue;
            }
            if !root.tried && self.sees_goal(mesh, tables, &node, &root, key) {
                self.collect_taut(mesh, &node, true);
                self.corridor.extend_from_slice(&self.walked);
                return Outcome::Found;
            }
            left -= 1;
            self.look_behind(mesh, tables, &node, &root);
            if self.is_astray(mesh) {
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
    pub(crate) fn step_flood(&mut self, mesh: Surface<'_>, tables: &Tables) -> Option<(f64, u32)> {
        if self.is_astray(mesh) {
            return None;
        }
        let (distance, place) = self.heap.pop()?;
        let node = self.take_node(place);
        let root = self.taut.roots[node.root as usize];
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
        mesh: Surface<'_>,
        tables: &Tables,
        node: &Node,
        root: &Root,
        key: f64,
    ) -> bool {
        let key = if key.is_nan() { self.key_of(tables, node) } else { key };
        if key > self.heap.least_key() || tables.least_factor < 1.0 {
            return false;
        }
        let straight = root.length + root.to_goal;
        if key > straight * (1.0 + SAME_LENGTH) {
            return false;
        }
        self.taut.roots[node.root as usize].tried = true;
        self.walk_to_goal(mesh, tables, root.at, node.piece)
    }

    /// Whether a shorter way to a root has been found since it was made.
    fn is_stale(&self, root: &Root) -> bool {
        root.fan != NONE
            && self.taut.fans[root.fan as usize].length(self.run)
                < root.length * (1.0 - SAME_LENGTH)
    }

    /// Finds the successors of a node, whose step joins the trail.
    #[inline]
    fn look_behind(&mut self, mesh: Surface<'_>, tables: &Tables, node: &Node, root: &Root) {
        self.nodes += 1;
        let number = self.taut.trail.len() as u32;
        self.taut.trail.push(Step { crossing: node.crossing, before: node.before });
        let expansion = Expansion { mesh, tables, number, piece: node.piece };
        if node.entry == NONE {
            self.spread(&expansion, node.root);
        } else {
            self.expand(&expansion, node, root);
        }
    }

    /// Whether there are more steps than any mesh brings about, however it is made: then rounding
    /// has led the search in a circle, and it is to end. Also where they would take up too much
    /// memory.
    fn is_astray(&self, mesh: Surface<'_>) -> bool {
        self.taut.trail.len() > (10_000 + 256 * mesh.pieces.edges.len()).min(MAX_STEPS)
    }

    /// Takes a node out of its place, which becomes free.
    #[inline]
    fn take_node(&mut self, place: u32) -> Node {
        self.taut.free.push(place);
        self.taut.nodes[place as usize]
    }

    /// Keeps a node for when the expansion is done.
    #[inline]
    fn keep(&mut self, key: f64, node: Node) {
        let state = &mut self.taut;
        let place = if let Some(place) = state.free.pop() {
            state.nodes[place as usize] = node;
            place
        } else {
            state.nodes.push(node);
            state.nodes.len() as u32 - 1
        };
        state.fresh.push((key, place));
    }

    /// The least length of a way from the start through a node to the goal.
    #[inline(always)]
    fn key_of(&self, tables: &Tables, node: &Node) -> f64 {
        let root = &self.taut.roots[node.root as usize];
        let rest = if self.flooding {
            closest_on_segment(node.right, node.left, root.at).distance(root.at)
        } else {
            estimate(root, node.left, node.right, self.goal)
        };
        let factor = if node.piece == self.goal_piece { 1.0 } else { tables.least_factor };
        root.length + rest * factor
    }

    /// Works out the keys that are still missing.
    #[inline(always)]
    fn weigh_fresh(&mut self, tables: &Tables) {
        for i in 0..self.taut.fresh.len() {
            let (mut key, place) = self.taut.fresh[i];
            let node = &self.taut.nodes[place as usize];
            if key.is_nan() {
                key = self.key_of(tables, node);
                self.taut.fresh[i].0 = key;
            }
            if node.piece == self.goal_piece && key < self.taut.goal_length {
                self.taut.goal_length = key;
            }
        }
    }

    /// Puts the nodes that the last expansion has brought into the heap.
    fn push_fresh(&mut self, tables: &Tables) {
        self.weigh_fresh(tables);
        let state = &mut self.taut;
        for &(key, place) in &state.fresh {
            if key <= state.goal_length {
                self.heap.push(key, place);
            } else {
                state.free.push(place);
            }
        }
        state.fresh.clear();
    }

    /// The same but for a node that would come out again at once: one that is the only one to come
    /// next, whose key need not be known for that, or one that comes before all others.
    #[inline(always)]
    fn next_of_fresh(&mut self, tables: &Tables) -> Option<(f64, u32)> {
        if self.taut.fresh.is_empty() {
            return None;
        }
        if let [only] = self.taut.fresh[..]
            && self.taut.goal_length.is_infinite()
            && self.taut.nodes[only.1 as usize].piece != self.goal_piece
        {
            self.taut.fresh.clear();
            return Some(only);
        }
        self.weigh_fresh(tables);
        let state = &mut self.taut;
        let least_key = self.heap.least_key();
        let mut best: Option<(f64, u32)> = None;
        for &fresh in &state.fresh {
            if fresh.0 > state.goal_length {
                state.free.push(fresh.1);
                continue;
            }
            let is_first = match best {
                Some(b) => fresh < b,
                None => fresh.0 < least_key,
            };
            let rest = if is_first { best.replace(fresh) } else { Some(fresh) };
            if let Some((key, place)) = rest {
                self.heap.push(key, place);
            }
        }
        state.fresh.clear();
        best
    }

    /// Follows the trail back from the goal, which is seen straight from the last node's root or lies
    /// right behind its interval.
    fn collect_taut(&mut self, mesh: Surface<'_>, last: &Node, is_in_sight: bool) {
        let Self { taut, corridor, corners, .. } = self;
        let mut root = &taut.roots[last.root as usize];
        // The funnel knows the start as it is, and it alone copes with the portals of a wider agent's
        // ground, which can be as narrow as what counts as one point here.
        let mut known = taut.roots[0].at == self.start
            && last.crossing.as_link().is_none()
            && std::ptr::eq(mesh.ground, &raw const mesh.mesh.ground);
        // Counted from the end at first.
        if !is_in_sight
            && known
            && let Some(at) = turn_at(root.at, last.left, last.right, self.goal)
        {
            known = if at == last.right { last.right_is_vertex } else { last.left_is_vertex };
            corners.push(Corner { at, portal: 0 });
        }
        corridor.push(last.crossing);
        let mut number = last.before;
        while number != NONE {
            let step = taut.trail[number as usize];
            if root.step == number {
                corners.push(Corner { at: root.at, portal: corridor.len() as u32 });
                root = &taut.roots[root.before as usize];
            }
            known &= step.crossing.as_link().is_none();
            corridor.push(step.crossing);
            number = step.before;
        }
        corridor.reverse();
        corners.reverse();
        self.corners_are_known = known && self.place_corners(mesh);
    }

    /// Names the first portal that each corner is an end of. Returns whether the line turns at every
    /// corner: where it runs straight on, or straight back on another storey, the funnel says what
    /// is to become of the corner.
    fn place_corners(&mut self, mesh: Surface<'_>) -> bool {
        let last_portal = self.corridor.len() as u32 - 1;
        let (mut before, mut least_portal) = (self.start, 0);
        for i in 0..self.corners.len() {
            let next = self.corners.get(i + 1).map_or(self.goal, |c| c.at);
            let corner = &mut self.corners[i];
            let at = corner.at;
            if Ray::new(before, at - before).side_or(next, 0.0).abs() <= 0.0 {
                return false;
            }
            let mut portal = last_portal - corner.portal;
            while portal > least_portal {
                let (right, left) = mesh.pieces.portal(self.corridor[portal as usize - 1].edge());
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

    /// All of a piece is seen from the root, which lies in it: every edge becomes an interval.
    fn spread(&mut self, at: &Expansion<'_>, root: u32) {
        self.spread_except(at, root, usize::MAX);
        let r = self.taut.roots[root as usize].at;
        self.offer_links(at, root, r, r, r);
    }

    /// The same without the edge that the piece was entered through.
    fn spread_except(&mut self, at: &Expansion<'_>, root: u32, entry: usize) {
        let edges = &at.mesh.pieces.edges;
        let range = at.mesh.pieces.range(at.piece);
        let r = self.taut.roots[root as usize];
        for i in range.clone() {
            if i != entry && self.leads_on(at, i) {
                let right = edges[i].start();
                let next = if i + 1 == range.end { range.start } else { i + 1 };
                let left = edges[next].start();
                self.offer(at, i, root, &r, left, right, true, true);
            }
        }
    }

    /// Finds what is seen through a node's interval, and what can be reached around its ends.
    fn expand(&mut self, at: &Expansion<'_>, node: &Node, root: &Root) {
        let pieces = &at.mesh.pieces;
        let edges = &pieces.edges;
        let entry = node.entry as usize;
        let r = root.at;
        let (to_right, to_left) = (node.right - r, node.left - r);
        let right_ray = Ray::new(r, to_right);
        let left_ray = Ray::new(r, to_left);
        if is_edge_on(to_right, to_left) {
            self.expand_edge_on(at, node, root, entry, to_right, to_left);
            return;
        }
        let range = pieces.range(at.piece);
        let following = |i: usize| if i + 1 == range.end { range.start } else { i + 1 };
        // Where a piece is convex only up to rounding, an edge next to the entry can lie before it: a
        // line of sight must not go back through it.
        let (entry_from, entry_to) = (edges[entry].start(), edges[following(entry)].start());
        let lies_beyond = |left: DVec2, right: DVec2| {
            (entry_to - entry_from).perp_dot(left + right - 2.0 * entry_from) > 0.0
        };

        // From the right end of the entry around the piece to its left end. First the part hidden
        // behind the interval's right end.
        let mut i = following(entry);
        let mut from = edges[i].start();
        // What lies straight behind the root is hidden, on whichever side.
        let right_side = |v: DVec2| right_ray.side_or(v, -f64::MIN_POSITIVE);
        let left_side = |v: DVec2| left_ray.side_or(v, f64::MIN_POSITIVE);
        let mut from_side = right_side(from).min(0.0);
        let mut right_root = Turn::Unknown;
        let mut left_root = Turn::Unknown;
        let mut seen_from = from;
        let mut seen_from_vertex = true;
        while i != entry {
            let next = following(i);
            let to = edges[next].start();
            let to_side = right_side(to);
            // An edge along the ray is seen, if only as a line.
            if to_side < 0.0 || (to_side <= 0.0 && from_side < 0.0) {
                if node.right_is_vertex && self.leads_on(at, i) {
                    let turn = &mut right_root;
                    self.offer_turn(at, node, root, true, turn, i, to, from, true, true);
                }
                i = next;
                from = to;
                from_side = to_side;
                continue;
            }
            seen_from = from;
            if from_side < 0.0 && self.leads_on(at, i) {
                // Rounding may put the point on a vertex, which it then is.
                seen_from = from + (to - from) * (from_side / (from_side - to_side));
                if node.right_is_vertex && seen_from != from {
                    let turn = &mut right_root;
                    let to_vertex = seen_from == to;
                    self.offer_turn(
                        at, node, root, true, turn, i, seen_from, from, to_vertex, true,
                    );
                }
            }
            seen_from_vertex = seen_from == from;
            break;
        }
        // The part in view.
        while i != entry {
            let next = following(i);
            let to = edges[next].start();
            let to_side = left_side(to);
            if to_side <= 0.0 {
                if self.leads_on(at, i) && lies_beyond(to, seen_from) {
                    self.offer(at, i, node.root, root, to, seen_from, true, seen_from_vertex);
                }
                i = next;
                seen_from = to;
                seen_from_vertex = true;
                continue;
            }
            if !self.leads_on(at, i) {
                i = next;
                break;
            }
            let from = edges[i].start();
            let from_side = left_side(from);
            let end = if from_side < 0.0 {
                from + (to - from) * (from_side / (from_side - to_side))
            } else {
                from
            };
            // The end must not lie before the beginning where both are on one edge.
            if (end - seen_from).dot(to - from) > 0.0 && lies_beyond(end, seen_from) {
                let to_vertex = end == to;
                self.offer(at, i, node.root, root, end, seen_from, to_vertex, seen_from_vertex);
            }
            // The rest of this edge is hidden behind the interval's left end.
            if node.left_is_vertex && end != to {
                let turn = &mut left_root;
                let from_vertex = end == from;
                self.offer_turn(at, node, root, false, turn, i, to, end, true, from_vertex);
            }
            i = next;
            break;
        }
        // The part hidden behind the left end.
        while node.left_is_vertex && i != entry {
            let next = following(i);
            if self.leads_on(at, i) {
                let (from, to) = (edges[i].start(), edges[next].start());
                let turn = &mut left_root;
                self.offer_turn(at, node, root, false, turn, i, to, from, true, true);
            }
            i = next;
        }
        self.offer_links(at, node.root, node.left, node.right, r);
    }

    /// An interval that the root does not see from the front. A root on it sees all of the piece.
    /// From any other place on its line the piece is reached around the nearer end.
    #[cold]
    #[inline(never)]
    fn expand_edge_on(
        &mut self,
        at: &Expansion<'_>,
        node: &Node,
        root: &Root,
        entry: usize,
        to_right: DVec2,
        to_left: DVec2,
    ) {
        if to_right.dot(to_left) <= 0.0 {
            // All around a vertex and back where the turn began there is nothing new.
            if root.piece != at.piece {
                self.spread_except(at, node.root, entry);
                self.offer_links(at, node.root, root.at, root.at, root.at);
            }
            return;
        }
        // An interval cut to nothing by rounding may have its only vertex at the farther end.
        let turns_right = match (node.right_is_vertex, node.left_is_vertex) {
            (true, true) => to_right.length_squared() <= to_left.length_squared(),
            (right, false) => right,
            (false, true) => false,
        };
        if !(node.right_is_vertex || node.left_is_vertex) {
            return;
        }
        if let Turn::Root(number) = self.turn(at, node, root, turns_right) {
            self.spread_except(at, number, entry);
            let end = self.taut.roots[number as usize].at;
            self.offer_links(at, number, end, end, end);
        }
    }

    /// Offers an interval that is reached by turning at an end of the node's own.
    fn offer_turn(
        &mut self,
        at: &Expansion<'_>,
        node: &Node,
        root: &Root,
        turns_right: bool,
        turn: &mut Turn,
        edge: usize,
        left: DVec2,
        right: DVec2,
        left_is_vertex: bool,
        right_is_vertex: bool,
    ) {
        if let Turn::Unknown = turn {
            *turn = self.turn(at, node, root, turns_right);
        }
        if let Turn::Root(number) = *turn {
            let new = self.taut.roots[number as usize];
            self.offer(at, edge, number, &new, left, right, left_is_vertex, right_is_vertex);
        }
    }

    /// Makes the end of an interval a root, if a taut path may turn there and none has come there
    /// by a shorter way.
    fn turn(&mut self, at: &Expansion<'_>, node: &Node, root: &Root, right: bool) -> Turn {
        let pieces = &at.mesh.pieces;
        let entry = node.entry;
        // Seen from the piece entered, its entry runs from the left end to the right one.
        let corner = &pieces.edges[if right { pieces.next(entry) } else { entry } as usize];
        if !at.tables.is_corner(corner) {
            return Turn::None;
        }
        if root.fan == corner.fan() {
            // Still turning around the same corner.
            return Turn::Root(node.root);
        }
        let end = if right { node.right } else { node.left };
        let length = root.length + root.at.distance(end);
        // Of several ways of the same length that turn to the same side one is enough: what can only
        // be reached from another is reached by a shorter way. Without this, corners in a row would
        // double the work each. Ways that turn to different sides of a corner with storeys around it
        // lead to different places.
        let by = if root.fan == NONE { node.root | NOT_A_FAN } else { root.fan };
        let side = usize::from(right);
        let reached = &mut self.taut.fans[corner.fan() as usize];
        let best = reached.length(self.run);
        if length > best * (1.0 + SAME_LENGTH) {
            return Turn::None;
        }
        if length < best * (1.0 - SAME_LENGTH) {
            *reached = Turned { length, run: self.run, by: [NONE; 2] };
        }
        if reached.by[side] == NONE {
            reached.by[side] = by;
        } else if reached.by[side] != by {
            return Turn::None;
        }
        let number = self.taut.roots.len() as u32;
        self.taut.roots.push(Root {
            at: end,
            length,
            to_goal: end.distance(self.goal),
            fan: corner.fan(),
            piece: at.piece,
            tried: false,
            before: node.root,
            step: at.number,
        });
        Turn::Root(number)
    }

    /// Whether a way can lead through an edge.
    #[inline]
    fn leads_on(&self, at: &Expansion<'_>, edge: usize) -> bool {
        let e = &at.mesh.pieces.edges[edge];
        e.twin != NONE && self.on_the_way(e.block) && at.tables.is_open(e.twin_piece)
    }

    /// Adds an interval of an edge that leads on to what has been found.
    #[inline]
    fn offer(
        &mut self,
        at: &Expansion<'_>,
        edge: usize,
        root_number: u32,
        root: &Root,
        left: DVec2,
        right: DVec2,
        left_is_vertex: bool,
        right_is_vertex: bool,
    ) {
        if left == right {
            return;
        }
        let e = &at.mesh.pieces.edges[edge];
        if self.nodes >= SMALL_SEARCH
            && !at.tables.excludes
            && !self.sight(
                at,
                edge,
                root_number,
                root,
                left,
                right,
                left_is_vertex,
                right_is_vertex,
            )
        {
            return;
        }
        let node = Node {
            left,
            right,
            root: root_number,
            before: at.number,
            crossing: Crossing::portal(edge as u32),
            entry: e.twin,
            piece: e.twin_piece,
            left_is_vertex,
            right_is_vertex,
        };
        // What it is worth is worked out when it is known that there are others.
        self.keep(f64::NAN, node);
    }

    /// Whether an interval is worth looking at in a search that has become long; if so, takes note of
    /// the ways to its ends.
    #[inline(never)]
    fn sight(
        &mut self,
        at: &Expansion<'_>,
        edge: usize,
        root_number: u32,
        root: &Root,
        left: DVec2,
        right: DVec2,
        left_is_vertex: bool,
        right_is_vertex: bool,
    ) -> bool {
        let e = &at.mesh.pieces.edges[edge];
        let range = at.mesh.pieces.range(at.piece);
        let next = if edge + 1 == range.end { range.start } else { edge + 1 };
        let next = &at.mesh.pieces.edges[next];
        let sighting = Sighting {
            left,
            right,
            left_vertex: next.start(),
            right_vertex: e.start(),
            left_fan: next.fan(),
            right_fan: e.fan(),
        };
        if self.is_outdone(&sighting, root_number, root) {
            return false;
        }
        if left_is_vertex {
            self.see(sighting.left_fan, root_number, root.length + root.at.distance(left));
        }
        if right_is_vertex {
            self.see(sighting.right_fan, root_number, root.length + root.at.distance(right));
        }
        true
    }

    /// Takes note of the length of a way to a vertex.
    #[inline]
    fn see(&mut self, fan: u32, root_number: u32, length: f64) {
        let sight = &mut self.taut.sights[fan as usize];
        if length < sight.cost(self.run) {
            sight.set_by(self.run, length, root_number);
        }
    }

    /// Whether every point of an interval is reached by a shorter way, along its edge from one of
    /// the edge's vertices (Xin and Wang, 2009). By the triangle inequality it is enough to compare
    /// at the interval's far end.
    #[inline]
    fn is_outdone(&self, s: &Sighting, root_number: u32, root: &Root) -> bool {
        let ends = [(s.right_fan, s.right_vertex, s.left), (s.left_fan, s.left_vertex, s.right)];
        ends.into_iter().any(|(fan, vertex, far)| {
            let sight = &self.taut.sights[fan as usize];
            // Seen from the same root the vertex is never the shorter way.
            let length = sight.cost(self.run);
            length < f64::INFINITY
                && sight.by != root_number
                && root.length + root.at.distance(far) > length + vertex.distance(far) + OUTDONE_M
        })
    }

    /// The same for a node that has waited while other ways were found.
    fn is_node_outdone(
        &self,
        mesh: Surface<'_>,
        tables: &Tables,
        node: &Node,
        root: &Root,
    ) -> bool {
        if self.nodes < SMALL_SEARCH || tables.excludes || node.entry == NONE {
            return false;
        }
        let edge = &mesh.pieces.edges[node.crossing.edge() as usize];
        let next = &mesh.pieces.edges[mesh.pieces.next(node.crossing.edge()) as usize];
        let sighting = Sighting {
            left: node.left,
            right: node.right,
            left_vertex: next.start(),
            right_vertex: edge.start(),
            left_fan: next.fan(),
            right_fan: edge.fan(),
        };
        self.is_outdone(&sighting, node.root, root)
    }

    /// Adds the links that start in a piece, each reached from the root through the interval
    /// between `right` and `left`; all three are equal where the root lies in the piece.
    #[inline]
    fn offer_links(
        &mut self,
        at: &Expansion<'_>,
        root_number: u32,
        left: DVec2,
        right: DVec2,
        r: DVec2,
    ) {
        if !at.mesh.pieces.link_samples.is_empty() {
            self.offer_links_of_piece(at, root_number, left, right, r);
        }
    }

    #[inline(never)]
    fn offer_links_of_piece(
        &mut self,
        at: &Expansion<'_>,
        root_number: u32,
        left: DVec2,
        right: DVec2,
        r: DVec2,
    ) {
        let pieces = &at.mesh.pieces;
        for i in pieces.link_range(at.piece) {
            let sample = &pieces.link_samples[i];
            if !at.tables.is_open(sample.to_piece)
                || (sample.block != NONE && !self.on_the_way(sample.block))
            {
                continue;
            }
            let Some(cost) = at.tables.link_cost(sample.link, sample.length_m) else { continue };
            let root = self.taut.roots[root_number as usize];
            let length = root.length + length_through(r, left, right, sample.from) + cost;
            let reached = &mut self.taut.link_samples[i];
            if length >= reached.cost(self.run) {
                continue;
            }
            reached.set(self.run, length);
            let rest = if self.flooding { 0.0 } else { sample.to.distance(self.goal) };
            let before_goal = sample.to_piece == self.goal_piece;
            let factor = if before_goal { 1.0 } else { at.tables.least_factor };
            let key = length + rest * factor;
            if key > self.taut.goal_length {
                continue;
            }
            let number = self.taut.roots.len() as u32;
            self.taut.roots.push(Root {
                at: sample.to,
                length,
                to_goal: sample.to.distance(self.goal),
                fan: NONE,
                piece: sample.to_piece,
                tried: false,
                before: root_number,
                step: at.number,
            });
            let node = Node {
                left: sample.to,
                right: sample.to,
                root: number,
                before: at.number,
                crossing: Crossing::link(i as u32),
                entry: NONE,
                piece: sample.to_piece,
                left_is_vertex: false,
                right_is_vertex: false,
            };
            self.keep(key, node);
        }
    }
}

/// The root at an end of an interval.
#[derive(Clone, Copy)]
enum Turn {
    Unknown,
    None,
    Root(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By how much an estimate may differ from what was tried, in metres: more than rounding, and than
    /// what counts as on a line.
    const SAME_M: f64 = 1e-7;

    /// The same where the best place may lie between two that were tried.
    const BETWEEN_TRIES_M: f64 = 1e-2;

    /// All orders of root, interval and goal along one line, and places beside it: the estimate is what
    /// the best of many places of the interval gives.
    #[test]
    fn the_estimate_passes_the_interval() {
        // So many that every place of the lattice between the ends is among them.
        const TRIES: u32 = 2 * 3 * 4 * 5;
        for along in [DVec2::X, DVec2::new(3.0, -7.0), DVec2::new(-0.1, 0.3)] {
            // The root's side of the interval.
            let before = along.perp();
            let at = |t: i32, off: f64| along * f64::from(t) + before * off;
            // Off the line by nothing, by rounding, by about what counts as on it, and by a lot.
            let offs = [0.0, 1e-16, 1e-11, 1e-9, 3e-9, 0.5];
            for (near, far) in offs.iter().flat_map(|near| offs.map(|far| (*near, far))) {
                for k in 0..2 * 6 * 6 * 6 * 5 {
                    let far = if k % 2 == 0 { far } else { -far };
                    let (root, goal) = (at(k / 2 % 6, near), at(k / 12 % 6, far));
                    let (right, length) = (k / 72 % 6, 1 + k / 432);
                    let (left, right) = (at(right + length, 0.0), at(right, 0.0));
                    let through = |p: DVec2| root.distance(p) + p.distance(goal);
                    let best = (0..=TRIES)
                        .map(|i| through(right.lerp(left, f64::from(i) / f64::from(TRIES))))
                        .fold(f64::INFINITY, f64::min);
                    let from = Root {
                        at: root,
                        length: 0.0,
                        to_goal: root.distance(goal),
                        fan: NONE,
                        piece: 0,
                        tried: false,
                        before: NONE,
                        step: NONE,
                    };
                    let found = estimate(&from, left, right, goal);
                    let is_beside = near > 0.1 || far.abs() > 0.1;
                    let slack = if is_beside { BETWEEN_TRIES_M } else { SAME_M };
                    assert!(
                        found <= best + SAME_M && found >= best - slack,
                        "{found} instead of {best}: {root} to {goal} through {left} and {right}"
                    );
                }
            }
        }
    }
}
