//! What lies behind an interval: the successors of a node of Polyanya.
//!
//! In go a node and the piece that it leads into; out come new nodes, one for every stretch of an
//! edge of the piece that a shortest path can go on through. As in the paper, *observable*
//! successors are seen from the node's root through its interval and keep the root;
//! *non-observable* ones lie beside the view and are reached by turning at an end of the interval,
//! which becomes their root. Edges are taken in order from the right end of the entry around the
//! piece to its left end: non-observable to the right, observable, non-observable to the left.
//! Beyond the paper, what another way is certain to reach sooner is left out of long searches (Xin
//! and Wang, 2009).

use super::corridor::Crossing;
use super::filter::Tables;
use super::interval::{Interval, SightLine, is_edge_on};
use super::polyanya::{Expansion, Node, Polyanya, Root, SAME_LENGTH, Turned};
use super::query_mesh::QueryMesh;
use crate::pieces::{NONE, PieceEdge, Pieces};
use glam::DVec2;
use std::ops::Range;

/// How much shorter another way to an interval must be for the interval to be dropped, in metres:
/// more than rounding adds up to on the longest of ways.
const OUTDONE_M: f64 = 1e-7;

/// Searches end before so many nodes as a rule; to compare ways is worth its time only beyond.
const SMALL_SEARCH: u64 = 64;

/// In what a fan was reached by: a root that is no fan.
const NOT_A_FAN: u32 = 1 << 31;

/// What is seen of a piece through an interval of its entry.
struct View<'a> {
    edges: &'a [PieceEdge],
    range: Range<usize>,
    entry: usize,
    right_line: SightLine,
    left_line: SightLine,
    /// Where the entry starts, seen from the piece, and the way to where it ends.
    entry_from: DVec2,
    entry_along: DVec2,
}

impl<'a> View<'a> {
    #[inline(always)]
    fn new(pieces: &'a Pieces, node: &Node, root: DVec2) -> Self {
        let (edges, range, entry) = (&pieces.edges, pieces.range(node.piece), node.entry as usize);
        let after = if entry + 1 == range.end { range.start } else { entry + 1 };
        let entry_from = edges[entry].start();
        Self {
            edges,
            entry,
            right_line: SightLine::new(root, node.interval.right - root),
            left_line: SightLine::new(root, node.interval.left - root),
            entry_from,
            entry_along: edges[after].start() - entry_from,
            range,
        }
    }

    /// The edge after this one.
    #[inline(always)]
    fn next(&self, edge: usize) -> usize {
        if edge + 1 == self.range.end { self.range.start } else { edge + 1 }
    }

    #[inline(always)]
    fn start(&self, edge: usize) -> DVec2 {
        self.edges[edge].start()
    }

    /// Positive to the left of the right line, negative to its right. What lies straight behind
    /// the root is hidden, on whichever side.
    #[inline(always)]
    fn right_side(&self, p: DVec2) -> f64 {
        self.right_line.side_or(p, -f64::MIN_POSITIVE)
    }

    #[inline(always)]
    fn left_side(&self, p: DVec2) -> f64 {
        self.left_line.side_or(p, f64::MIN_POSITIVE)
    }

    /// Whether a stretch of an edge lies beyond the entry. Where a piece is convex only up to
    /// rounding, an edge next to the entry can lie before it: a line of sight must not go back
    /// through it.
    #[inline(always)]
    fn lies_beyond(&self, left: DVec2, right: DVec2) -> bool {
        self.entry_along.perp_dot(left + right - 2.0 * self.entry_from) > 0.0
    }
}

/// Where the way around a piece has come to.
#[derive(Clone, Copy)]
struct EdgePoint {
    edge: usize,
    at: DVec2,
    is_vertex: bool,
}

/// An end of a node's interval around which non-observable successors are reached.
struct Turn {
    is_right: bool,
    root: TurnRoot,
}

/// The root at an end of an interval.
#[derive(Clone, Copy)]
enum TurnRoot {
    Unknown,
    None,
    Root(u32),
}

/// Where an edge starts and ends, seen from the piece it belongs to.
struct EdgeEnds {
    left: DVec2,
    right: DVec2,
    left_fan: u32,
    right_fan: u32,
}

