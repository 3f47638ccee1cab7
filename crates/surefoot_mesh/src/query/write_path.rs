//! From a corridor to a path: corners by the funnel, heights from the surface, lengths and reports.
//!
//! In go start, goal and the crossings between them; out comes a [`Path`]. A corridor with links is
//! as many funnels as there are stretches between links. The points where the taut line crosses
//! portals give the height profile along the surface.

use super::corridor::{Crossing, fill_portals, stretch_length};
use super::filter::Tables;
use super::funnel::{Corner, Funnel, Portal, snapped};
use super::locate::Place;
use super::path::{GROUND_TOLERANCE_M, LinkUse, Path, PathPoints};
use super::query_mesh::QueryMesh;
use super::weighted::{LinkPlaces, Relaxation};
use crate::data::{CellId, CellKind, LinkId};
use crate::pieces::{LinkSample, closest_on_segment};
use glam::DVec2;

/// What a search has found.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) start: Place,
    pub(crate) goal: Place,
    pub(crate) corridor: &'a [Crossing],
    /// The corners of the shortest line through the corridor where the search has found them, for a
    /// corridor without links.
    pub(crate) corners: Option<&'a [Corner]>,
}

/// Writes paths, with the working memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathWriter {
    funnel: Funnel,
    portals: Vec<Portal>,
    corners: Vec<Corner>,
    links: LinkPlaces,
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

