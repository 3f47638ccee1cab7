//! Traces contours: where the distance to the boundary is the radius, where layers meet, and where the
//! ground breaks.
//!
//! Goes in: linked pixels and the distance field. Comes out: the borders of all regions as chains from
//! junction to junction, and heights inside of the regions. A region is the connected ground of one
//! layer and area type. Between a pixel and the next that is not of its kind lies one point of a
//! border, on the line between their middles; around every corner of four pixels the points are joined,
//! in the order of turning around the ground (Oliva 2012, §6.2.3, orders contour pixels by their turn;
//! on the lines between middles there is only one way to turn). A border between two regions, of one
//! layer or of two, is one chain: so layers share their vertices.

mod find_regions;

use self::find_regions::find_regions;
use crate::context::StageContext;
use crate::contour::chain::NO_PART;
use crate::contour::chain::{Chain, ChainPoint, Contours};
use crate::contour::chain::{NO_REGION, RegionSample};
use crate::error::BakeError;
use crate::layered::model::distance_field::{DistanceField, NOWHERE};
use crate::layered::model::fine_map::{NO_PIXEL, STEPS};
use crate::layered::model::linked_map::{LinkedMap, Stop};
use crate::layered::model::probe::Probe;
use crate::layered::model::scales::{SUB, Scales};
use crate::layered::model::slices::Slices;
use crate::layered::model::terrain::Terrain;
use surefoot_mesh::EdgeClass;

/// Where the border crosses the line between two middles.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// The corners of four pixels that it leads from and to.
    nodes: [u32; 2],
    left: u32,
    right: u32,
    /// The pixels on both sides; on the right possibly none.
    pixels: [u32; 2],
    /// In parts of fine cells.
    at: [i32; 2],
    /// Heights on both sides, in lattice units.
    heights: [i32; 2],
    class: EdgeClass,
    /// From where to where around the left pixel: corner numbers.
    corners: [u8; 2],
    /// The side of the left pixel.
    side: u8,
}