impl EdgeEnds {
    #[inline(always)]
    fn new(edge: &PieceEdge, next: &PieceEdge) -> Self {
        Self {
            left: next.start(),
            right: edge.start(),
            left_fan: next.fan(),
            right_fan: edge.fan(),
        }
    }
}

/// The interval of an edge between two points, which are its vertices or not.
#[inline(always)]
fn interval(edge: usize, (left, left_is_vertex): (DVec2, bool), right: EdgePoint) -> Interval {
    Interval {
        left,
        right: right.at,
        crossing: Crossing::portal(edge as u32),
        left_is_vertex,
        right_is_vertex: right.is_vertex,
    }
}

/// All of an edge.
#[inline(always)]
fn whole_edge(edge: usize, left: DVec2, right: DVec2) -> Interval {
    interval(edge, (left, true), EdgePoint { edge, at: right, is_vertex: true })
}

impl Polyanya {
    /// All of a piece is seen from the root, which lies in it: every edge becomes an interval.
    pub(super) fn see_all(&mut self, at: &Expansion<'_>, root: u32) {
        self.see_all_except(at, root, usize::MAX);
        let r = self.roots[root as usize].at;
        self.offer_links(at, root, r, None);
    }

    /// The same without the edge that the piece was entered through, and without links.
    fn see_all_except(&mut self, at: &Expansion<'_>, root: u32, entry: usize) {
        let edges = &at.mesh.pieces.edges;
        let range = at.mesh.pieces.range(at.piece);
        let r = self.roots[root as usize];
        for i in range.clone() {
            if i != entry && self.leads_on(at, i) {
                let right = edges[i].start();
                let next = if i + 1 == range.end { range.start } else { i + 1 };
                let left = edges[next].start();
                self.offer(at, root, &r, &whole_edge(i, left, right));
            }
        }
    }

    /// Finds the successors of a node that is entered through an edge.
    pub(super) fn expand(&mut self, at: &Expansion<'_>, node: &Node, root: &Root) {
        let Interval { left, right, .. } = node.interval;
        if is_edge_on(right - root.at, left - root.at) {
            self.expand_edge_on(at, node, root);
            return;
        }
        let view = View::new(&at.mesh.pieces, node, root.at);
        let mut left_turn = Turn { is_right: false, root: TurnRoot::Unknown };
        let seen_from = self.offer_hidden_right(at, node, root, &view);
        let rest = self.offer_observable(at, node, root, &view, seen_from, &mut left_turn);
        self.offer_hidden_left(at, node, root, &view, rest, &mut left_turn);
        self.offer_links(at, node.root, root.at, Some(&node.interval));
    }

    /// Offers the non-observable successors to the right; returns where the view begins.
    #[inline(always)]
    fn offer_hidden_right(
        &mut self,
        at: &Expansion<'_>,
        node: &Node,
        root: &Root,
        view: &View<'_>,
    ) -> EdgePoint {
        let mut turn = Turn { is_right: true, root: TurnRoot::Unknown };
        let mut i = view.next(view.entry);
        let mut from = view.start(i);
        let mut from_side = view.right_side(from).min(0.0);
        while i != view.entry {
            let next = view.next(i);
            let to = view.start(next);
            let to_side = view.right_side(to);
            // An edge along the line is seen, if only as a line.
            if to_side < 0.0 || (to_side <= 0.0 && from_side < 0.0) {
                if node.interval.right_is_vertex && self.leads_on(at, i) {
                    self.offer_turned(at, node, root, &mut turn, &whole_edge(i, to, from));
                }
                (i, from, from_side) = (next, to, to_side);
                continue;
            }
            let mut seen_from = from;
            if from_side < 0.0 && self.leads_on(at, i) {
                // Rounding may put the point on a vertex, which it then is.
                seen_from = from + (to - from) * (from_side / (from_side - to_side));
                if node.interval.right_is_vertex && seen_from != from {
                    let hidden_from = EdgePoint { edge: i, at: from, is_vertex: true };
                    let hidden = interval(i, (seen_from, seen_from == to), hidden_from);
                    self.offer_turned(at, node, root, &mut turn, &hidden);
                }
            }
            return EdgePoint { edge: i, at: seen_from, is_vertex: seen_from == from };
        }
        EdgePoint { edge: i, at: from, is_vertex: true }
    }

