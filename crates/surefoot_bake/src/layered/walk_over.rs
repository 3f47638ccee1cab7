//! Walks over what lies between ground and ground within a step: leaning risers, the gaps of open
//! stairs, and cracks.
//!
//! Goes in: fine depth maps in which surfaces too steep to walk on are marked. Comes out: the same, with
//! those kept that lead straight from ground below to ground above within one step, all over their
//! triangle; with pixels laid across gaps between treads, measured straight across the upper tread's
//! edge, and over cracks no wider than the gap distance; and without what another layer found too. The
//! rules are those of the voxel and of the exact pipeline; the source (Oliva 2012) takes whatever has a
//! similar depth as ground.

mod find_ends;
mod keep_risers;

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::cutting_shape::CuttingShape;
use crate::layered::fine_map::{
    BridgePlane, FineMap, FinePlace, NO_HEIGHT, PixelKind, STEPS, clear, column_at,
};
use crate::layered::link_pixels::line_from;
use crate::layered::narrow_treads::find_narrow_treads;
use crate::layered::probe::{Line, Look, Probe};
use crate::layered::refine::height_over_middle;
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::{Slices, Sought};
use crate::layered::walk_over::find_ends::find_ends;
use crate::layered::walk_over::keep_risers::keep_risers;
use crate::surface::WalkableSurface;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_mesh::CellKind;

/// The most pixels that a bridge is long, or a riser wide.
const MOST_PIXELS: i64 = 64;

/// The run of the steepest bridge over a gap for its rise: 55°.
pub(crate) const RUN_PER_RISE: f64 = 0.7;

/// How much the direction across an edge must lead along the axis: edges run at 45° to it at most.
const LEAST_TOWARDS: f64 = std::f64::consts::FRAC_1_SQRT_2 - 1e-3;

/// Points nearer to an edge than this lie on it, in lattice units.
const ON_EDGE_UNITS: f64 = 2.0;

pub(crate) fn walk_over(
    mut map: FineMap,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let risers = keep_risers(&mut map, slices, scales);
    context.check_cancelled()?;
    let doubled = drop_doubled(&mut map, scales);
    let mut probe = Probe::default();
    let ends = find_ends(&map, scales);
    let treads = find_narrow_treads(&map, &ends, slices, scales, &mut probe);
    let treads = lay(&mut map, treads);
    let bridges = lay_bridges(&mut map, &ends, slices, scales, &mut probe);
    let cracks = close_cracks(&mut map, &ends, slices, scales, &mut probe);
    // What lies under a bridge is no ground.
    let under = if treads + bridges + cracks > 0 { drop_doubled(&mut map, scales) } else { 0 };
    let doubled = doubled + under;
    context.count("risers", risers);
    context.count("narrow_treads", treads);
    context.count("bridges", bridges);
    context.count("cracks", cracks);
    context.count("doubled_pixels", doubled);
    context.count("ground_pixels", map.heights.iter().filter(|h| **h != NO_HEIGHT).count());
    Ok(map)
}

/// Two cells of one column may find the same ground, or ground so near above that the upper one wins.
/// Returns how many pixels lost theirs.
fn drop_doubled(map: &mut FineMap, scales: &Scales) -> usize {
    let per_cell = scales.pixels_per_cell();
    let mut dropped = 0;
    let mut found: Vec<(i32, std::cmp::Reverse<usize>)> = Vec::new();
    for column in 0..map.shape.firsts.len() - 1 {
        let cells = map.shape.firsts[column] as usize..map.shape.firsts[column + 1] as usize;
        if cells.len() < 2 {
            continue;
        }
        if !cells_are_near(&map.shape, cells.clone(), scales) {
            continue;
        }
        for pixel in 0..per_cell {
            found.clear();
            found.extend(
                cells
                    .clone()
                    .map(|c| (map.heights[c * per_cell + pixel], std::cmp::Reverse(c)))
                    .filter(|f| f.0 != NO_HEIGHT),
            );
            if found.len() < 2 {
                continue;
            }
            found.sort_unstable();
            for pair in found.windows(2) {
                if i64::from(pair[1].0) - i64::from(pair[0].0) < scales.height {
                    clear(map, pair[0].1.0 * per_cell + pixel);
                    dropped += 1;
                }
            }
        }
    }
    dropped
}