impl PathWriter {
    /// Fills a cleared path from a route.
    pub(crate) fn write(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        route: Route<'_>,
        points: PathPoints,
        path: &mut Path,
    ) {
        let Route { start, goal, corridor, corners } = route;
        self.links.take(mesh, corridor);
        path.points.push(mesh.user_point(start.plan, start.height_m));
        path.cells.push(CellId(mesh.pieces.cells[start.piece as usize]));
        let start_at = (start.plan, start.height_m);
        let goal_at = (goal.plan, goal.height_m);
        if self.links.all.is_empty() {
            let line = Stretch { mesh, tables, from: start_at, to: goal_at, portals: corridor };
            self.write_stretch(&line, start.piece, corners, points, path);
        } else {
            self.links.improve(mesh, tables, [start.plan, goal.plan], corridor);
            let (mut from, mut piece) = (start_at, start.piece);
            let mut rest = corridor;
            for k in 0..=self.links.all.len() {
                let portals = &rest[..stretch_length(rest)];
                let link = self.links.all.get(k).copied();
                let to = match &link {
                    Some(l) => (l.from, mesh.pieces.height(l.from_piece, l.from)),
                    None => goal_at,
                };
                let line = Stretch { mesh, tables, from, to, portals };
                self.write_stretch(&line, piece, None, points, path);
                if let Some(l) = link {
                    from = push_link(mesh, tables, &l, path);
                    piece = l.to_piece;
                    rest = &rest[portals.len() + 1..];
                }
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
    fn write_stretch(
        &mut self,
        line: &Stretch<'_>,
        first_piece: u32,
        corners: Option<&[Corner]>,
        points: PathPoints,
        path: &mut Path,
    ) {
        let Stretch { mesh, tables, from, to, portals } = *line;
        debug_assert!(corners.is_none_or(|known| {
            !line.cross_portals::<true>(known, |_| {}) || self.is_taut(line, known)
        }));
        let known = corners.is_some_and(|known| {
            if line.is_plain(points) {
                line.write_corners::<true>(known, first_piece, path)
            } else {
                self.profile.clear();
                line.cross_portals::<true>(known, |point| self.profile.push(point))
            }
        });
        if known && line.is_plain(points) {
            return;
        }
        if !known || !tables.is_uniform() {
            fill_portals(mesh, portals, &mut self.portals);
        }
        if !known {
            self.corners.clear();
            self.funnel.run(from.0, to.0, &self.portals, &mut self.corners);
            if line.is_plain(points) {
                line.write_corners::<false>(&self.corners, first_piece, path);
                return;
            }
            self.profile.clear();
            line.cross_portals::<false>(&self.corners, |point| self.profile.push(point));
        }
        if !tables.is_uniform() {
            self.relax(line, first_piece);
        }
        let last = line.last_point();
        self.profile.push(last);
        let mut legs = Legs::new(line, first_piece);
        self.profile.iter().for_each(|point| legs.add(line, point, path));
        match points {
            PathPoints::Corners => {
                let mut writer = CornerWriter::default();
                let before = self.profile.iter().take(self.profile.len() - 1);
                before.for_each(|point| writer.add(mesh, point, path));
                writer.add_last(mesh, &last, path);
            }
            PathPoints::Ground => push_ground(&self.profile, mesh, from, path),
        }
        legs.finish(line, path);
    }

    /// Whether corners that the search has found make a line as short as the funnel's: where rounding
    /// makes the funnel turn, a hair from a vertex, it may be shorter.
    fn is_taut(&mut self, line: &Stretch<'_>, known: &[Corner]) -> bool {
        let Stretch { mesh, from, to, portals, .. } = *line;
        fill_portals(mesh, portals, &mut self.portals);
        self.corners.clear();
        self.funnel.run(from.0, to.0, &self.portals, &mut self.corners);
        let length = |corners: &[Corner]| {
            let mut at = from.0;
            let points = corners.iter().map(|c| c.at).chain([to.0]);
            points.map(|p| std::mem::replace(&mut at, p).distance(p)).sum::<f64>()
        };
        length(known) - length(&self.corners) < SAME_LINE_M
    }

    /// Where ground costs more here than there: moves the crossings of the taut line to where the
    /// line is cheapest.
    fn relax(&mut self, line: &Stretch<'_>, first_piece: u32) {
        let Stretch { mesh, tables, from, to, portals } = *line;
        let pieces = &mesh.pieces;
        let taut = self.profile.iter().map(|p| (p.portal, p.plan));
        let cost = |i: usize| {
            tables.cost(if i == 0 { first_piece } else { portals[i - 1].entered(pieces) })
        };
        if self.relaxation.run(from.0, to.0, &self.portals, taut, cost) {
            self.profile.clear();
            let crossings = self.relaxation.crossings().zip(&self.portals).zip(portals);
            self.profile.extend((0..).zip(crossings).map(|(i, ((plan, portal), crossing))| {
                let height_m = pieces.portal_height(crossing.edge(), portal.share(plan));
                ProfilePoint { plan, height_m, portal: i, is_corner: true }
            }));
        }
    }
}

/// A way from one place to another through portals alone.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    mesh: QueryMesh<'a>,
    tables: &'a Tables,
    /// Where it starts and ends, with the heights.
    from: (DVec2, f64),
    to: (DVec2, f64),
    portals: &'a [Crossing],
}

impl Stretch<'_> {
    /// Whether the path can be written as its points are found.
    fn is_plain(&self, points: PathPoints) -> bool {
        self.tables.is_uniform() && points == PathPoints::Corners
    }

    fn last_point(&self) -> ProfilePoint {
        let (plan, height_m) = self.to;
        ProfilePoint { plan, height_m, portal: self.portals.len() as u32, is_corner: true }
    }

    /// Adds the line that turns at `corners` to a path, corner by corner. If `CHECK` and the line does
    /// not cross every portal the path stays as it is, and the answer is `false`.
    #[inline]
    fn write_corners<const CHECK: bool>(
        &self,
        corners: &[Corner],
        first_piece: u32,
        path: &mut Path,
    ) -> bool {
        let (points, cells) = (path.points.len(), path.cells.len());
        let mut legs = Legs::new(self, first_piece);
        let mut writer = CornerWriter::default();
        let crosses = self.cross_portals::<CHECK>(corners, |point| {
            legs.add(self, &point, path);
            writer.add(self.mesh, &point, path);
        });
        if !crosses {
            path.points.truncate(points);
            path.cells.truncate(cells);
            return false;
        }
        let last = self.last_point();
        legs.add(self, &last, path);
        writer.add_last(self.mesh, &last, path);
        legs.finish(self, path);
        true
    }

    /// The start as the first portal sees it.
    #[inline(never)]
    fn snapped_start(&self) -> DVec2 {
        self.portals.first().map_or(self.from.0, |first| {
            let (right, left) = self.mesh.pieces.portal(first.edge());
            snapped(self.from.0, Some(&Portal { left, right }))
        })
    }

    /// Visits the points where the line that turns at `corners` crosses each portal, in order. If
    /// `CHECK` it ends at a portal that the line passes by, by more than rounding, and says so:
    /// a line that crosses every portal is the shortest that does.
    #[inline(always)]
    fn cross_portals<const CHECK: bool>(
        &self,
        corners: &[Corner],
        mut visit: impl FnMut(ProfilePoint),
    ) -> bool {
        let pieces = &self.mesh.pieces;
        let mut a = self.snapped_start();
        let mut before = a;
        let mut corners = corners.iter();
        let mut corner = corners.next();
        let mut b = corner.map_or(self.to.0, |c| c.at);
        for (i, crossing) in (0_u32..).zip(self.portals) {
            let (right, left) = pieces.portal(crossing.edge());
            let portal = Portal { left, right };
            // Once as a rule, but more than one corner can belong to a portal.
            loop {
                let is_corner = corner.is_some_and(|c| c.portal == i);
                let (plan, share) = if is_corner {
                    a = b;
                    corner = corners.next();
                    b = corner.map_or(self.to.0, |c| c.at);
                    before = a;
                    if CHECK && a != portal.left && a != portal.right {
                        return false;
                    }
                    (a, portal.share(a))
                } else if before == a && (portal.left == a || portal.right == a) {
                    // Portals that meet at the corner are crossed there, one after another.
                    (a, portal.share(a))
                } else if let Some(crossed) = cross(a, b, &portal, before) {
                    before = crossed.0;
                    crossed
                } else {
                    if CHECK && passes_by(a, b, &portal) {
                        return false;
                    }
                    let touched = touch(b, &portal, before);
                    before = touched.0;
                    touched
                };
                let height_m = pieces.portal_height(crossing.edge(), share);
                visit(ProfilePoint { plan, height_m, portal: i, is_corner });
                if !(is_corner && corner.is_some_and(|c| c.portal == i)) {
                    break;
                }
            }
        }
        corner.is_none()
    }
}

/// What is added up along a stretch.
struct Legs {
    at: (DVec2, f64),
    /// Where the line has turned last.
    corner: DVec2,
    /// Whether all ground is alike, so that only whole legs need to be measured in plan.
    is_plain: bool,
    piece: u32,
    cell: u32,
    plan_length_m: f64,
    surface_length_m: f64,
    gap_length_m: f64,
    ramp_length_m: f64,
    cost: f64,
}

impl Legs {
    fn new(line: &Stretch<'_>, first_piece: u32) -> Self {
        let cell = line.mesh.pieces.cells[first_piece as usize];
        Self {
            at: line.from,
            corner: line.from.0,
            is_plain: line.tables.is_uniform() && line.mesh.pieces.only_ground,
            piece: first_piece,
            cell,
            plan_length_m: 0.0,
            surface_length_m: 0.0,
            gap_length_m: 0.0,
            ramp_length_m: 0.0,
            cost: 0.0,
        }
    }

