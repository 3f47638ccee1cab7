//! Bridges the gaps between treads.
//!
//! Goes in: fine depth maps, and where their ground ends. Comes out: pixels across gaps between two treads of which
//! one is higher by a step at most, where nothing as high as the lower one lies between them and a ramp would be
//! steep, measured straight across the upper tread's edge.

use crate::layered::model::face::Sought;
use crate::layered::model::fine_map::{FinePlace, PixelKind, STEPS};
use crate::layered::model::probe::Probe;
use crate::layered::model::scales::{MOST_PIXELS, RUN_PER_RISE, TOUCHING_UNITS};
use crate::layered::model::terrain::Terrain;
use crate::layered::walk_over::lay::{Bridge, pixel_for, places_from};

/// How much the direction across an edge must lead along the axis: edges run at 45° to it at most.
const LEAST_TOWARDS: f64 = std::f64::consts::FRAC_1_SQRT_2 - 1e-3;

/// Points nearer to an edge than this lie on it, in lattice units.
const ON_EDGE_UNITS: f64 = 2.0;

/// Finds the pixels that are to be laid between treads.
pub(super) fn bridge_steps(ends: &[(u32, u8)], terrain: Terrain<'_>) -> Vec<Bridge> {
    let mut probe = Probe::new(terrain);
    let mut laid = Vec::new();
    for &(pixel, direction) in ends {
        if terrain.kind(pixel) == PixelKind::Ground {
            laid.extend(bridge_from(pixel, usize::from(direction), &mut probe).unwrap_or_default());
        }
    }
    laid
}

/// The bridge from a pixel at which ground ends.
fn bridge_from(pixel: u32, direction: usize, probe: &mut Probe<'_>) -> Option<Vec<Bridge>> {
    let (terrain, scales) = (probe.terrain, probe.terrain.scales);
    let fine = f64::from(scales.fine);
    let place = places_from(terrain, pixel, direction);
    let a = terrain.height(pixel);
    let (k, other) = tread_beyond(terrain, &place, a)?;
    let b = terrain.height(other);
    // Ground reaches no farther than the next middle, and a gap is widest straight along the axis.
    let longest = RUN_PER_RISE * (a - b).abs() as f64;
    let widest = longest / LEAST_TOWARDS;
    if (k - 2) as f64 * fine > widest {
        return None;
    }
    // Whatever its slope, a bridge lies above the lower tread: where there is no room even there, nothing
    // need be cut.
    let lower = a.min(b);
    let range = [lower - scales.break_height as i64, lower + scales.height];
    if !(1..k).all(|j| terrain.is_free(place(j), range)) {
        return None;
    }
    // How far the ground goes on from both sides.
    let mut extent = |pixel: u32, direction: usize| {
        probe.walk_unbroken(&terrain.line_from(pixel, direction)).extent(scales)
    };
    let start = extent(pixel, direction);
    if (k - 1) as f64 * fine - start > widest {
        return None;
    }
    let end = k as f64 * fine - extent(other, direction + 2);
    let gap = end - start;
    if !(gap > 0.0) || gap > scales.longest_gap() {
        return None;
    }
    // Straight across, from the upper tread's edge, it may be narrower than along the axis.
    let middle = terrain.middle(pixel);
    let out = if a > b { start } else { end };
    let edge_at = [0, 1].map(|k| middle[k] as f64 + STEPS[direction][k] as f64 * out);
    let across = across_edge(terrain, edge_at, a.max(b), direction);
    let width = gap * across[direction];
    if width > longest {
        return None;
    }
    let slope = across.map(|v| v * (b - a) as f64 / width);
    let pixel_between = |j: i64| {
        let share = ((j as f64 * fine - start) / gap).clamp(0.0, 1.0);
        let z = a + ((b - a) as f64 * share).round() as i64;
        // From just below the lower tread up to the agent's head.
        let is_free = terrain.is_free(place(j), [range[0], z + scales.height]);
        let at = if is_free { pixel_for(terrain, place(j), lower, z) } else { None };
        at.map(|at| Bridge::between(terrain.map, [pixel, other], (at, z), slope, true))
    };
    (1..k).map(pixel_between).collect()
}

/// The ground at the end of a gap that a step reaches from a height, where all ground in the gap lies
/// lower than both: the nearest, and how many pixels away.
fn tread_beyond(
    terrain: Terrain<'_>,
    place: &impl Fn(i64) -> FinePlace,
    from: i64,
) -> Option<(i64, u32)> {
    let scales = terrain.scales;
    let most =
        ((scales.longest_gap() / f64::from(scales.fine)).floor() as i64 + 1).min(MOST_PIXELS);
    let in_reach = |p: &u32| (terrain.height(*p) - from).abs() <= scales.step;
    let slack = scales.break_height as i64;
    // The highest ground in the gap so far.
    let mut highest = i64::MIN;
    for k in 1..=most {
        let mut treads = terrain.grounds_at(place(k)).filter(in_reach);
        let Some(first) = treads.next() else { continue };
        let height = |p: u32| terrain.height(p);
        if k > 1 && highest < from.min(height(first)) - slack {
            return Some((k, first));
        }
        highest = treads.map(height).fold(highest.max(height(first)), i64::max);
        if highest >= from - slack {
            return None;
        }
    }
    None
}

/// The direction straight across the edge of ground that runs through a point at a height, towards an
/// axis; the axis itself where no such edge is found, or it runs more along the axis than across it.
fn across_edge(terrain: Terrain<'_>, at: [f64; 2], height: i64, axis: usize) -> [f64; 2] {
    let Terrain { slices, scales, .. } = terrain;
    let mut best = [0.0, 0.0];
    best[axis] = 1.0;
    let mut most = 0.0;
    let first = scales.coarse.first_column();
    let place = |k: usize| {
        let from_corner = at[k] - (first[k] * i64::from(scales.coarse.cell)) as f64;
        (from_corner / f64::from(scales.fine)).floor() as i64
    };
    let place = FinePlace { y: place(1), x: place(0) };
    let Some((column, _)) = place.in_column(scales) else { return best };
    let (low, high) = ((height - TOUCHING_UNITS) as f64, (height + TOUCHING_UNITS) as f64);
    let near = slices.faces_between(column, Sought::between(low, high).facing_up());
    for face in near.filter(|face| face.class.is_ground()) {
        let [a, b, c] = slices.triangles[face.triangle as usize].corners;
        for (a, b) in [(a, b), (b, c), (c, a)] {
            let Some(normal) = normal_at(at, [a, b]) else { continue };
            let sign = normal[axis].signum();
            let towards = normal[axis] * sign;
            // Of several, the one that leaves the gap widest.
            if towards > most && towards >= LEAST_TOWARDS {
                (most, best) = (towards, normal.map(|v| v * sign));
            }
        }
    }
    best
}

/// The direction across an edge that runs through a point in plan.
fn normal_at(at: [f64; 2], [a, b]: [[i32; 3]; 2]) -> Option<[f64; 2]> {
    let [ax, ay, bx, by] = [a[0], a[1], b[0], b[1]].map(f64::from);
    let (run, away) = ([bx - ax, by - ay], [at[0] - ax, at[1] - ay]);
    let length = run[0].hypot(run[1]);
    let along = (away[0] * run[0] + away[1] * run[1]) / length;
    let aside = (away[0] * run[1] - away[1] * run[0]) / length;
    let is_on_edge =
        aside.abs() <= ON_EDGE_UNITS && (-ON_EDGE_UNITS..=length + ON_EDGE_UNITS).contains(&along);
    is_on_edge.then(|| [run[1] / length, -run[0] / length])
}
