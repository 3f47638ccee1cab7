//! Links neighbouring pixels between which the agent can go, and finds where ground ends between them.
//!
//! Goes in: the fine depth maps. Comes out: for every pixel and each of the four directions the pixel
//! it leads to, in its own layer or another; where none does, how far the ground goes on and what ends
//! it; and between which the ground breaks, as at a step (Oliva 2012, §5.2 and §6.2.3, where the map is
//! flooded by depth alone). Where neither an edge of ground nor anything that stands on it comes near the
//! line to the next pixel, that one is reached by its height; otherwise the line between them is cut with
//! the triangles.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::doubts::{Doubt, Doubts};
use crate::layered::find_corners::{CornerPoint, find_corners};
use crate::layered::fine_map::{FineMap, FinePlace, NO_HEIGHT, NO_PIXEL, PixelKind, STEPS};
use crate::layered::flood_layers::columns_beside;
use crate::layered::probe::{Line, Look, Probe, Reach, first_ledge, grounds_meet};
use crate::layered::scales::Scales;
use crate::layered::slice::{Slices, Sought};
use crate::layered::walk_over::{RUN_PER_RISE, next_in_cell};
use rayon::prelude::*;
use std::ops::Range;
use surefoot_mesh::EdgeClass;

/// Where ground ends between a pixel's middle and the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    pub(crate) pixel: u32,
    pub(crate) direction: u8,
    /// How far from the pixel's middle, in lattice units.
    pub(crate) reach: f32,
    pub(crate) class: EdgeClass,
}

impl Stop {
    /// By this stops are sorted.
    const fn place(&self) -> (u32, u8) {
        (self.pixel, self.direction)
    }

    /// The place, seen from the pixel's middle, in lattice units.
    pub(crate) fn point(&self, middle: [i64; 2]) -> [i32; 2] {
        let away = STEPS[usize::from(self.direction)].map(|d| d as f64 * f64::from(self.reach));
        [0, 1].map(|k| (middle[k] as f64 + away[k]).round() as i32)
    }
}

/// Linked depth maps.
#[derive(Debug)]
pub(crate) struct LinkedMap {
    pub(crate) map: FineMap,
    /// The pixel in each direction, or [`NO_PIXEL`].
    pub(crate) links: Vec<[u32; 4]>,
    /// Sorted by pixel and direction.
    pub(crate) stops: Vec<Stop>,
    /// A bit for each direction in which the ground breaks.
    broken: Vec<u8>,
    /// Points of the boundary between the lines from pixel to pixel.
    pub(crate) corners: Vec<CornerPoint>,
}

impl LinkedMap {
    /// Whether the ground breaks beside a pixel.
    pub(crate) fn is_broken(&self, pixel: u32) -> bool {
        self.broken[pixel as usize] != 0
    }

    /// Whether the ground breaks between a pixel and the one in a direction.
    pub(crate) fn breaks(&self, pixel: u32, direction: usize) -> bool {
        self.broken[pixel as usize] & 1 << direction != 0
    }

    /// How far from a pixel's middle the ground breaks towards the linked one to the east or north, in lattice units:
    /// where the ground of the upper one ends, or a tread before a bridge. Most breaks lie on ground that the radius
    /// takes, so this is not found before it is asked for.
    pub(crate) fn break_reach(
        &self,
        pixel: u32,
        direction: usize,
        slices: &Slices,
        scales: &Scales,
        probe: &mut Probe,
    ) -> f64 {
        let other = self.links[pixel as usize][direction];
        let is_bridge = |p: u32| self.map.kinds[p as usize] == PixelKind::Bridge;
        let height = |p: u32| self.map.heights[p as usize];
        let upper_first = match [pixel, other].map(is_bridge) {
            [true, false] => false,
            [false, true] => true,
            _ => height(pixel) > height(other),
        };
        let (upper, towards) =
            if upper_first { (pixel, direction) } else { (other, direction + 2) };
        let whole = f64::from(scales.fine);
        let end = if scales.passes_any_gap() {
            whole
        } else {
            let line = line_from(&self.map, upper, towards, slices, scales);
            probe.walk_unbroken(&line, &self.map, slices, scales).end(scales)
        };
        if upper_first { end } else { whole - end }
    }
}