    /// Goes on to the next point, and into the piece behind its portal.
    #[inline(always)]
    fn add(&mut self, line: &Stretch<'_>, point: &ProfilePoint, path: &mut Path) {
        let pieces = &line.mesh.pieces;
        let plan2 = self.at.0.distance_squared(point.plan);
        let rise_m = point.height_m - self.at.1;
        self.surface_length_m += (plan2 + rise_m * rise_m).sqrt();
        if self.is_plain {
            // Between corners the line is straight: one root for all of it.
            if point.is_corner {
                self.plan_length_m += self.corner.distance(point.plan);
                self.corner = point.plan;
            }
        } else {
            let plan_m = plan2.sqrt();
            self.plan_length_m += plan_m;
            self.cost += plan_m * line.tables.cost(self.piece);
            match line.mesh.data().cell_kinds[self.cell as usize] {
                CellKind::Gap => self.gap_length_m += plan_m,
                CellKind::Ramp => self.ramp_length_m += plan_m,
                CellKind::Ground => {}
            }
        }
        self.at = (point.plan, point.height_m);
        if let Some(crossing) = line.portals.get(point.portal as usize) {
            self.piece = pieces.edges[crossing.edge() as usize].twin_piece;
            let entered = pieces.cells[self.piece as usize];
            if entered != self.cell {
                self.cell = entered;
                path.cells.push(CellId(entered));
            }
        }
    }

