//! From a corridor to a path: corners by the funnel, heights from the surface, lengths and reports.
//!
//! In go start, goal and the crossings between them; out comes a [`Path`]. A corridor with links is
//! as many funnels as there are stretches between links. The points where the taut line crosses
//! portals give the height profile along the surface.

use super::filter::Tables;
use super::funnel::{Corner, Funnel, Portal, snapped};
use super::locate::Place;
use super::path::{GROUND_TOLERANCE_M, LinkUse, Path, PathPoints};
use super::search::Crossing;
use super::weighted::Relaxation;
use crate::data::{CellId, CellKind};
use crate::ground::Surface;
use crate::pieces::{LinkSample, closest_on_segment, share_on_segment};
use glam::DVec2;

/// Working memory of tracing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracer {
    pub(super) funnel: Funnel,
    pub(super) portals: Vec<Portal>,
    pub(super) portals_after: Vec<Portal>,
    pub(super) corners: Vec<Corner>,
    /// Whether the straight line from start to goal passes all portals, so that there are no corners.
    is_straight: bool,
    /// Link uses of the corridor, with their places improved.
    pub(super) links: Vec<LinkSample>,
    relaxation: Relaxation,
    profile: Vec<ProfilePoint>,
}

/// A point where the taut line meets a portal.
#[derive(Clone, Copy, Debug)]
struct ProfilePoint {
    plan: DVec2,
    height_m: f64,
    /// Which portal of the stretch; their number for the last point.
    portal: u32,
    /// Whether the line may turn here.
    is_corner: bool,
}

impl Tracer {
    /// Fills a cleared path from a corridor.
    pub(crate) fn trace(
        &mut self,
        mesh: Surface<'_>,
        tables: &Tables,
        start: Place,
        goal: Place,
        corridor: &[Crossing],
        is_straight: bool,
        points: PathPoints,
        path: &mut Path,
    ) {
        self.is_straight = is_straight;
        self.links.clear();
        self.links.extend(
            corridor.iter().filter_map(|c| c.as_link()).map(|s| mesh.pieces.link_samples[s]),
        );
        if !self.links.is_empty() {
            self.improve_links(mesh, tables, start.plan, goal.plan, corridor);
        }
        path.points.push(mesh.user_point(start.plan, start.height_m));
        path.cells.push(CellId(mesh.pieces.cells[start.piece as usize]));
        let (mut from, mut piece) = ((start.plan, start.height_m), start.piece);
        let mut rest = corridor;
        for k in 0..=self.links.len() {
            let stretch = &rest[..stretch_length(rest)];
            let link = self.links.get(k).copied();
            let to = match &link {
                Some(l) => (l.from, mesh.pieces.height(l.from_piece, l.from)),
                None => (goal.plan, goal.height_m),
            };
            self.trace_stretch(mesh, tables, from, to, piece, stretch, points, path);
            if let Some(l) = link {
                let end = (l.to, mesh.pieces.height(l.to_piece, l.to));
                path.links.push(LinkUse {
                    link: l.link,
                    backwards: l.backwards,
                    share: l.share,
                    point: path.points.len() - 1,
                });
                path.points.push(mesh.user_point(end.0, end.1));
                path.cells.push(CellId(mesh.pieces.cells[l.to_piece as usize]));
                path.surface_length_m += l.length_m;
                path.plan_length_m += l.length_m;
                path.cost += tables.link_cost(l.link, l.length_m).unwrap_or(l.length_m);
                from = end;
                piece = l.to_piece;
                rest = &rest[stretch.len() + 1..];
            }
        }
        path.cost *= f64::from(tables.base_cost);
        path.length_m = path
            .points
            .windows(2)
            .map(|w| glam::DVec3::from(w[0]).distance(glam::DVec3::from(w[1])))
            .sum();
    }

