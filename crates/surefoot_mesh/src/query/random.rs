//! Random places, uniform by area.
//!
//! In go numbers from the caller's own generator; out come places. Over a whole mesh, a piece is
//! drawn by its share of the area and a point in it by the shares of its triangles. Within a
//! radius, the pieces that are joined to the centre within the circle are cut to a polygon around
//! it first, so that hardly any draw is wasted however large the pieces are.

use super::filter::Tables;
use super::locate::Place;
use super::query_mesh::QueryMesh;
use super::ray::passable;
use crate::pieces::closest_on_segment;
use glam::DVec2;

/// Corners of the polygon around the circle: it is larger than the circle by 0.2 %.
const CIRCLE_CORNERS: usize = 40;

/// Circles are no larger, in metres: more than any mesh.
const FARTHEST_M: f64 = 1e9;

/// Draws before giving up on a circle, each of which succeeds 99 times in 100.
const MAX_DRAWS: usize = 64;

/// A caller's number as a share from 0 to below 1, whatever it is.
fn share(number: f64) -> f64 {
    const MOST: f64 = 1.0 - f64::EPSILON;
    // Not a number counts as zero.
    if number > 0.0 { number.min(MOST) } else { 0.0 }
}

/// Tables and working memory for drawing places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    /// Areas of the pieces up to and with each, for the pieces of `pieces`.
    sums: Vec<f64>,
    pieces: Vec<u32>,
    /// Which component `sums` is for, and whether it is ready.
    ready_for: Option<Option<u32>>,
    polygon: Vec<DVec2>,
    clipped: Vec<DVec2>,
    circle_sums: Vec<f64>,
    circle_pieces: Vec<u32>,
    seen: Vec<u32>,
    run: u32,
}

impl Drawing {
    /// Forgets the tables, after the filter has changed.
    pub(crate) fn reset(&mut self) {
        self.ready_for = None;
    }

    /// A place on all ground, or on one component of it.
    pub(crate) fn anywhere(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        component: Option<u32>,
        random: &mut dyn FnMut() -> f64,
    ) -> Option<Place> {
        if self.ready_for != Some(component) {
            self.sums.clear();
            self.pieces.clear();
            let mut sum = 0.0;
            for piece in 0..mesh.pieces.piece_count() as u32 {
                if tables.is_open(piece)
                    && component.is_none_or(|c| tables.component(mesh, piece) == c)
                {
                    fill(mesh, piece, &mut self.polygon);
                    sum += area(&self.polygon);
                    self.sums.push(sum);
                    self.pieces.push(piece);
                }
            }
            self.ready_for = Some(component);
        }
        let total = *self.sums.last()?;
        let pick = share(random()) * total;
        let i = self.sums.partition_point(|&s| s <= pick).min(self.sums.len() - 1);
        let piece = self.pieces[i];
        fill(mesh, piece, &mut self.polygon);
        let plan = draw(&self.polygon, random)?;
        Some(Place { piece, plan, height_m: mesh.pieces.height(piece, plan) })
    }

    /// A place within a distance of another, in plan, joined to it within the circle.
    pub(crate) fn near(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        centre: Place,
        radius_m: f64,
        random: &mut dyn FnMut() -> f64,
    ) -> Option<Place> {
        // Written so that no number counts as none.
        let radius_m = if radius_m > 0.0 { radius_m.min(FARTHEST_M) } else { 0.0 };
        let pieces = &mesh.pieces;
        self.gather(mesh, tables, centre, radius_m);
        self.circle_sums.clear();
        let mut sum = 0.0;
        for i in 0..self.circle_pieces.len() {
            self.clip(mesh, self.circle_pieces[i], centre.plan, radius_m);
            sum += area(&self.polygon);
            self.circle_sums.push(sum);
        }
        if sum <= 0.0 {
            return Some(centre);
        }
        for _ in 0..MAX_DRAWS {
            let pick = share(random()) * sum;
            let i = self.circle_sums.partition_point(|&s| s <= pick);
            let piece = self.circle_pieces[i.min(self.circle_pieces.len() - 1)];
            self.clip(mesh, piece, centre.plan, radius_m);
            if let Some(plan) = draw(&self.polygon, random)
                && plan.distance(centre.plan) <= radius_m
            {
                return Some(Place { piece, plan, height_m: pieces.height(piece, plan) });
            }
        }
        Some(centre)
    }