/// Cells that a thread links before it looks for more.
const CHUNK: usize = 256;

/// What was found while some cells were linked.
#[derive(Default)]
struct Part {
    /// Where ground ends between two pixels, as it was seen when they were not linked.
    stops: Vec<Stop>,
    /// Pixels from which the ground breaks to the east or north, and in which of the two directions.
    breaks: Vec<(u32, u8)>,
}

/// What lies between two pixels.
enum Between {
    /// Nothing that ends the ground, or only a lip or the gap between two treads.
    Nothing,
    /// Something ends it. With the lines from both pixels comes how far away along each the first thing stands;
    /// infinitely far where nothing does.
    End([Line; 2], [f64; 2]),
}

/// What a cell of the cutting shape holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellGround {
    /// Something may end the ground in it.
    Mixed,
    /// Nothing in its column can end the ground of its layer.
    Plain,
    /// The same, and all its ground is one triangle.
    Uniform,
}

pub(crate) fn link_pixels(
    map: FineMap,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<LinkedMap, BakeError> {
    let per_cell = scales.pixels_per_cell();
    let cells: Vec<u32> = (0..map.shape.len() as u32).collect();
    let kinds: Vec<CellGround> = cells
        .par_iter()
        .with_min_len(CHUNK)
        .map(|&cell| ground_of(&map, cell, slices, scales))
        .collect();
    let within_cell = (0..per_cell as u32)
        .map(|p| [0, 1, 2, 3].map(|d| next_in_cell(p, d, scales).unwrap_or(NO_PIXEL)))
        .collect();
    let linker = Linker { map: &map, slices, scales, kinds: &kinds, within_cell };
    let mut links = vec![[NO_PIXEL; 4]; map.len()];
    let parts: Vec<Part> = cells
        .par_chunks(CHUNK)
        .zip(links.par_chunks_mut(CHUNK * per_cell))
        .map_init(Default::default, |(probe, doubts), (cells, links)| {
            let mut part = Part::default();
            for (&cell, links) in cells.iter().zip(links.chunks_mut(per_cell)) {
                linker.link_cell(cell, links, (probe, doubts), &mut part);
            }
            part
        })
        .collect();
    linker.link_back(&mut links);
    let (mut known, mut breaks) = (Vec::new(), Vec::new());
    for part in parts {
        known.extend(part.stops);
        breaks.extend(part.breaks);
    }
    known.sort_unstable_by_key(Stop::place);
    let mut broken = vec![0_u8; map.len()];
    for &(pixel, direction) in &breaks {
        broken[pixel as usize] |= 1 << direction;
        let other = links[pixel as usize][usize::from(direction)];
        broken[other as usize] |= 4 << direction;
    }
    context.check_cancelled()?;
    let stops: Vec<Stop> = cells
        .par_chunks(CHUNK)
        .zip(links.par_chunks(CHUNK * per_cell))
        .map_init(Probe::default, |probe, (cells, links)| {
            let mut stops = Vec::new();
            let first = pixels_of(cells[0], per_cell).start;
            let mut known = &known[known.partition_point(|stop| stop.pixel < first)..];
            for (pixel, links) in (first..).zip(links) {
                // The largest number of all is none.
                let [a, b, c, d] = *links;
                if a.max(b).max(c.max(d)) == NO_PIXEL {
                    linker.stop(pixel, links, &mut known, probe, &mut stops);
                }
            }
            stops
        })
        .collect::<Vec<_>>()
        .into_iter()
        .flatten()
        .collect();
    let plain: Vec<bool> = kinds.iter().map(|k| *k != CellGround::Mixed).collect();
    let corners = find_corners(&map, (&links, &stops), &plain, slices, scales);
    context.count("corners", corners.len());
    context.count("plain_cells", plain.iter().filter(|p| **p).count());
    context.count("stops", stops.len());
    context.count("breaks", breaks.len());
    Ok(LinkedMap { map, links, stops, broken, corners })
}

fn pixels_of(cell: u32, per_cell: usize) -> Range<u32> {
    cell * per_cell as u32..(cell + 1) * per_cell as u32
}

/// What a cell holds.
fn ground_of(map: &FineMap, cell: u32, slices: &Slices, scales: &Scales) -> CellGround {
    let column = map.shape.columns[cell as usize];
    if slices.has_ledges(column) && !scales.passes_any_gap() {
        return CellGround::Mixed;
    }
    let pixels = pixels_of(cell, scales.pixels_per_cell());
    let pixels = pixels.start as usize..pixels.end as usize;
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for &h in &map.heights[pixels.clone()] {
        (least, most) = (least.min(h), most.max(h));
    }
    // No height at all is the least one.
    if least == NO_HEIGHT {
        return CellGround::Mixed;
    }
    let (least, most) = (i64::from(least), i64::from(most));
    if slices.has_sought(column, &Sought::ending([least, most], scales)) {
        return CellGround::Mixed;
    }
    let ground = map.grounds[pixels.start];
    let one = map.grounds[pixels.clone()].iter().all(|g| *g == ground)
        && map.kinds[pixels].iter().all(|k| *k == PixelKind::Ground);
    if one { CellGround::Uniform } else { CellGround::Plain }
}

/// The line from the middle of a pixel to the next.
pub(crate) fn line_from(
    map: &FineMap,
    pixel: u32,
    direction: usize,
    slices: &Slices,
    scales: &Scales,
) -> Line {
    let (axis, sign) = (direction % 2, if direction < 2 { 1.0 } else { -1.0 });
    let (cell, within) = scales.by_cell.divide(pixel);
    let column = map.shape.columns[cell as usize];
    let (j, i) = scales.by_side.divide(within);
    let last = if direction < 2 { scales.per_side - 1 } else { 0 };
    let leaves = [i, j][axis] == last;
    let (corner, fine) = (scales.corner(column), i64::from(scales.fine));
    let middle = |k: usize, before: u32| corner[k] + i64::from(before) * fine + fine / 2;
    Line {
        start: [middle(0, i), middle(1, j)],
        axis,
        sign,
        height: f64::from(map.heights[pixel as usize]),
        rise: map.rise(pixel, axis, slices) * sign,
        column,
        within: [i, j],
        next_column: if leaves { columns_beside(column, scales)[direction] } else { None },
    }
}

struct Linker<'a> {
    map: &'a FineMap,
    slices: &'a Slices,
    scales: &'a Scales,
    kinds: &'a [CellGround],
    /// The links of a cell's pixels among each other, by their numbers in it.
    within_cell: Vec<[u32; 4]>,
}