/// Whether ground of two cells of a column may lie within the agent's height. Cells are sorted from
/// below; risers and what was laid lie up to a step beside the heights of their cell.
fn cells_are_near(
    shape: &CuttingShape,
    mut cells: std::ops::Range<usize>,
    scales: &Scales,
) -> bool {
    let mut top = i64::MIN;
    cells.any(|c| {
        let is_near = i64::from(shape.lows[c]) - scales.step < top + scales.height;
        top = top.max(i64::from(shape.highs[c]) + scales.step);
        is_near
    })
}

/// A pixel across a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bridge {
    pub(crate) pixel: u32,
    pub(crate) height: i32,
    /// The lower tread.
    pub(crate) ground: u32,
    pub(crate) area: u16,
    pub(crate) plane: BridgePlane,
}

impl Bridge {
    /// A pixel at a height between two pixels of ground. Ground and area are those of the lower one.
    pub(crate) fn between(
        map: &FineMap,
        ends: [u32; 2],
        (pixel, height): (u32, i64),
        slope: [f64; 2],
        is_ramp: bool,
    ) -> Self {
        let [a, b] = ends.map(|p| map.heights[p as usize]);
        let lower = ends[usize::from(a > b)] as usize;
        let range = [a.min(b), a.max(b)];
        Self {
            pixel,
            height: height as i32,
            ground: map.grounds[lower],
            area: map.areas[lower],
            plane: BridgePlane { slope, range, is_ramp },
        }
    }
}

/// The places that follow a pixel to the east or to the north: for each the cells over it, and the number of
/// its pixel in them. Nothing beyond the grid.
pub(crate) struct PlacesAhead<'a> {
    shape: &'a CuttingShape,
    per_cell: u32,
    column: u32,
    within: u32,
    /// From one pixel to the next in a column, and how many are left in it.
    stride: u32,
    left: u32,
    side: u32,
    /// The same for columns.
    column_stride: u32,
    columns_left: u32,
}

impl<'a> PlacesAhead<'a> {
    pub(crate) fn new(map: &'a FineMap, pixel: u32, direction: usize, scales: &Scales) -> Self {
        let (side, grid) = (scales.per_side, &scales.coarse);
        let (cell, within) = scales.by_cell.divide(pixel);
        let (j, i) = scales.by_side.divide(within);
        let column = map.shape.columns[cell as usize];
        let [x, y] = scales.place(column);
        let (stride, column_stride) = if direction == 0 { (1, 1) } else { (side, grid.width) };
        Self {
            shape: &map.shape,
            per_cell: side * side,
            column,
            within,
            stride,
            left: side - 1 - if direction == 0 { i } else { j },
            side,
            column_stride,
            columns_left: if direction == 0 { grid.width - 1 - x } else { grid.depth - 1 - y },
        }
    }

    /// The pixels of all layers at the next place.
    #[inline]
    pub(crate) fn next_pixels(&mut self) -> impl Iterator<Item = u32> + Clone + use<> {
        let mut cells = 0..0;
        if self.left > 0 {
            self.left -= 1;
            self.within += self.stride;
            cells = self.shape.cells_of(self.column);
        } else if self.columns_left > 0 {
            self.columns_left -= 1;
            self.left = self.side - 1;
            self.column += self.column_stride;
            self.within -= self.left * self.stride;
            cells = self.shape.cells_of(self.column);
        }
        let (per_cell, within) = (self.per_cell, self.within);
        cells.map(move |cell| cell * per_cell + within)
    }
}