    /// Offers the observable successors; returns the edge at which the part hidden behind the left
    /// end goes on.
    #[inline(always)]
    fn offer_observable(
        &mut self,
        at: &Expansion<'_>,
        node: &Node,
        root: &Root,
        view: &View<'_>,
        mut seen: EdgePoint,
        left_turn: &mut Turn,
    ) -> usize {
        while seen.edge != view.entry {
            let i = seen.edge;
            let next = view.next(i);
            let to = view.start(next);
            let to_side = view.left_side(to);
            if to_side <= 0.0 {
                if self.leads_on(at, i) && view.lies_beyond(to, seen.at) {
                    self.offer(at, node.root, root, &interval(i, (to, true), seen));
                }
                seen = EdgePoint { edge: next, at: to, is_vertex: true };
                continue;
            }
            if !self.leads_on(at, i) {
                return next;
            }
            let from = view.start(i);
            let from_side = view.left_side(from);
            let end = if from_side < 0.0 {
                from + (to - from) * (from_side / (from_side - to_side))
            } else {
                from
            };
            // The end must not lie before the beginning where both are on one edge.
            if (end - seen.at).dot(to - from) > 0.0 && view.lies_beyond(end, seen.at) {
                self.offer(at, node.root, root, &interval(i, (end, end == to), seen));
            }
            // The rest of this edge is hidden behind the interval's left end.
            if node.interval.left_is_vertex && end != to {
                let hidden_from = EdgePoint { edge: i, at: end, is_vertex: end == from };
                let hidden = interval(i, (to, true), hidden_from);
                self.offer_turned(at, node, root, left_turn, &hidden);
            }
            return next;
        }
        seen.edge
    }

    /// Offers the non-observable successors to the left, from an edge on.
    #[inline(always)]
    fn offer_hidden_left(
        &mut self,
        at: &Expansion<'_>,
        node: &Node,
        root: &Root,
        view: &View<'_>,
        first: usize,
        turn: &mut Turn,
    ) {
        let mut i = first;
        while node.interval.left_is_vertex && i != view.entry {
            let next = view.next(i);
            if self.leads_on(at, i) {
                let whole = whole_edge(i, view.start(next), view.start(i));
                self.offer_turned(at, node, root, turn, &whole);
            }
            i = next;
        }
    }

    /// An interval that the root does not see from the front. A root on it sees all of the piece.
    /// From any other place on its line the piece is reached around the nearer end.
    #[cold]
    #[inline(never)]
    fn expand_edge_on(&mut self, at: &Expansion<'_>, node: &Node, root: &Root) {
        let Interval { left, right, left_is_vertex, right_is_vertex, .. } = node.interval;
        let (to_right, to_left) = (right - root.at, left - root.at);
        let entry = node.entry as usize;
        if to_right.dot(to_left) <= 0.0 {
            // All around a vertex and back where the turn began there is nothing new.
            if root.piece != at.piece {
                self.see_all_except(at, node.root, entry);
                self.offer_links(at, node.root, root.at, None);
            }
            return;
        }
        if !(right_is_vertex || left_is_vertex) {
            return;
        }
        // An interval cut to nothing by rounding may have its only vertex at the farther end.
        let is_right = match (right_is_vertex, left_is_vertex) {
            (true, true) => to_right.length_squared() <= to_left.length_squared(),
            (right, _) => right,
        };
        if let TurnRoot::Root(number) = self.turn(at, node, root, is_right) {
            self.see_all_except(at, number, entry);
            let end = self.roots[number as usize].at;
            self.offer_links(at, number, end, None);
        }
    }