impl Linker<'_> {
    fn column(&self, pixel: u32) -> u32 {
        self.map.shape.columns[self.map.cell_of(pixel, self.scales) as usize]
    }

    fn is_bridge(&self, pixel: u32) -> bool {
        self.map.kinds[pixel as usize] == PixelKind::Bridge
    }

    fn is_riser(&self, pixel: u32) -> bool {
        self.map.kinds[pixel as usize] == PixelKind::Steep
    }

    /// The place beside a pixel.
    fn place_beside(&self, pixel: u32, direction: usize) -> FinePlace {
        let p = self.map.place(pixel, self.scales);
        let [dx, dy] = STEPS[direction];
        FinePlace { y: p.y + dy, x: p.x + dx }
    }

    /// The ground beside a pixel that a step reaches.
    fn ground_beside(&self, pixel: u32, direction: usize) -> Option<u32> {
        let height = i64::from(self.map.heights[pixel as usize]);
        let away = |b: u32| (i64::from(self.map.heights[b as usize]) - height).abs();
        let in_reach = |b: u32| self.map.has_ground(b) && away(b) <= self.scales.climb;
        // Most columns have one layer.
        if let Some(next) = next_in_cell(pixel, direction, self.scales)
            && self.map.shape.cells_of(self.column(pixel)).len() == 1
        {
            return in_reach(next).then_some(next);
        }
        self.map
            .pixels_at(self.place_beside(pixel, direction), self.scales)
            .filter(|&b| in_reach(b))
            .min_by_key(|&b| away(b))
    }

    fn line(&self, pixel: u32, direction: usize) -> Line {
        line_from(self.map, pixel, direction, self.slices, self.scales)
    }

    /// How far the ground goes on along a line.
    fn reach(&self, line: &Line, probe: &mut Probe) -> Reach {
        self.look(line, Look::All, probe);
        probe.reach(line, self.scales.climb as f64, self.scales)
    }

    /// The same where nothing can be in the way.
    fn ground_reach(&self, line: &Line, probe: &mut Probe) -> Reach {
        self.look(line, Look::Ground, probe);
        let end = probe.walk(line, self.scales.climb as f64, self.scales).end(self.scales);
        match end < f64::from(self.scales.fine) {
            true => Reach::To(end, EdgeClass::Open),
            false => Reach::Whole,
        }
    }

    /// The same from a pixel where it is not known: in many cases a few triangles tell.
    fn any_reach(&self, pixel: u32, direction: usize, probe: &mut Probe) -> Reach {
        let line = self.line(pixel, direction);
        self.reach_before(pixel, &line, probe, |probe| self.first_ahead(&line, probe))
    }

    /// The same along the line from a pixel, where the first thing that stands on it is known or can be found.
    fn reach_before(
        &self,
        pixel: u32,
        line: &Line,
        probe: &mut Probe,
        first: impl FnOnce(&mut Probe) -> f64,
    ) -> Reach {
        let never_ends = self.scales.passes_any_gap();
        if self.is_riser(pixel) && !never_ends {
            return self.reach(line, probe);
        }
        let first = first(probe);
        // Ground goes on at least as far as to the first of its edges.
        let ledge = match never_ends {
            true => f64::INFINITY,
            false => first_ledge(&[*line], self.slices, self.scales),
        };
        if first <= ledge + self.scales.gap && first.is_finite() {
            Reach::To(first.min(f64::from(self.scales.fine)), EdgeClass::Blocked)
        } else if first.is_finite() {
            self.reach(line, probe)
        } else if ledge.is_finite() {
            self.ground_reach(line, probe)
        } else {
            Reach::Whole
        }
    }

    /// How far away the first thing stands on the ground along a line; infinitely far where nothing does.
    fn first_ahead(&self, line: &Line, probe: &mut Probe) -> f64 {
        let [stands] = probe.look_ahead(&[*line], self.slices, self.scales);
        probe.first_ahead(0, line, stands, (self.slices, self.scales))
    }

    /// How far the ground goes on along a line without a break.
    fn unbroken_end(&self, line: &Line, probe: &mut Probe) -> f64 {
        probe.walk_unbroken(line, self.map, self.slices, self.scales).end(self.scales)
    }

    /// Cuts the triangles along a line.
    fn look(&self, line: &Line, what: Look, probe: &mut Probe) {
        probe.look(line, what, self.map, self.slices, self.scales);
    }

    /// Whether nothing can end the ground between two pixels.
    fn is_certain(&self, a: u32, b: u32, doubt: Doubt) -> bool {
        let one = self.map.grounds[a as usize] == self.map.grounds[b as usize];
        !doubt.obstacle && (one || !doubt.ledge)
    }

    /// Whether the ground breaks between two pixels: they differ by more than their slope, or one is
    /// a bridge.
    fn breaks(&self, a: u32, b: u32, axis: usize) -> bool {
        let (ga, gb) = (self.map.grounds[a as usize], self.map.grounds[b as usize]);
        let folds = self.is_bridge(a) != self.is_bridge(b);
        if ga == gb && !folds {
            return false;
        }
        let rise = |p: u32| self.map.rise(p, axis, self.slices).abs();
        let (ha, hb) = (self.map.heights[a as usize], self.map.heights[b as usize]);
        let apart = (f64::from(ha) - f64::from(hb)).abs();
        let least = self.scales.break_height;
        let is_apart = || apart > rise(a).max(rise(b)) * f64::from(self.scales.fine) + least;
        folds || (apart > least && is_apart())
    }

    /// Links the pixels of a cell to the east and to the north, and back within the cell.
    fn link_cell(
        &self,
        cell: u32,
        links: &mut [[u32; 4]],
        (probe, doubts): (&mut Probe, &mut Doubts),
        part: &mut Part,
    ) {
        let side = self.scales.per_side;
        let per_cell = side * side;
        let first = cell * per_cell;
        let uniform = self.kinds[cell as usize] == CellGround::Uniform;
        let beyond = [0, 1].map(|d| if uniform { self.uniform_beside(cell, d) } else { None });
        let borders = beyond.map(|b| b.is_none());
        if !uniform || borders != [false; 2] {
            let is_plain = self.kinds[cell as usize] != CellGround::Mixed;
            doubts.look_around(cell, (is_plain, borders), self.map, self.slices, self.scales);
        }
        // Most pixels lie on one triangle with the next, and nothing is around.
        if uniform {
            for (links, within) in links.iter_mut().zip(&self.within_cell) {
                *links = within.map(|w| if w == NO_PIXEL { NO_PIXEL } else { first + w });
            }
        }
        let cells_beside = self.cells_beside(cell);
        for j in 0..side {
            for i in 0..side {
                let within = j * side + i;
                if !uniform && !self.map.has_ground(first + within) {
                    continue;
                }
                for direction in 0..2 {
                    let (last, step) = if direction == 0 { (i, 1) } else { (j, side) };
                    let inside = last + 1 < side;
                    if uniform && inside {
                        continue;
                    }
                    // Across the border: from the last pixel to the first.
                    let across = |b: u32| b + within - (side - 1) * step;
                    let next = beyond[direction].filter(|_| !inside).map(across);
                    let next = next.or_else(|| {
                        let doubt = doubts.between(direction, [i, j]);
                        let pixel = first + within;
                        let goes_on = |other: &u32| self.goes_on(pixel, *other, doubt);
                        let other = match inside {
                            true => Some(pixel + step).filter(goes_on),
                            false => {
                                let cells = cells_beside[direction].clone();
                                cells.map(|c| across(c * per_cell)).find(goes_on)
                            }
                        };
                        other.or_else(|| self.link(pixel, direction, doubt, probe, part))
                    });
                    let Some(next) = next else { continue };
                    links[within as usize][direction] = next;
                    let back = next.wrapping_sub(first) as usize;
                    if back < links.len() {
                        links[back][direction + 2] = first + within;
                    }
                }
            }
        }
    }

    /// The first pixel of the cell to the east or north, where it is the only one of its column and
    /// its ground is the same triangle.
    fn uniform_beside(&self, cell: u32, direction: usize) -> Option<u32> {
        let shape = &self.map.shape;
        let beside = columns_beside(shape.columns[cell as usize], self.scales)[direction]?;
        let cells = shape.cells_of(beside);
        let per_cell = self.scales.pixels_per_cell();
        let there = pixels_of(cells.start, per_cell).start;
        let here = pixels_of(cell, per_cell).start;
        let one = cells.len() == 1
            && self.kinds[cells.start as usize] == CellGround::Uniform
            && self.map.grounds[there as usize] == self.map.grounds[here as usize];
        one.then_some(there)
    }

    /// The cells of the columns to the east and to the north.
    fn cells_beside(&self, cell: u32) -> [Range<u32>; 2] {
        let shape = &self.map.shape;
        let [east, north, ..] = columns_beside(shape.columns[cell as usize], self.scales);
        [east, north].map(|column| column.map_or(0..0, |c| shape.cells_of(c)))
    }

    /// Whether a pixel is linked to one beside it at first sight: near it, without a break, and nothing
    /// can end the ground between them.
    #[inline]
    fn goes_on(&self, pixel: u32, other: u32, doubt: Doubt) -> bool {
        let (a, b) = (pixel as usize, other as usize);
        let apart = i64::from(self.map.heights[a].abs_diff(self.map.heights[b]));
        let is_same = self.map.grounds[a] == self.map.grounds[b];
        self.map.has_ground(other)
            && apart <= self.scales.climb
            // Ground at one place lies the agent's height apart: none is nearer.
            && 2 * apart < self.scales.height
            && (is_same || apart as f64 <= self.scales.break_height)
            && !self.is_bridge(pixel)
            && !self.is_bridge(other)
            && self.is_certain(pixel, other, doubt)
    }

    /// Links that lead to another cell, from that cell.
    fn link_back(&self, links: &mut [[u32; 4]]) {
        let (side, per_cell) = (self.scales.per_side, self.scales.pixels_per_cell());
        for cell in 0..self.map.shape.len() as u32 {
            let pixels = pixels_of(cell, per_cell);
            let first = pixels.start;
            let mut back = |within: u32, direction: usize| {
                let pixel = first + within;
                let other = links[pixel as usize][direction];
                if other != NO_PIXEL && !pixels.contains(&other) {
                    links[other as usize][direction + 2] = pixel;
                }
            };
            if self.kinds[cell as usize] == CellGround::Uniform {
                for k in 0..side {
                    back(k * side + side - 1, 0);
                    back((side - 1) * side + k, 1);
                }
            } else {
                for within in 0..per_cell as u32 {
                    back(within, 0);
                    back(within, 1);
                }
            }
        }
    }

    /// The pixel that a pixel leads to, to the east or to the north.
    fn link(
        &self,
        pixel: u32,
        direction: usize,
        doubt: Doubt,
        probe: &mut Probe,
        part: &mut Part,
    ) -> Option<u32> {
        if !self.map.has_ground(pixel) {
            return None;
        }
        let other = self.ground_beside(pixel, direction)?;
        let breaks = self.breaks(pixel, other, direction);
        let heights = &self.map.heights;
        let apart = (i64::from(heights[pixel as usize]) - i64::from(heights[other as usize])).abs();
        if breaks && apart > self.scales.step {
            return None;
        }
        let certain =
            self.is_bridge(pixel) || self.is_bridge(other) || self.is_certain(pixel, other, doubt);
        if certain && !breaks {
            return Some(other);
        }
        if !certain
            && let Between::End(lines, firsts) =
                self.look_between([pixel, other], direction, doubt, probe)
        {
            self.note_stops([pixel, other], direction, (&lines, firsts), probe, part);
            return None;
        }
        if breaks {
            part.breaks.push((pixel, direction as u8));
        }
        Some(other)
    }

    /// Looks whether something ends the ground between two pixels.
    fn look_between(
        &self,
        [a, b]: [u32; 2],
        direction: usize,
        doubt: Doubt,
        probe: &mut Probe,
    ) -> Between {
        let line = self.line(a, direction);
        let back = || self.line(b, direction + 2);
        if self.map.grounds[a as usize] == self.map.grounds[b as usize] {
            // One triangle goes on as one plane.
            let [stands] = probe.look_ahead(&[line], self.slices, self.scales);
            let first = probe.first_ahead(0, &line, stands, (self.slices, self.scales));
            if first.is_infinite() {
                return Between::Nothing;
            }
            let lines = [line, back()];
            if stands.is_infinite() && self.passes_lip(&lines, probe) {
                return Between::Nothing;
            }
            return Between::End(lines, [first, self.first_ahead(&lines[1], probe)]);
        }
        // Two go on with the slopes of both, which the first doubt does not know.
        let lines = [line, back()];
        let stands = probe.look_ahead(&lines, self.slices, self.scales);
        if self.is_free([a, b], (&lines, stands), doubt, probe) {
            return Between::Nothing;
        }
        let with = (self.slices, self.scales);
        Between::End(lines, [0, 1].map(|k| probe.first_ahead(k, &lines[k], stands[k], with)))
    }

    /// Whether nothing ends the ground between two pixels on different triangles, or only a lip or the gap between two
    /// treads. Given are the lines from both, last looked along, and how far away something stands there.
    fn is_free(
        &self,
        [a, b]: [u32; 2],
        (lines, stands): (&[Line; 2], [f64; 2]),
        doubt: Doubt,
        probe: &mut Probe,
    ) -> bool {
        let is_clear = stands.iter().all(|s| s.is_infinite());
        let has_ledge = || doubt.ledge && first_ledge(lines, self.slices, self.scales).is_finite();
        let may_end = || self.is_riser(a) || self.is_riser(b) || has_ledge();
        if self.scales.passes_any_gap() || !may_end() {
            // Only what stands on the ground can end it.
            return is_clear
                && (self.nothing_begins(lines, probe) || self.passes_lip(lines, probe));
        }
        let is_obstructed = !is_clear || !self.nothing_begins(lines, probe);
        if !is_obstructed && self.meet([a, b], lines) {
            return true;
        }
        let mut free = true;
        for line in lines {
            // Where nothing can be in the way, it is enough to look at the ground.
            if !is_obstructed {
                free &= self.ground_reach(line, probe) == Reach::Whole;
                continue;
            }
            match self.reach(line, probe) {
                Reach::Whole => {}
                Reach::To(_, EdgeClass::Open) => free = false,
                Reach::To(..) => return self.passes_lip(lines, probe),
            }
        }
        if free {
            return true;
        }
        // How far the ground goes on without any break, from both sides.
        let mut covered = 0.0;
        for line in lines {
            covered += self.unbroken_end(line, probe);
        }
        let rise = (lines[0].height - lines[1].height).abs();
        f64::from(self.scales.fine) - covered <= RUN_PER_RISE * rise
    }

    /// Whether the ground of two pixels is two triangles that meet.
    fn meet(&self, pixels: [u32; 2], lines: &[Line; 2]) -> bool {
        let is_ground = |p: u32| self.map.kinds[p as usize] == PixelKind::Ground;
        let grounds = pixels.map(|p| self.map.grounds[p as usize]);
        pixels.into_iter().all(is_ground) && grounds_meet(lines, grounds, self.slices, self.scales)
    }

    /// Whether nothing begins below the step's height that goes on above it, along lines last looked along on
    /// which nothing stands.
    fn nothing_begins(&self, lines: &[Line], probe: &mut Probe) -> bool {
        let with = (self.slices, self.scales);
        let mut first = |(k, line)| probe.first_ahead(k, line, f64::INFINITY, with);
        lines.iter().enumerate().all(|line| first(line).is_infinite())
    }

    /// Whether all that ends the ground between two pixels is a lip: a sliver of an underside below step
    /// height, which takes no more from the ground than a gap that is none.
    fn passes_lip(&self, lines: &[Line; 2], probe: &mut Probe) -> bool {
        let mut missing = f64::from(self.scales.fine);
        for line in lines {
            self.look(line, Look::All, probe);
            let climb = self.scales.climb as f64;
            let Some(extent) = probe.low_extent(line, climb, self.scales) else { return false };
            missing -= extent;
        }
        missing <= self.scales.gap
    }

    /// Notes where the ground of two pixels ends towards each other, while what lies between them is at hand.
    fn note_stops(
        &self,
        pixels: [u32; 2],
        direction: usize,
        (lines, firsts): (&[Line; 2], [f64; 2]),
        probe: &mut Probe,
        part: &mut Part,
    ) {
        // Otherwise the second may lead elsewhere.
        if 2 * self.scales.climb >= self.scales.height {
            return;
        }
        let reaches = [0, 1].map(|k| self.reach_before(pixels[k], &lines[k], probe, |_| firsts[k]));
        for k in 0..2 {
            let direction = direction + 2 * k;
            part.stops
                .push(self.stop_at(pixels[k], direction, reaches[k], || Some(reaches[1 - k])));
        }
    }

    /// Where the ground of a pixel ends that goes on so far. Where that is as far as the next pixel, it is asked how far
    /// that one's goes on towards it.
    fn stop_at(
        &self,
        pixel: u32,
        direction: usize,
        reach: Reach,
        back: impl FnOnce() -> Option<Reach>,
    ) -> Stop {
        let whole = f64::from(self.scales.fine);
        let (reach, class) = match reach {
            Reach::To(reach, class) => (reach, class),
            // The other side sees what is in the way, or nobody does: then half-way.
            Reach::Whole => match back() {
                Some(Reach::To(back, class)) => (whole - back, class),
                _ => (0.5 * whole, EdgeClass::Open),
            },
        };
        let reach = reach.clamp(0.0, whole) as f32;
        Stop { pixel, direction: direction as u8, reach, class }
    }

    /// Finds where ground ends in the directions without a link. Some may be known, which are sorted.
    fn stop(
        &self,
        pixel: u32,
        links: &[u32; 4],
        known: &mut &[Stop],
        probe: &mut Probe,
        stops: &mut Vec<Stop>,
    ) {
        if !self.map.has_ground(pixel) {
            return;
        }
        for direction in (0..4).filter(|&d| links[d] == NO_PIXEL) {
            if self.is_bridge(pixel) || self.map.is_cut_off(pixel, direction) {
                stops.push(self.stop_at(pixel, direction, Reach::Whole, || None));
                continue;
            }
            let place = (pixel, direction as u8);
            while let Some((_, after)) = known.split_first().filter(|(s, _)| s.place() < place) {
                *known = after;
            }
            if let Some(stop) = known.first().filter(|s| s.place() == place) {
                stops.push(*stop);
                continue;
            }
            let reach = self.any_reach(pixel, direction, probe);
            let back = || {
                let other = self.ground_beside(pixel, direction)?;
                Some(self.any_reach(other, (direction + 2) % 4, probe))
            };
            stops.push(self.stop_at(pixel, direction, reach, back));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::drop_narrow::tests::crowded;
    use crate::layered::walk_over::tests::walked;
    use crate::settings::{BakeSettings, LayeredSettings};

    /// What a few triangles tell of a line is what all that cross it tell; with gaps as wide as a pixel too.
    #[test]
    fn a_quick_look_sees_what_a_long_one_does() {
        for (name, gap_distance_m) in
            [("town-house", 0.01), ("open-stairs", 0.01), ("terrace-house", 0.06)]
        {
            let layered = LayeredSettings { gap_distance_m, ..LayeredSettings::default() };
            let settings = BakeSettings { layered, ..BakeSettings::default() }.resolve().unwrap();
            let (map, slices, scales) = walked(&crowded(name, 0.3), &settings);
            let linker = Linker {
                map: &map,
                slices: &slices,
                scales: &scales,
                kinds: &[],
                within_cell: Vec::new(),
            };
            let (probe, mut counts) = (&mut Probe::default(), [0; 3]);
            let pixels = (0..map.len() as u32).filter(|&p| map.has_ground(p));
            for pixel in pixels.filter(|&p| !linker.is_bridge(p)) {
                for direction in 0..4 {
                    let quick = linker.any_reach(pixel, direction, probe);
                    let long = linker.reach(&linker.line(pixel, direction), probe);
                    let told = format!("{name}: {quick:?} is {long:?} from {pixel} to {direction}");
                    match (quick, long) {
                        (Reach::Whole, Reach::Whole) => counts[0] += 1,
                        (Reach::To(a, class), Reach::To(b, other)) => {
                            assert!((a - b).abs() < 1e-6 && class == other, "{told}");
                            counts[1 + usize::from(class == EdgeClass::Blocked)] += 1;
                        }
                        _ => panic!("{told}"),
                    }
                }
            }
            let seen = if scales.passes_any_gap() { &counts[2..] } else { &counts[..] };
            assert!(seen.iter().all(|n| *n > 50), "{name}: {counts:?} whole, open and blocked");
        }
    }

    /// Where ground ends is the same whether it is found when two pixels are not linked or afterwards.
    #[test]
    fn stops_that_are_noted_are_those_found_later() {
        let mut noted = 0;
        for (name, gap_distance_m) in [("town-house", 0.01), ("terrace-house", 0.06)] {
            let layered = LayeredSettings { gap_distance_m, ..LayeredSettings::default() };
            let settings = BakeSettings { layered, ..BakeSettings::default() }.resolve().unwrap();
            let (map, slices, scales) = walked(&crowded(name, 0.3), &settings);
            let linked = link_pixels(map, &slices, &scales, &mut StageContext::new()).unwrap();
            let linker = Linker {
                map: &linked.map,
                slices: &slices,
                scales: &scales,
                kinds: &[],
                within_cell: Vec::new(),
            };
            let (probe, mut found) = (&mut Probe::default(), Vec::new());
            for pixel in (0..linked.map.len() as u32).filter(|&p| linked.map.has_ground(p)) {
                linker.stop(pixel, &linked.links[pixel as usize], &mut &[][..], probe, &mut found);
            }
            assert_eq!(linked.stops, found, "{name}");
            let beside =
                |s: &&Stop| linker.ground_beside(s.pixel, usize::from(s.direction)).is_some();
            noted += found.iter().filter(beside).count();
        }
        assert!(noted > 50, "{noted} noted");
    }
}