    fn finish(self, line: &Stretch<'_>, path: &mut Path) {
        path.plan_length_m += self.plan_length_m;
        path.surface_length_m += self.surface_length_m;
        path.gap_length_m += self.gap_length_m;
        path.ramp_length_m += self.ramp_length_m;
        path.cost += if line.tables.is_uniform() { self.plan_length_m } else { self.cost };
    }
}

/// Adds a link to a path that has come to its start; returns where it ends.
fn push_link(
    mesh: QueryMesh<'_>,
    tables: &Tables,
    l: &LinkSample,
    path: &mut Path,
) -> (DVec2, f64) {
    let end = (l.to, mesh.pieces.height(l.to_piece, l.to));
    path.links.push(LinkUse {
        link: LinkId(l.link),
        backwards: l.backwards,
        share: l.share,
        point: path.points.len() - 1,
    });
    path.points.push(mesh.user_point(end.0, end.1));
    path.cells.push(CellId(mesh.pieces.cells[l.to_piece as usize]));
    path.surface_length_m += l.length_m;
    path.plan_length_m += l.length_m;
    path.cost += tables.link_cost(l.link, l.length_m).unwrap_or(l.length_m);
    end
}

/// Where the line from `a` to `b`, which has come as far as `before`, crosses a portal, and at which
/// share of it; nothing where it does not pass between the ends, or only nearly so.
#[inline(always)]
fn cross(a: DVec2, b: DVec2, portal: &Portal, before: DVec2) -> Option<(DVec2, f64)> {
    let Portal { left, right } = *portal;
    let ahead = b - a;
    let (side_r, side_l) = (ahead.perp_dot(right - a), ahead.perp_dot(left - a));
    let share = side_r / (side_r - side_l);
    let at = right + (left - right) * share;
    // Between where the line has come to and its end; nearly along the portal it may not be.
    let is_crossed = (side_r < 0.0)
        & (side_l > 0.0)
        & ((at - before).dot(ahead) >= -ON_WAY_M)
        & ((b - at).dot(ahead) >= -ON_WAY_M);
    if is_crossed { Some((at, share)) } else { None }
}

/// Whether the line from `a` to `b` misses a portal by more than rounding.
#[inline(never)]
fn passes_by(a: DVec2, b: DVec2, portal: &Portal) -> bool {
    let Portal { left, right } = *portal;
    let ahead = b - a;
    let slack = ON_PORTAL_M * ON_PORTAL_M * ahead.length_squared();
    let (side_r, side_l) = (ahead.perp_dot(right - a), ahead.perp_dot(left - a));
    let is_beside =
        (side_r > 0.0 && side_r * side_r > slack) || (side_l < 0.0 && side_l * side_l > slack);
    let progress = ahead.dot(right - a).max(ahead.dot(left - a));
    let is_behind = progress < 0.0 && progress * progress > slack;
    let beyond = ahead.dot(right - b).min(ahead.dot(left - b));
    let is_beyond = beyond > 0.0 && beyond * beyond > slack;
    // A line without length, as from one storey to the next, meets only what it stands on.
    let is_apart = || closest_on_segment(right, left, a).distance(a) > ON_PORTAL_M;
    let misses = is_beside || is_behind || is_beyond || (ahead == DVec2::ZERO && is_apart());
    // Around a corner portals may lie any way.
    misses && right != a && left != a
}

/// Where a line that only touches a portal, or runs along it, meets it: the point of it that is least
/// out of the way, and of several that are on it the next.
#[inline(never)]
fn touch(b: DVec2, portal: &Portal, before: DVec2) -> (DVec2, f64) {
    let Portal { left, right } = *portal;
    let detour = |p: DVec2| p.distance(before) + p.distance(b);
    let mut best = closest_on_segment(right, left, before);
    for other in [closest_on_segment(right, left, b), right, left] {
        if detour(other) < detour(best) - SAME_DETOUR_M {
            best = other;
        }
    }
    (best, portal.share(best))
}

/// How far back along a line a crossing may lie, in metres times the line's length.
const ON_WAY_M: f64 = 1e-9;

/// How far beside a portal's end a line may pass and still go through the portal, in metres.
const ON_PORTAL_M: f64 = 1e-8;

/// By how much lines may differ in length that are the same but for rounding, in metres.
const SAME_LINE_M: f64 = 1e-6;

/// Detours that differ by less than this are the same, in metres.
const SAME_DETOUR_M: f64 = 1e-12;

/// Writes corners and the last point. A corner at which the path rises or falls while it turns (the
/// foot of a spiral) is given at both heights.
#[derive(Default)]
struct CornerWriter {
    /// The corner written last: where, at which height it was reached and at which the line has come
    /// since without leaving it.
    corner: Option<(DVec2, f64, f64)>,
}

impl CornerWriter {
    #[inline(always)]
    fn add(&mut self, mesh: QueryMesh<'_>, point: &ProfilePoint, path: &mut Path) {
        match &mut self.corner {
            Some((plan, _, leaving_m)) if *plan == point.plan => *leaving_m = point.height_m,
            _ if point.is_corner => self.add_last(mesh, point, path),
            Some(_) => self.leave(mesh, path),
            None => {}
        }
    }