/// The places that follow a pixel in a direction, by their number.
pub(crate) fn places_from(
    map: &FineMap,
    pixel: u32,
    direction: usize,
    scales: &Scales,
) -> impl Fn(i64) -> FinePlace + use<> {
    let here = map.place(pixel, scales);
    let [dx, dy] = STEPS[direction];
    move |k| FinePlace { y: here.y + k * dy, x: here.x + k * dx }
}

/// Lays pixels across gaps between two treads of which one is higher by a step at most, where nothing
/// as high as the lower one lies between them and a ramp would be steep. Returns how many.
fn lay_bridges(
    map: &mut FineMap,
    ends: &[(u32, u8)],
    slices: &Slices,
    scales: &Scales,
    probe: &mut Probe,
) -> usize {
    let fine = f64::from(scales.fine);
    let most = ((longest_gap(scales) / fine).floor() as i64 + 1).min(MOST_PIXELS);
    let mut laid: Vec<Bridge> = Vec::new();
    for &(pixel, direction) in ends {
        let direction = usize::from(direction);
        if map.kinds[pixel as usize] != PixelKind::Ground {
            continue;
        }
        let a = i64::from(map.heights[pixel as usize]);
        let ahead = PlacesAhead::new(map, pixel, direction, scales);
        let Some((k, other)) = tread_beyond(map, ahead, most, a, scales) else { continue };
        let b = i64::from(map.heights[other as usize]);
        // Ground reaches no farther than the next middle, and a gap is widest straight along the axis.
        let widest = RUN_PER_RISE * (a - b).abs() as f64 / LEAST_TOWARDS;
        if (k - 2) as f64 * fine > widest {
            continue;
        }
        let place = places_from(map, pixel, direction, scales);
        // Whatever its slope, a bridge lies above the lower tread: where there is no room even there, nothing
        // need be cut.
        let lower = a.min(b);
        let range = [lower - scales.break_height as i64, lower + scales.height];
        if !(1..k).all(|j| is_free(slices, place(j), range, scales)) {
            continue;
        }
        let start = ground_end(map, pixel, direction, slices, scales, probe);
        if (k - 1) as f64 * fine - start > widest {
            continue;
        }
        let end = k as f64 * fine - ground_end(map, other, direction + 2, slices, scales, probe);
        let gap = end - start;
        if !(gap > 0.0) || gap > longest_gap(scales) {
            continue;
        }
        // Straight across, from the upper tread's edge, it may be narrower than along the axis.
        let middle = map.middle(pixel, scales);
        let out = if a > b { start } else { end };
        let edge_at = [0, 1].map(|k| middle[k] as f64 + STEPS[direction][k] as f64 * out);
        let across = across_edge(slices, edge_at, a.max(b), direction, scales);
        let width = gap * across[direction];
        if width > RUN_PER_RISE * (a - b).abs() as f64 {
            continue;
        }
        let slope = across.map(|v| v * (b - a) as f64 / width);
        let between: Option<Vec<_>> = (1..k)
            .map(|j| {
                let share = ((j as f64 * fine - start) / gap).clamp(0.0, 1.0);
                let z = a + ((b - a) as f64 * share).round() as i64;
                // From just below the lower tread up to the agent's head.
                let free = is_free(slices, place(j), [range[0], z + scales.height], scales);
                let at = if free { pixel_for(map, place(j), lower, z, scales) } else { None };
                at.map(|at| Bridge::between(map, [pixel, other], (at, z), slope, true))
            })
            .collect();
        laid.extend(between.into_iter().flatten());
    }
    lay(map, laid)
}

/// Puts bridges into the map; returns how many pixels they are.
fn lay(map: &mut FineMap, mut laid: Vec<Bridge>) -> usize {
    laid.sort_by_key(|b| (b.pixel, b.height));
    // Where two bridges cross, one is laid.
    laid.dedup_by_key(|b| b.pixel);
    for bridge in &laid {
        let p = bridge.pixel as usize;
        map.heights[p] = bridge.height;
        map.grounds[p] = bridge.ground;
        map.areas[p] = bridge.area;
        map.kinds[p] = PixelKind::Bridge;
    }
    map.bridges.extend(laid.iter().map(|b| (b.pixel, b.plane)));
    map.bridges.sort_by_key(|b| b.0);
    laid.len()
}

