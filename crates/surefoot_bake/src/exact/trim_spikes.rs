//! Trims spikes: parts of a piece of ground that are narrower than the noise.
//!
//! Goes in: pieces after the cut. Comes out: the same without parts that are less than [`WIDTH_M`]
//! wide between two nearly parallel edges. Such parts are seen between shadows that were meant to
//! touch (T-junctions, jitter); they would lie between the ground on either side and keep it apart,
//! and as a boundary they would erode it. The crack that they leave is closed like any other.

use crate::borders::pairs::MarkedFace;
use crate::input::limits::NOISE_M;
use crate::surface::{Face, class_of_label, plan_m, plan_units};
use glam::DVec2;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::overlay::{Overlayer, counter_clockwise};
use surefoot_geom::polygon::Contour;
use surefoot_mesh::EdgeClass;

/// Parts narrower than this are noise, in metres.
const WIDTH_M: f64 = NOISE_M;

/// Cosine of the largest angle between the two sides of a spike: about 2.5°. Wider angles are corners.
const PARALLEL_COSINE: f64 = -0.999;

/// How far the trimmed shape reaches beyond the two sides, in lattice units.
const BEYOND_UNITS: f64 = 2.0;

/// A piece without its spikes: usually itself, sometimes nothing or several.
pub(crate) fn trim_spikes(face: MarkedFace, overlayer: &mut Overlayer) -> Vec<MarkedFace> {
    if is_sliver(&face) {
        return Vec::new();
    }
    let edges: Vec<(LatticePoint, LatticePoint)> =
        face.edges().map(|(e, to)| (e.from, to)).collect();
    if edges.len() <= 3 {
        return vec![face];
    }
    let spikes = find_spikes(&edges);
    if spikes.is_empty() {
        return vec![face];
    }
    let subject: Vec<(LatticePoint, LatticePoint, u32)> =
        face.edges().map(|(e, to)| (e.from, to, e.class as u32)).collect();
    let clips: Vec<(Contour, u32)> =
        spikes.into_iter().map(|c| (c, EdgeClass::Blocked as u32)).collect();
    overlayer
        .difference_labelled(&subject, &clips)
        .iter()
        .map(|piece| {
            let class = |c: usize, i: usize| class_of_label(piece.labels[c][i]);
            Face::from_polygon(&piece.polygon, class, &face.origin())
        })
        .filter(|f| !is_sliver(f))
        .collect()
}

/// Whether all of a piece is narrow.
fn is_sliver(face: &MarkedFace) -> bool {
    let border: f64 = face.edges().map(|(e, to)| plan_m(e.from).distance(plan_m(to))).sum();
    2.0 * face.area_m2() < WIDTH_M * border
}

/// The narrow parts between two edges that run opposite ways with the face between them.
fn find_spikes(edges: &[(LatticePoint, LatticePoint)]) -> Vec<Contour> {
    let width = WIDTH_M * LATTICE_PER_M;
    let edge_box = |i: usize, margin: f64| {
        let (a, b) = (plan_units(edges[i].0), plan_units(edges[i].1));
        Aabb::in_plan(a.min(b) - margin, a.max(b) + margin)
    };
    let tree = BoxTree::build_with(edges.len(), |i| edge_box(i as usize, 0.0));
    let mut spikes = Vec::new();
    for i in 0..edges.len() {
        tree.visit_box(&edge_box(i, width), |j| {
            if j as usize > i {
                spikes.extend(spike_between(edges[i], edges[j as usize], width));
            }
        });
    }
    spikes
}

fn spike_between(
    e: (LatticePoint, LatticePoint),
    f: (LatticePoint, LatticePoint),
    width: f64,
) -> Option<Contour> {
    let a = plan_units(e.0);
    let run = plan_units(e.1) - a;
    let length = run.length();
    let along = run / length;
    let inwards = along.perp();
    let (c, d) = (plan_units(f.0) - a, plan_units(f.1) - a);
    if (d - c).normalize_or_zero().dot(along) > PARALLEL_COSINE {
        return None;
    }
    let (near, far) = (d.dot(along).max(0.0), c.dot(along).min(length));
    if far - near < width {
        return None;
    }
    let at = |s: f64| {
        let t = (s - c.dot(along)) / (d - c).dot(along);
        c.lerp(d, t).dot(inwards)
    };
    let (w0, w1) = (at(near), at(far));
    if w0.min(w1) < -BEYOND_UNITS || w0.max(w1) > width {
        return None;
    }
    let corner = |s: f64, w: f64| {
        let p: DVec2 = a + along * s + inwards * w;
        LatticePoint::from_units(p.x, p.y)
    };
    counter_clockwise(vec![
        corner(near, -BEYOND_UNITS),
        corner(far, -BEYOND_UNITS),
        corner(far, w1 + BEYOND_UNITS),
        corner(near, w0 + BEYOND_UNITS),
    ])
}