    /// Offers a non-observable successor, which is reached by turning at an end of the node's own
    /// interval.
    fn offer_turned(
        &mut self,
        at: &Expansion<'_>,
        node: &Node,
        root: &Root,
        turn: &mut Turn,
        interval: &Interval,
    ) {
        if let TurnRoot::Unknown = turn.root {
            turn.root = self.turn(at, node, root, turn.is_right);
        }
        if let TurnRoot::Root(number) = turn.root {
            let new = self.roots[number as usize];
            self.offer(at, number, &new, interval);
        }
    }

    /// Makes the end of an interval a root, if a taut path may turn there and none has come there
    /// by a shorter way.
    fn turn(&mut self, at: &Expansion<'_>, node: &Node, root: &Root, is_right: bool) -> TurnRoot {
        let pieces = &at.mesh.pieces;
        let entry = node.entry;
        // Seen from the piece entered, its entry runs from the left end to the right one.
        let corner = &pieces.edges[if is_right { pieces.next(entry) } else { entry } as usize];
        if !at.tables.is_corner(corner) {
            return TurnRoot::None;
        }
        if root.fan == corner.fan() {
            // Still turning around the same corner.
            return TurnRoot::Root(node.root);
        }
        let end = if is_right { node.interval.right } else { node.interval.left };
        let length = root.length + root.at.distance(end);
        // Of several ways of the same length that turn to the same side one is enough: what can only
        // be reached from another is reached by a shorter way. Without this, corners in a row would
        // double the work each. Ways that turn to different sides of a corner with storeys around it
        // lead to different places.
        let by = if root.fan == NONE { node.root | NOT_A_FAN } else { root.fan };
        let side = usize::from(is_right);
        let run = self.search.run;
        let reached = &mut self.fans[corner.fan() as usize];
        let best = reached.length(run);
        if length > best * (1.0 + SAME_LENGTH) {
            return TurnRoot::None;
        }
        if length < best * (1.0 - SAME_LENGTH) {
            *reached = Turned { length, run, by: [NONE; 2] };
        }
        if reached.by[side] == NONE {
            reached.by[side] = by;
        } else if reached.by[side] != by {
            return TurnRoot::None;
        }
        let number = self.roots.len() as u32;
        self.roots.push(Root {
            at: end,
            length,
            to_goal: end.distance(self.search.goal),
            fan: corner.fan(),
            piece: at.piece,
            tried: false,
            before: node.root,
            step: at.step,
        });
        TurnRoot::Root(number)
    }

    /// Whether a way can lead through an edge.
    #[inline]
    fn leads_on(&self, at: &Expansion<'_>, edge: usize) -> bool {
        let e = &at.mesh.pieces.edges[edge];
        e.twin != NONE && self.search.on_the_way(e.block) && at.tables.is_open(e.twin_piece)
    }

    /// Adds an interval of an edge that leads on to what has been found.
    #[inline]
    fn offer(&mut self, at: &Expansion<'_>, root_number: u32, root: &Root, interval: &Interval) {
        if interval.left == interval.right {
            return;
        }
        if self.search.nodes >= SMALL_SEARCH
            && !at.tables.excludes
            && !self.sight(at, root_number, root, interval)
        {
            return;
        }
        let e = &at.mesh.pieces.edges[interval.crossing.edge() as usize];
        let node = Node {
            interval: *interval,
            root: root_number,
            before: at.step,
            entry: e.twin,
            piece: e.twin_piece,
        };
        self.keep(f64::NAN, node);
    }

    /// Whether an interval is worth looking at in a search that has become long; if so, takes note of
    /// the ways to its ends.
    #[inline(never)]
    fn sight(
        &mut self,
        at: &Expansion<'_>,
        root_number: u32,
        root: &Root,
        interval: &Interval,
    ) -> bool {
        let edge = interval.crossing.edge() as usize;
        let edges = &at.mesh.pieces.edges;
        let range = at.mesh.pieces.range(at.piece);
        let next = if edge + 1 == range.end { range.start } else { edge + 1 };
        let ends = EdgeEnds::new(&edges[edge], &edges[next]);
        if self.is_outdone(interval, &ends, root_number, root) {
            return false;
        }
        if interval.left_is_vertex {
            let length = root.length + root.at.distance(interval.left);
            self.see(ends.left_fan, root_number, length);
        }
        if interval.right_is_vertex {
            let length = root.length + root.at.distance(interval.right);
            self.see(ends.right_fan, root_number, length);
        }
        true
    }