/// Closes cracks: a pixel without ground between two that have it, where what is missing is no wider
/// than the gap distance and nothing stands there that is too high to be stepped over. Returns how many.
fn close_cracks(
    map: &mut FineMap,
    ends: &[(u32, u8)],
    slices: &Slices,
    scales: &Scales,
    probe: &mut Probe,
) -> usize {
    let fine = f64::from(scales.fine);
    let mut laid: Vec<Bridge> = Vec::new();
    for &(pixel, direction) in ends {
        let direction = usize::from(direction);
        let a = i64::from(map.heights[pixel as usize]);
        if map.kinds[pixel as usize] == PixelKind::Bridge {
            continue;
        }
        let rise = |p: u32| i64::from(map.heights[p as usize]) - a;
        let in_reach = |p: &u32| map.has_ground(*p) && rise(*p).abs() <= scales.step;
        let mut ahead = PlacesAhead::new(map, pixel, direction, scales);
        if ahead.next_pixels().any(|p| in_reach(&p)) {
            continue;
        }
        let beyond = ahead.next_pixels().filter(in_reach);
        let beyond = beyond.filter(|&p| map.kinds[p as usize] != PixelKind::Bridge);
        let Some(other) = beyond.min_by_key(|&p| (rise(p).abs(), p)) else { continue };
        let b = a + rise(other);
        let z = (a + b) / 2;
        let place = places_from(map, pixel, direction, scales);
        let Some(at) = pixel_for(map, place(1), a.min(b), z, scales) else { continue };
        if !is_free(slices, place(1), [z + scales.step, z + scales.height], scales) {
            continue;
        }
        let lines = [(pixel, direction), (other, direction + 2)]
            .map(|(pixel, direction)| line_from(map, pixel, direction, slices, scales));
        let is_wide = |start: f64, end: f64| 2.0 * fine - start - end > scales.gap;
        // Most end too soon, whatever stands on them.
        let ground =
            lines.map(|line| probe.walk_unbroken(&line, map, slices, scales).extent(scales));
        if is_wide(ground[0], ground[1]) {
            continue;
        }
        let mut extent = |line: &Line| {
            probe.look(line, Look::All, map, slices, scales);
            probe.low_extent(line, scales.break_height, scales)
        };
        // From the other side the ground is looked at as far as the middle between them, no farther.
        let Some(start) = extent(&lines[0]).filter(|s| !is_wide(*s, fine)) else { continue };
        if extent(&lines[1]).is_none_or(|end| is_wide(start, end)) {
            continue;
        }
        let mut slope = [0.0; 2];
        slope[direction] = (b - a) as f64 / (2.0 * fine);
        laid.push(Bridge::between(map, [pixel, other], (at, z), slope, false));
    }
    lay(map, laid)
}

/// The next pixel in a direction, where it lies in the same cell.
pub(crate) fn next_in_cell(pixel: u32, direction: usize, scales: &Scales) -> Option<u32> {
    let side = scales.per_side;
    let (j, i) = scales.by_side.divide(scales.by_cell.divide(pixel).1);
    match direction {
        0 => (i + 1 < side).then(|| pixel + 1),
        1 => (j + 1 < side).then(|| pixel + side),
        2 => (i > 0).then(|| pixel - 1),
        _ => (j > 0).then(|| pixel - side),
    }
}

/// The longest gap along an axis that may be bridged: one across which treads run at 45°.
pub(crate) fn longest_gap(scales: &Scales) -> f64 {
    std::f64::consts::SQRT_2 * RUN_PER_RISE * scales.step as f64
}

