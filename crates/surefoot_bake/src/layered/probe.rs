//! Looks along a line from the middle of a pixel to the next: how far the ground goes on.
//!
//! Goes in: the triangles over the columns around the line. Comes out: where ground ends, or where
//! something stands in the way, exactly. The line is cut with the triangles themselves: over it each
//! is a straight segment of heights. This stands in place of drawing faces near the vertical as wires
//! (Oliva 2012, §6.2.3): a wall of no thickness ends the ground where it stands.

use crate::layered::fine_map::FineMap;
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::Slices;
use crate::voxel::grid::Surface;
use surefoot_mesh::EdgeClass;

/// What a triangle is over a line: heights from one distance to another.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: f64,
    to: f64,
    /// Heights at both ends; where both ends are one, the lowest and the highest.
    z: [f64; 2],
    surface: Surface,
    /// Whether it is a steep surface that is no riser.
    refused: bool,
}

impl Cut {
    fn height(&self, s: f64) -> f64 {
        let run = self.to - self.from;
        if run > 0.0 {
            self.z[0] + (self.z[1] - self.z[0]) * (s - self.from) / run
        } else {
            self.z[0]
        }
    }
}

/// A line from the middle of a pixel, along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Where it starts, in lattice units.
    pub(crate) start: [i64; 2],
    /// The axis that it runs along, and which way.
    pub(crate) axis: usize,
    pub(crate) sign: f64,
    /// The ground's height at its start, and how much the ground rises along it.
    pub(crate) height: f64,
    pub(crate) rise: f64,
}

/// How far the ground goes on along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reach {
    /// To the next pixel's middle.
    Whole,
    /// To a distance; and what ends it there.
    To(f64, EdgeClass),
}

/// A triangle over a column, with its extent in plan.
#[derive(Clone, Copy, Debug)]
struct NearFace {
    lo: [i32; 2],
    hi: [i32; 2],
    corners: [[i32; 3]; 3],
    surface: Surface,
    refused: bool,
}

/// The triangles of a column between two heights.
#[derive(Debug, Default)]
struct NearColumn {
    column: u32,
    low: f64,
    high: f64,
    faces: Vec<NearFace>,
}

/// Working memory of a probe: what it found over the columns that it looked at last.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    cuts: Vec<Cut>,
    columns: Vec<NearColumn>,
    oldest: usize,
}

/// A pixel's own column and those around it.
const COLUMNS_KEPT: usize = 6;

impl Probe {
    /// Cuts the triangles of some columns along a line.
    pub(crate) fn look(
        &mut self,
        line: &Line,
        columns: &[u32],
        map: &FineMap,
        slices: &Slices,
        scales: &Scales,
    ) {
        self.cuts.clear();
        let reach = f64::from(scales.fine);
        let lowest = line.height - (scales.climb + TOUCHING_UNITS) as f64 - line.rise.abs() * reach;
        let highest = line.height + (scales.height + scales.climb) as f64 + line.rise.abs() * reach;
        let (along, aside) = (line.axis, 1 - line.axis);
        let (start, reach_units) = (line.start, i64::from(scales.fine));
        let (from, to) = if line.sign > 0.0 {
            (start[along], start[along] + reach_units)
        } else {
            (start[along] - reach_units, start[along])
        };
        for &column in columns {
            let at = self.gather(column, [lowest, highest], map, slices, scales);
            for face in &self.columns[at].faces {
                if i64::from(face.hi[aside]) < start[aside]
                    || i64::from(face.lo[aside]) > start[aside]
                    || i64::from(face.hi[along]) < from
                    || i64::from(face.lo[along]) > to
                {
                    continue;
                }
                if let Some(cut) = cut(&face.corners, face.surface, line, reach) {
                    self.cuts.push(Cut { refused: face.refused, ..cut });
                }
            }
        }
    }