    /// The pieces joined to the centre by edges that meet the circle.
    fn gather(&mut self, mesh: QueryMesh<'_>, tables: &Tables, centre: Place, radius_m: f64) {
        let pieces = &mesh.pieces;
        self.run = self.run.wrapping_add(1);
        if self.seen.len() < pieces.piece_count() || self.run == 0 {
            self.seen.clear();
            self.seen.resize(pieces.piece_count(), 0);
            self.run = self.run.max(1);
        }
        self.circle_pieces.clear();
        self.circle_pieces.push(centre.piece);
        self.seen[centre.piece as usize] = self.run;
        let mut next = 0;
        while let Some(&piece) = self.circle_pieces.get(next) {
            next += 1;
            for i in pieces.range(piece) {
                if !passable(pieces, tables, i) {
                    continue;
                }
                let other = pieces.edges[i].twin_piece;
                let (a, b) = pieces.segment(i as u32);
                let near = closest_on_segment(a, b, centre.plan).distance(centre.plan) < radius_m;
                if near && self.seen[other as usize] != self.run {
                    self.seen[other as usize] = self.run;
                    self.circle_pieces.push(other);
                }
            }
        }
    }

    /// Cuts a piece to a polygon around the circle.
    fn clip(&mut self, mesh: QueryMesh<'_>, piece: u32, centre: DVec2, radius_m: f64) {
        fill(mesh, piece, &mut self.polygon);
        for k in 0..CIRCLE_CORNERS {
            let angle = k as f64 / CIRCLE_CORNERS as f64 * std::f64::consts::TAU;
            let out = DVec2::from_angle(angle);
            let side = |p: DVec2| radius_m - out.dot(p - centre);
            self.clipped.clear();
            for i in 0..self.polygon.len() {
                let (a, b) = (self.polygon[i], self.polygon[(i + 1) % self.polygon.len()]);
                let (side_a, side_b) = (side(a), side(b));
                if side_a >= 0.0 {
                    self.clipped.push(a);
                }
                if (side_a > 0.0 && side_b < 0.0) || (side_a < 0.0 && side_b > 0.0) {
                    self.clipped.push(a + (b - a) * (side_a / (side_a - side_b)));
                }
            }
            std::mem::swap(&mut self.polygon, &mut self.clipped);
        }
    }
}

fn fill(mesh: QueryMesh<'_>, piece: u32, polygon: &mut Vec<DVec2>) {
    polygon.clear();
    polygon.extend(mesh.pieces.range(piece).map(|i| mesh.pieces.edges[i].start()));
}

fn area(polygon: &[DVec2]) -> f64 {
    let mut sum = 0.0;
    for i in 1..polygon.len().saturating_sub(1) {
        sum += (polygon[i] - polygon[0]).perp_dot(polygon[i + 1] - polygon[0]).max(0.0);
    }
    sum * 0.5
}

/// A point of a convex polygon.
fn draw(polygon: &[DVec2], random: &mut dyn FnMut() -> f64) -> Option<DVec2> {
    let mut pick = share(random()) * area(polygon) * 2.0;
    let mut chosen = None;
    for i in 1..polygon.len().saturating_sub(1) {
        let part = (polygon[i] - polygon[0]).perp_dot(polygon[i + 1] - polygon[0]).max(0.0);
        if part > 0.0 {
            chosen = Some(i);
            if pick < part {
                break;
            }
        }
        pick -= part;
    }
    let i = chosen?;
    let (mut s, mut t) = (share(random()), share(random()));
    if s + t > 1.0 {
        (s, t) = (1.0 - s, 1.0 - t);
    }
    Some(polygon[0] + (polygon[i] - polygon[0]) * s + (polygon[i + 1] - polygon[0]) * t)
}