/// The corners of a pixel: south-west, south-east, north-east, north-west.
const CORNERS: [[i64; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// For each side (east, north, west, south), the corners it runs from and to, counter-clockwise.
const SIDE_CORNERS: [[u8; 2]; 4] = [[1, 2], [2, 3], [3, 0], [0, 1]];

/// For each corner of a pixel: the two directions that lead on around it, and which corner of the next
/// pixel it is then; first counter-clockwise around the corner, then clockwise.
const AROUND: [[(usize, usize); 2]; 4] =
    [[(3, 3), (2, 1)], [(0, 0), (3, 2)], [(1, 1), (0, 3)], [(2, 2), (1, 0)]];

/// Bits of a number for an end of a crossing; a pixel and one of its corners have the rest of 64.
const END_BITS: u32 = 30;

pub(crate) fn trace(
    linked: &LinkedMap,
    field: &DistanceField,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<Contours, BakeError> {
    let mut tracer = ContourTracer::new(linked, field, slices, scales);
    context.count("regions", tracer.areas.len());
    let samples = tracer.visit_pixels();
    context.count("crossings", tracer.crossings.len());
    context.check_cancelled()?;
    let ends = tracer.crossings.len() * 2;
    if ends >= 1 << END_BITS {
        return Err(BakeError::TooLarge { what: "crossings", count: ends / 2 });
    }
    tracer.number_nodes();
    let mut chains = tracer.chain();
    chains.sort_by_cached_key(|c| {
        let (p, q) = (c.points[0], c.points[1 % c.points.len()]);
        (c.left, c.right, p.y, p.x, p.left, q.y, q.x, c.points.len())
    });
    context.count("chains", chains.len());
    context.count("corners", chains.iter().map(|c| c.points.len()).sum());
    Ok(Contours { areas: tracer.areas, chains, samples })
}

struct ContourTracer<'a> {
    linked: &'a LinkedMap,
    field: &'a DistanceField,
    terrain: Terrain<'a>,
    probe: Probe<'a>,
    origin: [i32; 2],
    /// The region of every pixel, or [`NO_REGION`].
    region_of: Vec<u32>,
    /// The area type of every region.
    areas: Vec<u16>,
    crossings: Vec<Crossing>,
    /// Where each node's crossings begin in `ends`, and one past the last at the end.
    node_firsts: Vec<u32>,
    /// A crossing's number times two, plus one where it leads to the node.
    ends: Vec<u32>,
}

impl<'a> ContourTracer<'a> {
    fn new(
        linked: &'a LinkedMap,
        field: &'a DistanceField,
        slices: &'a Slices,
        scales: &'a Scales,
    ) -> Self {
        let (region_of, areas) = find_regions(linked, field, scales);
        let terrain = linked.terrain(slices, scales);
        Self {
            linked,
            field,
            terrain,
            probe: Probe::new(terrain),
            origin: scales.origin_in_parts(),
            region_of,
            areas,
            crossings: Vec::new(),
            node_firsts: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn is_kept(&self, pixel: u32) -> bool {
        pixel != NO_PIXEL && self.region_of[pixel as usize] != NO_REGION
    }

    /// The kept pixel that a link leads to.
    fn kept_link(&self, pixel: u32, direction: usize) -> Option<u32> {
        let other = self.linked.links[pixel as usize][direction];
        self.is_kept(other).then_some(other)
    }

    /// The height of a pixel's ground at a place in parts of fine cells.
    fn height_at(&self, pixel: u32, at: [i32; 2]) -> f64 {
        let middle = self.middle(pixel);
        let part = f64::from(self.terrain.scales.sub.cell);
        let away = [0, 1].map(|k| f64::from(at[k] - middle[k]) * part);
        self.terrain.height_within(pixel, away)
    }

    /// The middle of a pixel in parts of fine cells.
    fn middle(&self, pixel: u32) -> [i32; 2] {
        let p = self.terrain.place(pixel);
        [self.origin[0] + p.x as i32 * SUB + SUB / 2, self.origin[1] + p.y as i32 * SUB + SUB / 2]
    }

    /// Finds all crossings, and heights inside of the regions.
    fn visit_pixels(&mut self) -> Vec<Vec<RegionSample>> {
        let linked = self.linked;
        let heights = &linked.map.heights;
        let mut samples: Vec<Vec<RegionSample>> = vec![Vec::new(); self.areas.len()];
        // Stops come in the order of their pixels too.
        let mut stops = linked.stops.as_slice();
        let (side, per_cell) =
            (self.terrain.scales.per_side, self.terrain.scales.pixels_per_cell());
        for cell in 0..linked.map.shape.len() {
            let of_cell = cell * per_cell..(cell + 1) * per_cell;
            if self.region_of[of_cell.clone()].iter().all(|r| *r == NO_REGION) {
                continue;
            }
            let [x, y] = self.terrain.scales.place(linked.map.shape.columns[cell]);
            let (mut i, mut j) = (0, 0);
            for pixel in of_cell {
                let place = [x * side + i, y * side + j];
                (i, j) = if i + 1 < side { (i + 1, j) } else { (0, j + 1) };
                let region = self.region_of[pixel];
                if region == NO_REGION {
                    continue;
                }
                let links = &linked.links[pixel];
                let pixel = pixel as u32;
                let goes_on =
                    |to: u32| self.region_of.get(to as usize).is_some_and(|r| *r == region);
                let is_inside = links.iter().all(|&to| goes_on(to)) && !linked.is_broken(pixel);
                let height = heights[pixel as usize];
                // Most ground is level and goes on all around.
                if is_inside && links.iter().all(|&to| heights[to as usize] == height) {
                    continue;
                }
                if !is_inside {
                    while let Some((_, after)) =
                        stops.split_first().filter(|(s, _)| s.pixel < pixel)
                    {
                        stops = after;
                    }
                    self.find_crossings(pixel, stops);
                }
                let sample = self.sample(pixel, place);
                samples[region as usize].extend(sample);
            }
        }
        for of_region in &mut samples {
            of_region.sort_unstable();
        }
        samples
    }

    /// Finds the crossings on the sides of a pixel; its own stops come first among those given.
    fn find_crossings(&mut self, pixel: u32, stops: &[Stop]) {
        for side in 0..4 {
            let crossing = match self.kept_link(pixel, side) {
                None => {
                    let mut own = stops.iter().take_while(|s| s.pixel == pixel);
                    let stop = own.find(|s| usize::from(s.direction) == side);
                    self.outer_crossing(pixel, side, stop)
                }
                Some(_) if side >= 2 => continue,
                Some(other) => match self.inner_crossing(pixel, other, side) {
                    Some(crossing) => crossing,
                    None => continue,
                },
            };
            self.crossings.push(crossing);
        }
    }

    fn along(&self, pixel: u32, side: usize, reach: f64) -> [i32; 2] {
        let middle = self.middle(pixel);
        let parts = (reach / f64::from(self.terrain.scales.sub.cell)) as i32;
        let [dx, dy] = STEPS[side].map(|d| d as i32);
        [middle[0] + dx * parts, middle[1] + dy * parts]
    }

    /// Where the agent's radius ends the ground on a side of a pixel.
    fn outer_crossing(&self, pixel: u32, side: usize, stop: Option<&Stop>) -> Crossing {
        let (field, linked) = (self.field, self.linked);
        let other = linked.links[pixel as usize][side];
        let whole = f64::from(self.terrain.scales.fine);
        let middle = self.terrain.middle(pixel);
        let mut reach = whole;
        let mut class = field.classes[pixel as usize];
        if let Some(stop) = stop {
            reach = f64::from(stop.reach) - field.distance;
            class = stop.class;
        }
        for near in [pixel, other] {
            if near == NO_PIXEL || field.nearest[near as usize] == NOWHERE {
                continue;
            }
            let point = field.nearest[near as usize];
            let away = |k: usize| (i64::from(point[k]) - middle[k]) as f64;
            let axis = side % 2;
            let sign = if side < 2 { 1.0 } else { -1.0 };
            let (along, aside) = (away(axis) * sign, away(1 - axis));
            // Where a circle around the point crosses the line.
            let half2 = field.distance * field.distance - aside * aside;
            if half2 > 0.0 {
                let enters = along - half2.sqrt();
                if enters < reach && along + half2.sqrt() > 0.0 {
                    reach = enters;
                    class = field.classes[near as usize];
                }
            }
        }
        // Not in a middle, where borders of other sides may meet.
        let part = f64::from(self.terrain.scales.sub.cell);
        let at = self.along(pixel, side, reach.clamp(part, whole - part));
        let height = self.height_at(pixel, at).round() as i32;
        self.crossing(pixel, NO_PIXEL, side, at, [height; 2], class)
    }

    /// The border between two linked pixels, if there is one.
    fn inner_crossing(&mut self, pixel: u32, other: u32, side: usize) -> Option<Crossing> {
        let linked = self.linked;
        let breaks = linked.breaks(pixel, side);
        if !breaks && self.region_of[pixel as usize] == self.region_of[other as usize] {
            return None;
        }
        let whole = f64::from(self.terrain.scales.fine);
        let part = f64::from(self.terrain.scales.sub.cell);
        // Not in a middle, where borders of other sides may meet.
        let reach = match breaks {
            true => linked.break_reach(pixel, side, &mut self.probe),
            false => 0.5 * whole,
        };
        let reach = reach.clamp(part, whole - part);
        let at = self.along(pixel, side, reach);
        let (a, b) = (self.height_at(pixel, at), self.height_at(other, at));
        let heights = match breaks {
            true => [a.round() as i32, b.round() as i32],
            false => [(0.5 * (a + b)).round() as i32; 2],
        };
        Some(self.crossing(pixel, other, side, at, heights, EdgeClass::Inner))
    }

    fn crossing(
        &self,
        pixel: u32,
        other: u32,
        side: usize,
        at: [i32; 2],
        heights: [i32; 2],
        class: EdgeClass,
    ) -> Crossing {
        let region = |p: u32| if p == NO_PIXEL { NO_REGION } else { self.region_of[p as usize] };
        let mut crossing = Crossing {
            nodes: [0; 2],
            left: region(pixel),
            right: region(other),
            pixels: [pixel, other],
            at,
            heights,
            class,
            corners: SIDE_CORNERS[side],
            side: side as u8,
        };
        // The smaller region, or the only one, lies on the left.
        if crossing.right < crossing.left {
            let back = SIDE_CORNERS[(side + 2) % 4];
            std::mem::swap(&mut crossing.left, &mut crossing.right);
            crossing.pixels.swap(0, 1);
            crossing.heights.swap(0, 1);
            crossing.corners = back;
            crossing.side = (side as u8 + 2) % 4;
        }
        crossing
    }

    /// The kept pixels that meet at a corner of a pixel, linked around it. The pixel itself comes
    /// first; with `smooth`, only those without a break between.
    fn around(&self, pixel: u32, corner: usize, smooth: bool) -> ([u32; 4], usize) {
        let mut found = ([pixel, NO_PIXEL, NO_PIXEL, NO_PIXEL], 1);
        for turn in 0..2 {
            let (mut at, mut at_corner) = (pixel, corner);
            for _ in 0..3 {
                let (direction, next_corner) = AROUND[at_corner][turn];
                let Some(next) = self.kept_link(at, direction) else { break };
                if smooth && self.linked.breaks(at, direction) {
                    break;
                }
                if !found.0[..found.1].contains(&next) && found.1 < 4 {
                    found.0[found.1] = next;
                    found.1 += 1;
                }
                (at, at_corner) = (next, next_corner);
            }
        }
        found
    }

    /// Gives a number to every corner of pixels where crossings lead to; the ground around a corner
    /// that hangs together there is one node.
    fn number_nodes(&mut self) {
        // The least pixel around a corner, which of its corners that is, and the crossing's end.
        let mut keys: Vec<u64> = Vec::with_capacity(self.crossings.len() * 2);
        for (i, crossing) in self.crossings.iter().enumerate() {
            for k in 0..2 {
                let (pixel, corner) = (crossing.pixels[0], usize::from(crossing.corners[k]));
                let (group, count) = self.around(pixel, corner, false);
                let least = group[..count].iter().copied().min().unwrap_or(pixel);
                let place = |p: u32| self.terrain.place(p);
                let (p, of) = (place(pixel), place(least));
                let at = [p.x + CORNERS[corner][0] - of.x, p.y + CORNERS[corner][1] - of.y];
                let node = u64::from(least) << 2 | (at[0] << 1 | at[1]) as u64;
                keys.push(node << END_BITS | (i * 2 + k) as u64);
            }
        }
        keys.sort_unstable();
        for same in keys.chunk_by(|a, b| a >> END_BITS == b >> END_BITS) {
            let node = self.node_firsts.len() as u32;
            self.node_firsts.push(self.ends.len() as u32);
            for &key in same {
                let end = (key & ((1 << END_BITS) - 1)) as u32;
                self.crossings[end as usize / 2].nodes[end as usize % 2] = node;
                self.ends.push(end);
            }
        }
        self.node_firsts.push(self.ends.len() as u32);
    }

    fn ends_at(&self, node: u32) -> &[u32] {
        let n = node as usize;
        &self.ends[self.node_firsts[n] as usize..self.node_firsts[n + 1] as usize]
    }

    /// The end of another crossing at which a chain goes on, where exactly two of one border meet.
    fn goes_on(&self, end: u32) -> Option<u32> {
        let node = self.crossings[end as usize / 2].nodes[end as usize % 2];
        let [a, b] = *self.ends_at(node) else { return None };
        let other = if a == end { b } else { a };
        let (c, o) = (&self.crossings[end as usize / 2], &self.crossings[other as usize / 2]);
        let inside = c.left == c.right;
        let fits = (c.left, c.right) == (o.left, o.right)
            && other / 2 != end / 2
            && (inside || end % 2 != other % 2);
        fits.then_some(other)
    }

    fn chain(&self) -> Vec<Chain> {
        let mut done = vec![false; self.crossings.len()];
        let mut chains = Vec::new();
        // Chains between junctions first; what is left is closed.
        for closed in [false, true] {
            for start in 0..self.crossings.len() as u32 {
                if done[start as usize] {
                    continue;
                }
                let c = &self.crossings[start as usize];
                let from = if closed || self.goes_on(start * 2).is_none() {
                    start * 2
                } else if c.left == c.right && self.goes_on(start * 2 + 1).is_none() {
                    // A break inside of a region has no direction: it may begin at either end.
                    start * 2 + 1
                } else {
                    continue;
                };
                chains.push(self.follow(from, closed, &mut done));
            }
        }
        chains
    }

    fn follow(&self, from: u32, closed: bool, done: &mut [bool]) -> Chain {
        let first = &self.crossings[from as usize / 2];
        let mut chain = Chain {
            left: first.left,
            right: first.right,
            points: Vec::new(),
            classes: Vec::new(),
            fixed: Vec::new(),
            closed,
        };
        if !closed {
            chain.points.push(self.node_point(from));
            chain.fixed.push(true);
            chain.classes.push(first.class);
        }
        let mut leaving = from;
        loop {
            let c = &self.crossings[leaving as usize / 2];
            done[leaving as usize / 2] = true;
            let [left, right] =
                if leaving.is_multiple_of(2) { c.heights } else { [c.heights[1], c.heights[0]] };
            chain.points.push(ChainPoint { x: c.at[0], y: c.at[1], left, right });
            chain.fixed.push(false);
            chain.classes.push(c.class);
            let arriving = leaving ^ 1;
            match self.goes_on(arriving).filter(|&next| !done[next as usize / 2]) {
                Some(next) => leaving = next,
                None => {
                    if !closed {
                        let mut end = self.node_point(arriving);
                        std::mem::swap(&mut end.left, &mut end.right);
                        chain.points.push(end);
                        chain.fixed.push(true);
                    }
                    break;
                }
            }
        }
        drop_repeated(&mut chain);
        chain
    }

    /// The place of a junction as a crossing's end sees it: heights on the left and the right of a
    /// chain that leaves from there along the crossing.
    fn node_point(&self, end: u32) -> ChainPoint {
        let c = &self.crossings[end as usize / 2];
        let at = self.node_place(c.nodes[end as usize % 2], c, usize::from(end % 2 == 1));
        let height = |k: usize| {
            let pixel = c.pixels[k];
            if pixel == NO_PIXEL {
                return None;
            }
            // The right pixel sees the same corner from the other side.
            let place = self.terrain.place(c.pixels[0]);
            let corner = CORNERS[usize::from(c.corners[end as usize % 2])];
            let here = self.terrain.place(pixel);
            let as_seen = [place.x + corner[0] - here.x, place.y + corner[1] - here.y];
            let own = CORNERS.iter().position(|c| *c == as_seen)?;
            let (group, count) = self.around(pixel, own, true);
            let mut group = group;
            group[..count].sort_unstable();
            let sum: f64 = group[..count].iter().map(|&p| self.height_at(p, at)).sum();
            Some((sum / count as f64).round() as i32)
        };
        let left = height(0).unwrap_or(0);
        let right = height(1).unwrap_or(left);
        let (left, right) = if end.is_multiple_of(2) { (left, right) } else { (right, left) };
        ChainPoint { x: at[0], y: at[1], left, right }
    }

    /// Where a junction lies: on the contour where it is on one, otherwise in the corner.
    fn node_place(&self, node: u32, c: &Crossing, end: usize) -> [i32; 2] {
        let mut outer = (0, [0_i32; 2]);
        for &e in self.ends_at(node) {
            let other = &self.crossings[e as usize / 2];
            if other.pixels[1] == NO_PIXEL {
                outer.0 += 1;
                outer.1 = [outer.1[0] + other.at[0], outer.1[1] + other.at[1]];
            }
        }
        if outer.0 == 2 {
            return [outer.1[0].div_euclid(2), outer.1[1].div_euclid(2)];
        }
        let p = self.terrain.place(c.pixels[0]);
        let corner = CORNERS[usize::from(c.corners[end])];
        [
            self.origin[0] + (p.x + corner[0]) as i32 * SUB,
            self.origin[1] + (p.y + corner[1]) as i32 * SUB,
        ]
    }

    /// The height inside of a region: at every fourth pixel that is not level with those around it, and
    /// wherever the ground bends.
    fn sample(&self, pixel: u32, place: [u32; 2]) -> Option<RegionSample> {
        const EVERY: u32 = 4;
        // Beside a break the simplified border may leave the pixel's middle on the other side.
        if self.linked.is_broken(pixel) {
            return None;
        }
        let heights = &self.linked.map.heights;
        let height = heights[pixel as usize];
        let beside = [0, 1, 2, 3].map(|d| self.kept_link(pixel, d).map(|o| heights[o as usize]));
        if beside.iter().all(|h| *h == Some(height)) {
            return None;
        }
        let bends = |a: usize, b: usize| match (beside[a], beside[b]) {
            (Some(a), Some(b)) => {
                let sum = i64::from(a) + i64::from(b) - 2 * i64::from(height);
                sum.abs() as f64 > self.terrain.scales.break_height
            }
            _ => false,
        };
        let regular = place.iter().all(|v| v.is_multiple_of(EVERY));
        if !(regular || bends(0, 2) || bends(1, 3)) {
            return None;
        }
        let at = [0, 1].map(|k| self.origin[k] + place[k] as i32 * SUB + SUB / 2);
        let (x, y) = (at[0].max(0) as u32, at[1].max(0) as u32);
        Some(RegionSample { y, x, height, part: NO_PART })
    }
}

/// Takes out points that repeat the one before.
pub(crate) fn drop_repeated(chain: &mut Chain) {
    let n = chain.points.len();
    let same = |p: &ChainPoint, q: &ChainPoint| (p.x, p.y) == (q.x, q.y);
    let mut keep = vec![true; n];
    let mut last = 0;
    for i in 1..n {
        if same(&chain.points[last], &chain.points[i]) {
            // Of two, a junction stays.
            let drop = if chain.fixed[i] && !chain.fixed[last] { last } else { i };
            keep[drop] = false;
            last = if drop == last { i } else { last };
        } else {
            last = i;
        }
    }
    if chain.closed && last > 0 && same(&chain.points[last], &chain.points[0]) {
        keep[last] = false;
    }
    let edges = chain.classes.len();
    let mut at = 0..n;
    let mut flag = |_: &_| at.next().is_some_and(|i| keep[i]);
    chain.points.retain(|p| flag(&p.x));
    let mut at = 0..n;
    chain.fixed.retain(|_| at.next().is_some_and(|i| keep[i]));
    let mut at = 0..edges;
    chain.classes.retain(|_| at.next().is_some_and(|i| keep[i]));
    chain.classes.truncate(chain.edge_count());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::erode::erode;
    use crate::layered::link_pixels::link_pixels;
    use crate::layered::test_scenes::walked;
    use crate::settings::BakeSettings;
    use surefoot_scene::Scene;
    use surefoot_testing_scenes::{Variant, build};

    /// All contours of a scene.
    fn contours_of(scene: &Scene) -> Contours {
        let (map, slices, scales) = walked(scene, &BakeSettings::default().resolve().unwrap());
        let c = &mut StageContext::new();
        let linked = link_pixels(map, &slices, &scales, c).unwrap();
        let field = erode(&linked, &scales, c).unwrap();
        trace(&linked, &field, &slices, &scales, c).unwrap()
    }

    #[test]
    fn heights_along_a_border_never_jump() {
        // A round step of 0.3 m in a court with ramps.
        let scene = build("testmap-1", &Variant::default()).unwrap();
        let contours = contours_of(&scene.scene);
        assert!(contours.chains.iter().any(|c| c.left == c.right), "there is a break");
        for chain in &contours.chains {
            for i in 0..chain.edge_count() {
                let (p, q) = (chain.points[i], chain.points[(i + 1) % chain.points.len()]);
                let most = (0.1 * surefoot_geom::lattice::LATTICE_PER_M) as i32;
                assert!(
                    (p.left - q.left).abs() < most && (p.right - q.right).abs() < most,
                    "{p:?} {q:?} of {} to {}, {i} of {}, closed {}",
                    chain.left,
                    chain.right,
                    chain.points.len(),
                    chain.closed
                );
            }
        }
    }
}