    /// The triangles of a column between two heights: those found before, or found now. Returns where.
    fn gather(
        &mut self,
        column: u32,
        [lowest, highest]: [f64; 2],
        map: &FineMap,
        slices: &Slices,
        scales: &Scales,
    ) -> usize {
        let holds = |c: &NearColumn| c.column == column && c.low <= lowest && c.high >= highest;
        if let Some(at) = self.columns.iter().position(holds) {
            return at;
        }
        if self.columns.len() < COLUMNS_KEPT {
            self.oldest = self.columns.len();
            self.columns.push(NearColumn::default());
        } else {
            self.oldest = (self.oldest + 1) % COLUMNS_KEPT;
        }
        let near = &mut self.columns[self.oldest];
        // Some more, for the pixels around.
        let more = 0.5 * scales.step as f64;
        (near.column, near.low, near.high) = (column, lowest - more, highest + more);
        near.faces.clear();
        for face in slices.faces_of(column) {
            if f64::from(face.hi) < near.low || f64::from(face.lo) > near.high {
                continue;
            }
            let triangle = &slices.triangles[face.triangle as usize];
            let c = triangle.corners;
            let (surface, corners) = (triangle.surface, c);
            near.faces.push(NearFace {
                lo: [0, 1].map(|k| c[0][k].min(c[1][k]).min(c[2][k])),
                hi: [0, 1].map(|k| c[0][k].max(c[1][k]).max(c[2][k])),
                corners,
                surface,
                refused: surface == Surface::STEEP
                    && map.refused.binary_search(&face.triangle).is_ok(),
            });
        }
        self.oldest
    }

    /// How far the ground goes on, over steps of at most `climb`.
    pub(crate) fn reach(&self, line: &Line, climb: f64, scales: &Scales) -> Reach {
        let whole = f64::from(scales.fine);
        // What stands on the ground counts as far as the ground goes without a break: beyond, it is
        // the other side's to say.
        let own = self.ground_end(line, scales.break_height, scales);
        let end = self.ground_end(line, climb, scales);
        let stands = self.first_obstacle(line, scales).filter(|&s| s <= own + scales.gap);
        match stands {
            Some(s) if s <= end + scales.gap => Reach::To(s.min(whole), EdgeClass::Blocked),
            _ if end < whole => Reach::To(end, EdgeClass::Open),
            _ => Reach::Whole,
        }
    }

    /// How far the ground goes on without a break higher than `climb` and without a gap.
    pub(crate) fn ground_end(&self, line: &Line, climb: f64, scales: &Scales) -> f64 {
        let whole = f64::from(scales.fine);
        let (mut at, mut z, mut walked) = (0.0_f64, line.height, 0.0_f64);
        // Over what is too steep, as far as a step from the ground before it.
        let mut left = line.height;
        while at < whole {
            let mut best: Option<(bool, f64, f64)> = None;
            for c in self.cuts.iter().filter(|c| c.from <= at + scales.gap && c.to > at) {
                let ground = c.surface.is_ground();
                if !ground && (c.surface != Surface::STEEP || c.refused) {
                    continue;
                }
                let (there, end) = (c.height(c.from.max(at)), c.height(c.to));
                let fits = match ground {
                    true => (there - z).abs() <= climb && (there - left).abs() <= climb,
                    false => (there - z).abs() <= climb && (end - left).abs() <= climb,
                };
                let better = best.is_none_or(|b| (ground, c.to, end) > b);
                if fits && better {
                    best = Some((ground, c.to, end));
                }
            }
            let Some((ground, to, end)) = best else { break };
            (at, z) = (to, end);
            if ground {
                (walked, left) = (to, end);
            }
        }
        if at >= whole || walked + scales.gap >= whole { whole } else { walked }
    }

    /// Where the first thing stands that the agent cannot pass on the ground at the line's start.
    fn first_obstacle(&self, line: &Line, scales: &Scales) -> Option<f64> {
        let (low, high) = (scales.step as f64, scales.height as f64);
        let mut first: Option<f64> = None;
        for c in &self.cuts {
            let above = [c.z[0] - line.at(c.from), c.z[1] - line.at(c.to)];
            let entry = enters(c, above, low, high).or_else(|| {
                (c.surface.faces_down() && self.is_solid(c, line, scales))
                    .then(|| enters(c, above, TOUCHING_UNITS as f64, low + 1.0))
                    .flatten()
            });
            if let Some(s) = entry
                && first.is_none_or(|f| s < f)
            {
                first = Some(s);
            }
        }
        first
    }