    /// Takes note of the length of a way to a vertex.
    #[inline]
    fn see(&mut self, fan: u32, root_number: u32, length: f64) {
        let sight = &mut self.sights[fan as usize];
        if length < sight.cost(self.search.run) {
            sight.set_by(self.search.run, length, root_number);
        }
    }

    /// Whether every point of an interval is reached by a shorter way, along its edge from one of
    /// the edge's vertices (Xin and Wang, 2009). By the triangle inequality it is enough to compare
    /// at the interval's far end.
    #[inline]
    fn is_outdone(
        &self,
        interval: &Interval,
        ends: &EdgeEnds,
        root_number: u32,
        root: &Root,
    ) -> bool {
        let from_ends = [
            (ends.right_fan, ends.right, interval.left),
            (ends.left_fan, ends.left, interval.right),
        ];
        from_ends.into_iter().any(|(fan, vertex, far)| {
            let sight = &self.sights[fan as usize];
            // Seen from the same root the vertex is never the shorter way.
            let length = sight.cost(self.search.run);
            length < f64::INFINITY
                && sight.by != root_number
                && root.length + root.at.distance(far) > length + vertex.distance(far) + OUTDONE_M
        })
    }

    /// The same for a node that has waited while other ways were found.
    pub(super) fn is_node_outdone(
        &self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        node: &Node,
        root: &Root,
    ) -> bool {
        if self.search.nodes < SMALL_SEARCH || tables.excludes || node.entry == NONE {
            return false;
        }
        let edge = node.interval.crossing.edge();
        let edges = &mesh.pieces.edges;
        let next = &edges[mesh.pieces.next(edge) as usize];
        let ends = EdgeEnds::new(&edges[edge as usize], next);
        self.is_outdone(&node.interval, &ends, node.root, root)
    }

    /// Adds the links that start in a piece, each reached from the root, which lies at `from`,
    /// through an interval, or straight where the root lies in the piece.
    #[inline]
    fn offer_links(
        &mut self,
        at: &Expansion<'_>,
        root_number: u32,
        from: DVec2,
        through: Option<&Interval>,
    ) {
        if !at.mesh.pieces.link_samples.is_empty() {
            self.offer_links_of_piece(at, root_number, from, through);
        }
    }

    #[inline(never)]
    fn offer_links_of_piece(
        &mut self,
        at: &Expansion<'_>,
        root_number: u32,
        from: DVec2,
        through: Option<&Interval>,
    ) {
        let pieces = &at.mesh.pieces;
        for i in pieces.link_range(at.piece) {
            let sample = &pieces.link_samples[i];
            if !at.tables.is_open(sample.to_piece)
                || (sample.block != NONE && !self.search.on_the_way(sample.block))
            {
                continue;
            }
            let Some(cost) = at.tables.link_cost(sample.link, sample.length_m) else { continue };
            let root = self.roots[root_number as usize];
            let way = match through {
                Some(interval) => interval.length_through(from, sample.from),
                None => from.distance(sample.from),
            };
            let length = root.length + way + cost;
            let reached = &mut self.link_samples[i];
            if length >= reached.cost(self.search.run) {
                continue;
            }
            reached.set(self.search.run, length);
            let to_goal = sample.to.distance(self.search.goal);
            let rest = if self.flooding { 0.0 } else { to_goal };
            let before_goal = sample.to_piece == self.search.goal_piece;
            let factor = if before_goal { 1.0 } else { at.tables.least_factor };
            let key = length + rest * factor;
            if key > self.goal_length {
                continue;
            }
            let number = self.roots.len() as u32;
            self.roots.push(Root {
                at: sample.to,
                length,
                to_goal,
                fan: NONE,
                piece: sample.to_piece,
                tried: false,
                before: root_number,
                step: at.step,
            });
            let node = Node {
                interval: Interval::link_end(sample.to, i as u32),
                root: number,
                before: at.step,
                entry: NONE,
                piece: sample.to_piece,
            };
            self.keep(key, node);
        }
    }
}