    fn add_last(&mut self, mesh: QueryMesh<'_>, point: &ProfilePoint, path: &mut Path) {
        self.leave(mesh, path);
        path.points.push(mesh.user_point(point.plan, point.height_m));
        self.corner = Some((point.plan, point.height_m, point.height_m));
    }

    fn leave(&mut self, mesh: QueryMesh<'_>, path: &mut Path) {
        if let Some((plan, reached_m, leaving_m)) = self.corner.take()
            && (leaving_m - reached_m).abs() > GROUND_TOLERANCE_M
        {
            path.points.push(mesh.user_point(plan, leaving_m));
        }
    }
}

/// All points that are needed for straight lines between them to follow the profile. A line goes
/// on as long as some slope passes all heights within the tolerance.
fn push_ground(profile: &[ProfilePoint], mesh: QueryMesh<'_>, from: (DVec2, f64), path: &mut Path) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Portals on the line itself are crossed only where the line reaches them.
    #[test]
    fn a_line_that_ends_before_a_portal_passes_by() {
        let at = |y: f64| DVec2::new(0.0, y);
        let portal = |left: f64, right: f64| Portal { left: at(left), right: at(right) };
        // From one storey to another at the same place, and short of the portal.
        for (from, to) in [(0.0, 0.0), (0.0, -0.5), (0.0, 0.5), (-1.5, -1.2), (-1.5, -2.0)] {
            assert!(passes_by(at(from), at(to), &portal(-0.8, -1.1)), "{from} to {to}");
        }
        for (from, to) in [(0.0, -0.8), (0.0, -1.0), (0.0, -2.0), (-0.9, -0.9), (-2.0, -1.1)] {
            assert!(!passes_by(at(from), at(to), &portal(-0.8, -1.1)), "{from} to {to}");
        }
    }
}