    /// Adds the way through portals from one place to another; the first point is there already.
    fn trace_stretch(
        &mut self,
        mesh: Surface<'_>,
        tables: &Tables,
        from: (DVec2, f64),
        to: (DVec2, f64),
        first_piece: u32,
        stretch: &[Crossing],
        points: PathPoints,
        path: &mut Path,
    ) {
        self.find_profile(mesh, tables, from.0, to.0, first_piece, stretch);
        self.profile.push(ProfilePoint {
            plan: to.0,
            height_m: to.1,
            portal: stretch.len() as u32,
            is_corner: true,
        });
        let kinds = &mesh.data().cell_kinds;
        let mut piece = first_piece;
        let mut at = from;
        for point in &self.profile {
            let plan_m = at.0.distance(point.plan);
            path.plan_length_m += plan_m;
            let rise_m = point.height_m - at.1;
            path.surface_length_m += (plan_m * plan_m + rise_m * rise_m).sqrt();
            path.cost += plan_m * tables.cost(piece);
            match kinds[mesh.pieces.cells[piece as usize] as usize] {
                CellKind::Gap => path.gap_length_m += plan_m,
                CellKind::Ramp => path.ramp_length_m += plan_m,
                CellKind::Ground => {}
            }
            at = (point.plan, point.height_m);
            if let Some(crossing) = stretch.get(point.portal as usize) {
                piece = crossing.entered(&mesh.pieces);
                let cell = CellId(mesh.pieces.cells[piece as usize]);
                if path.cells.last() != Some(&cell) {
                    path.cells.push(cell);
                }
            }
        }
        match points {
            PathPoints::Corners => push_corners(&self.profile, mesh, path),
            PathPoints::Ground => push_ground(&self.profile, mesh, from, path),
        }
    }

    /// Finds where the shortest line through a stretch of portals crosses each of them.
    fn find_profile(
        &mut self,
        mesh: Surface<'_>,
        tables: &Tables,
        from: DVec2,
        to: DVec2,
        first_piece: u32,
        stretch: &[Crossing],
    ) {
        let pieces = &mesh.pieces;
        fill_portals(mesh, stretch, &mut self.portals);
        self.corners.clear();
        self.profile.clear();
        if !self.is_straight {
            self.funnel.run(from, to, &self.portals, &mut self.corners);
        }
        let mut a = snapped(from, self.portals.first());
        let mut next = 0;
        for (i, portal) in self.portals.iter().enumerate() {
            let portal_number = i as u32;
            let mut met = false;
            while let Some(c) = self.corners.get(next).filter(|c| c.portal == portal_number) {
                self.profile.push(ProfilePoint {
                    plan: c.at,
                    height_m: 0.0,
                    portal: portal_number,
                    is_corner: true,
                });
                a = c.at;
                next += 1;
                met = true;
            }
            if !met {
                let b = self.corners.get(next).map_or(to, |c| c.at);
                let before = self.profile.last().map_or(a, |p| p.plan);
                // Portals that meet at the corner are crossed there, one after another.
                let at_corner = before == a && (portal.left == a || portal.right == a);
                self.profile.push(ProfilePoint {
                    plan: if at_corner { a } else { cross(a, b, portal, before) },
                    height_m: 0.0,
                    portal: portal_number,
                    is_corner: false,
                });
            }
        }
        if !tables.is_uniform() {
            let taut = self.profile.iter().map(|p| (p.portal, p.plan));
            let cost = |i: usize| {
                tables.cost(if i == 0 { first_piece } else { stretch[i - 1].entered(pieces) })
            };
            if self.relaxation.run(from, to, &self.portals, taut, cost) {
                self.profile.clear();
                self.profile.extend(self.relaxation.crossings().enumerate().map(|(i, plan)| {
                    ProfilePoint { plan, height_m: 0.0, portal: i as u32, is_corner: true }
                }));
            }
        }
        for point in &mut self.profile {
            let edge = stretch[point.portal as usize].edge();
            let (right, left) = pieces.segment(edge);
            let share = share_on_segment(right, left, point.plan);
            let twin = pieces.edges[edge as usize].twin;
            // On a step edge, the upper side.
            point.height_m =
                pieces.edge_height(edge, share).max(pieces.edge_height(twin, 1.0 - share));
        }
    }
}