/// The direction straight across the edge of ground that runs through a point at a height, towards an
/// axis; the axis itself where no such edge is found, or it runs more along the axis than across it.
fn across_edge(
    slices: &Slices,
    at: [f64; 2],
    height: i64,
    axis: usize,
    scales: &Scales,
) -> [f64; 2] {
    let mut best = [0.0, 0.0];
    best[axis] = 1.0;
    let mut most = 0.0;
    let first = scales.coarse.first_column();
    let place = |k: usize| {
        let from_corner = at[k] - (first[k] * i64::from(scales.coarse.cell)) as f64;
        (from_corner / f64::from(scales.fine)).floor() as i64
    };
    let Some(column) = column_at(FinePlace { y: place(1), x: place(0) }, scales) else {
        return best;
    };
    let (low, high) = ((height - TOUCHING_UNITS) as f64, (height + TOUCHING_UNITS) as f64);
    let near = slices.faces_between(column, Sought::between(low, high).facing_up());
    for face in near.filter(|face| face.surface.is_ground()) {
        let c = &slices.triangles[face.triangle as usize].corners;
        for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (c[a], c[b])) {
            let [ax, ay, bx, by] = [a[0], a[1], b[0], b[1]].map(f64::from);
            // Most run elsewhere.
            let beyond = 2.0 * ON_EDGE_UNITS;
            if at[0] < ax.min(bx) - beyond
                || at[0] > ax.max(bx) + beyond
                || at[1] < ay.min(by) - beyond
                || at[1] > ay.max(by) + beyond
            {
                continue;
            }
            let (run, away) = ([bx - ax, by - ay], [at[0] - ax, at[1] - ay]);
            let length = run[0].hypot(run[1]);
            let along = (away[0] * run[0] + away[1] * run[1]) / length;
            let aside = (away[0] * run[1] - away[1] * run[0]) / length;
            let on_edge = aside.abs() <= ON_EDGE_UNITS
                && (-ON_EDGE_UNITS..=length + ON_EDGE_UNITS).contains(&along);
            if !on_edge {
                continue;
            }
            let normal = [run[1] / length, -run[0] / length];
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

/// How far the ground goes on from the middle of a pixel towards the next.
fn ground_end(
    map: &FineMap,
    pixel: u32,
    direction: usize,
    slices: &Slices,
    scales: &Scales,
    probe: &mut Probe,
) -> f64 {
    let line = line_from(map, pixel, direction, slices, scales);
    probe.walk_unbroken(&line, map, slices, scales).extent(scales)
}

/// Looks from the middle of a pixel towards the next.
pub(crate) fn look_beside(
    map: &FineMap,
    (pixel, direction): (u32, usize),
    what: Look,
    slices: &Slices,
    scales: &Scales,
    probe: &mut Probe,
) -> Line {
    let line = line_from(map, pixel, direction, slices, scales);
    probe.look(&line, what, map, slices, scales);
    line
}

/// The ground at the end of a gap that a step reaches from a height, where all ground in the gap lies
/// lower than both: the nearest, and how many pixels away, at most so many.
fn tread_beyond(
    map: &FineMap,
    mut ahead: PlacesAhead<'_>,
    most: i64,
    from: i64,
    scales: &Scales,
) -> Option<(i64, u32)> {
    let height = |p: u32| i64::from(map.heights[p as usize]);
    let in_reach = |p: &u32| map.has_ground(*p) && (height(*p) - from).abs() <= scales.step;
    let slack = scales.break_height as i64;
    // The highest ground in the gap so far.
    let mut highest = i64::MIN;
    for k in 1..=most {
        let mut treads = ahead.next_pixels().filter(in_reach);
        let Some(first) = treads.next() else { continue };
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

/// A pixel at a place, where it has no ground or lower one: of the layer that looks for ground nearest
/// to this height, since the upper tread may lie in another column than the lower one.
fn pixel_for(map: &FineMap, place: FinePlace, lower: i64, z: i64, scales: &Scales) -> Option<u32> {
    let beyond = |p: u32| {
        let cell = map.cell_of(p, scales) as usize;
        let (low, high) = (i64::from(map.shape.lows[cell]), i64::from(map.shape.highs[cell]));
        (low - z).max(z - high).max(0)
    };
    let is_free = |p: u32| {
        let there = i64::from(map.heights[p as usize]);
        let is_lower = there < lower - scales.break_height as i64;
        !map.has_ground(p) || (is_lower && map.kinds[p as usize] != PixelKind::Bridge)
    };
    map.pixels_at(place, scales)
        .filter(|&p| is_free(p) && beyond(p) <= scales.step)
        .min_by_key(|&p| (beyond(p), p))
}

/// Whether nothing lies over a place between two heights.
pub(crate) fn is_free(
    slices: &Slices,
    place: FinePlace,
    [low, high]: [i64; 2],
    scales: &Scales,
) -> bool {
    let side = i64::from(scales.per_side);
    let Some(column) = column_at(place, scales) else { return false };
    let (i, j) = (place.x.rem_euclid(side) as u32, place.y.rem_euclid(side) as u32);
    let between = Sought::between((low + 1) as f64, (high - 1) as f64);
    let mut is_free = true;
    slices.faces_over(column, [i, j], between).for_each(|face| {
        let triangle = &slices.triangles[face.triangle as usize];
        let height = || height_over_middle(triangle, column, [i, j], scales);
        is_free = is_free && height().is_none_or(|h| i64::from(h) <= low || i64::from(h) >= high);
    });
    is_free
}

/// Marks the faces that were laid across gaps as ramps.
pub(crate) fn mark_bridges(surface: &mut WalkableSurface, map: &FineMap, scales: &Scales) {
    if map.bridges.is_empty() {
        return;
    }
    let first = scales.coarse.first_column();
    let cell = i64::from(scales.coarse.cell);
    for face in &mut surface.faces {
        let corners = &face.loops[0];
        let count = corners.len() as i64;
        let sum = |of: fn(LatticePoint) -> i32| {
            corners.iter().map(|e| i64::from(of(e.from))).sum::<i64>() / count
        };
        let middle = [sum(|p| p.x), sum(|p| p.y)];
        let place = |k: usize| (middle[k] - first[k] * cell).div_euclid(i64::from(scales.fine));
        let plan = LatticePoint::new(middle[0] as i32, middle[1] as i32);
        let height = face.plane.height_at(plan) * LATTICE_PER_M;
        let bridged = map
            .pixels_at(FinePlace { y: place(1), x: place(0) }, scales)
            .filter(|&p| map.has_ground(p))
            .min_by_key(|&p| (f64::from(map.heights[p as usize]) - height).abs() as i64)
            .is_some_and(|p| map.bridge(p).is_some_and(|b| b.is_ramp));
        if bridged {
            face.kind = CellKind::Ramp;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::layered::cutting_shape::cutting_shape;
    use crate::layered::flood_layers::flood_layers;
    use crate::layered::ledges::Points;
    use crate::layered::read_triangles::read_triangles;
    use crate::layered::refine::refine;
    use crate::layered::scales::with_coarse_cells;
    use crate::layered::slice::slice;
    use crate::settings::Resolved;
    use surefoot_scene::Scene;

    /// The depth maps of a scene as this stage leaves them.
    pub(crate) fn walked(scene: &Scene, settings: &Resolved) -> (FineMap, Slices, Scales) {
        let (settings, context) = (with_coarse_cells(settings), &mut StageContext::new());
        let read = read_triangles(scene, &settings, context).unwrap();
        let scales = Scales::new(&read.triangles, &settings).unwrap();
        let points = Points { numbers: &read.numbers, points: &read.points };
        let slices = slice(read.triangles.clone(), points, &scales, context).unwrap();
        let layers = flood_layers(&slices, &scales, context).unwrap();
        let shape = cutting_shape(layers, &slices, &scales, context).unwrap();
        let map = refine(shape, &slices, &scales, context).unwrap();
        (walk_over(map, &slices, &scales, context).unwrap(), slices, scales)
    }
}