    /// Whether what begins at a surface facing down is not ended below the step's height.
    fn is_solid(&self, down: &Cut, line: &Line, scales: &Scales) -> bool {
        let s = 0.5 * (down.from + down.to);
        let (z, ground) = (down.height(s), line.at(s));
        if z - ground > scales.step as f64 || z - ground <= TOUCHING_UNITS as f64 {
            return false;
        }
        !self.cuts.iter().any(|c| {
            let there = c.height(s);
            c.surface.faces_up()
                && (c.from..=c.to).contains(&s)
                && there > z + TOUCHING_UNITS as f64
                && there - ground <= scales.step as f64
        })
    }
}

impl Line {
    /// The height of the ground's plane at a distance.
    fn at(&self, s: f64) -> f64 {
        self.height + self.rise * s
    }
}

/// Where heights above the ground come to lie between two limits, along a cut.
fn enters(c: &Cut, above: [f64; 2], low: f64, high: f64) -> Option<f64> {
    let [a, b] = above;
    if !(c.to > c.from) {
        return (a.min(b) < high && a.max(b) > low).then_some(c.from);
    }
    if (a <= low && b <= low) || (a >= high && b >= high) {
        return None;
    }
    let cross = |limit: f64| c.from + (c.to - c.from) * (limit - a) / (b - a);
    Some(if a <= low {
        cross(low)
    } else if a >= high {
        cross(high)
    } else {
        c.from
    })
}

/// A triangle cut along a line, from its start to the next pixel's middle.
fn cut(corners: &[[i32; 3]; 3], surface: Surface, line: &Line, reach: f64) -> Option<Cut> {
    let other = 1 - line.axis;
    let aside = corners.map(|c| i64::from(c[other]) - line.start[other]);
    if aside.iter().all(|v| *v > 0) || aside.iter().all(|v| *v < 0) {
        return None;
    }
    let along =
        corners.map(|c| (i64::from(c[line.axis]) - line.start[line.axis]) as f64 * line.sign);
    if along.iter().all(|s| *s > reach) || along.iter().all(|s| *s < 0.0) {
        return None;
    }
    let (mut low, mut high) = ((f64::INFINITY, 0.0), (f64::NEG_INFINITY, 0.0));
    let (mut z_low, mut z_high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut add = |s: f64, z: f64| {
        if s < low.0 {
            low = (s, z);
        }
        if s > high.0 {
            high = (s, z);
        }
        z_low = z_low.min(z);
        z_high = z_high.max(z);
    };
    for k in 0..3 {
        let j = (k + 1) % 3;
        let (zk, zj) = (f64::from(corners[k][2]), f64::from(corners[j][2]));
        if aside[k] == 0 {
            add(along[k], zk);
        }
        if (aside[k] < 0 && aside[j] > 0) || (aside[k] > 0 && aside[j] < 0) {
            let t = aside[k] as f64 / (aside[k] - aside[j]) as f64;
            add(along[k] + t * (along[j] - along[k]), zk + t * (zj - zk));
        }
    }
    if !(high.0 >= 0.0 && low.0 <= reach) {
        return None;
    }
    // A wall along the line, or across it: all its heights at once.
    let upright = aside.iter().all(|v| *v == 0) || !(high.0 > low.0);
    if upright {
        let at = low.0.max(0.0);
        return Some(Cut { from: at, to: at, z: [z_low, z_high], surface, refused: false });
    }
    // Only what lies over the line: beyond its ends the ground's plane says nothing.
    let whole = Cut { from: low.0, to: high.0, z: [low.1, high.1], surface, refused: false };
    let (from, to) = (low.0.max(0.0), high.0.min(reach));
    Some(Cut { from, to, z: [whole.height(from), whole.height(to)], ..whole })
}