/// The number of portals before the first link.
pub(super) fn stretch_length(corridor: &[Crossing]) -> usize {
    corridor.iter().position(|c| c.as_link().is_some()).unwrap_or(corridor.len())
}

/// Writes the portals of a stretch without links into a buffer.
pub(super) fn fill_portals(mesh: Surface<'_>, stretch: &[Crossing], portals: &mut Vec<Portal>) {
    portals.clear();
    portals.extend(stretch.iter().map(|c| {
        let (right, left) = mesh.pieces.segment(c.edge());
        Portal { left, right }
    }));
}

/// Where the line from `a` to `b`, which has come as far as `before`, crosses a portal.
fn cross(a: DVec2, b: DVec2, portal: &Portal, before: DVec2) -> DVec2 {
    let Portal { left, right } = *portal;
    let ahead = b - a;
    let (side_r, side_l) = (ahead.perp_dot(right - a), ahead.perp_dot(left - a));
    if side_r < 0.0 && side_l > 0.0 {
        let at = right + (left - right) * (side_r / (side_r - side_l));
        // Between where the line has come to and its end; nearly along the portal it may not be.
        if (at - before).dot(ahead) >= -ON_WAY_M && (b - at).dot(ahead) >= -ON_WAY_M {
            return at;
        }
    }
    // The line only touches the portal, or runs along it: the point of it that is least out of the
    // way, and of several that are on it the next.
    let detour = |p: DVec2| p.distance(before) + p.distance(b);
    let mut best = closest_on_segment(right, left, before);
    for other in [closest_on_segment(right, left, b), right, left] {
        if detour(other) < detour(best) - SAME_DETOUR_M {
            best = other;
        }
    }
    best
}

/// How far back along a line a crossing may lie, in metres times the line's length.
const ON_WAY_M: f64 = 1e-9;

/// Detours that differ by less than this are the same, in metres.
const SAME_DETOUR_M: f64 = 1e-12;

/// Corners and the last point. A corner at which the path rises or falls while it turns (the foot
/// of a spiral) is given at both heights.
fn push_corners(profile: &[ProfilePoint], mesh: Surface<'_>, path: &mut Path) {
    let mut i = 0;
    while i < profile.len() {
        let ProfilePoint { plan, height_m, is_corner, .. } = profile[i];
        if is_corner {
            path.points.push(mesh.user_point(plan, height_m));
            let mut last = i;
            while last + 2 < profile.len() && profile[last + 1].plan == plan {
                last += 1;
            }
            let leaving_m = profile[last].height_m;
            if (leaving_m - height_m).abs() > GROUND_TOLERANCE_M {
                path.points.push(mesh.user_point(plan, leaving_m));
            }
            i = last;
        }
        i += 1;
    }
}

/// All points that are needed for straight lines between them to follow the profile. A line goes
/// on as long as some slope passes all heights within the tolerance.
fn push_ground(profile: &[ProfilePoint], mesh: Surface<'_>, from: (DVec2, f64), path: &mut Path) {
    let mut base = from;
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut last = from;
    for point in profile {
        let at = (point.plan, point.height_m);
        let distance = base.0.distance(at.0);
        let slope = (at.1 - base.1) / distance;
        let fits = distance > 0.0 && (low..=high).contains(&slope);
        if !fits && last != base {
            path.points.push(mesh.user_point(last.0, last.1));
            base = last;
            (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        let distance = base.0.distance(at.0);
        if point.is_corner || distance <= 0.0 {
            if at != base || point.portal as usize + 1 == profile.len() {
                path.points.push(mesh.user_point(at.0, at.1));
            }
            base = at;
            (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        } else {
            low = low.max((at.1 - GROUND_TOLERANCE_M - base.1) / distance);
            high = high.min((at.1 + GROUND_TOLERANCE_M - base.1) / distance);
        }
        last = at;
    }
    // Start and goal are always there, even where they are one point.
    if path.points.len() < 2 {
        path.points.push(mesh.user_point(last.0, last.1));
    }
}
