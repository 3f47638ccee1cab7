//! Makes what is too steep, but leads from ground to ground within one step, ground: a leaning riser,
//! the side of a kerb.
//!
//! Goes in: the solid spans of a window. Comes out: the same, with steep tops that are stepped over
//! marked as ground. From a steep place a walk goes straight down the slope and another straight up it,
//! over the triangles themselves, until each comes to a surface that can be walked on; the two may
//! differ by a step. A column is stepped over where that holds at its four outer places: which of them
//! are steep, and which lead over, does not depend on the tile.

use crate::input::classify::FaceClass;
use crate::input::points::normal_units;
use crate::voxel::sample_places::{Places, SIDE};
use crate::voxel::spans::{Columns, Made};

/// The outer places of a column.
const OUTER: [usize; 4] = [0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1];

/// A surface facing up over a point: its height, what it is, and its triangle.
type SurfaceMet = (f64, FaceClass, u32);

/// Marks steep tops that are stepped over.
pub(crate) fn keep_risers(columns: &mut Columns, places: &Places<'_>) {
    let mut risers: Vec<(u32, u16)> = Vec::new();
    for (i, span) in columns.solids.iter().enumerate() {
        if !span.is_steep() {
            continue;
        }
        let column = columns.column_of_solid(i as u32);
        let is_last = i + 1 == columns.solid_firsts[column + 1] as usize;
        let ceiling = if is_last { i32::MAX } else { columns.solids[i + 1].lo };
        if i64::from(ceiling) - i64::from(span.top) < places.grid.agent_height {
            continue;
        }
        if let Some(area) = area_of_riser(places, column, f64::from(span.height())) {
            risers.push((i as u32, area));
        }
    }
    for (i, area) in risers {
        columns.solids[i as usize].make_ground(area, Made::Riser);
    }
}

/// The area type below a column that is stepped over.
fn area_of_riser(places: &Places<'_>, column: usize, height: f64) -> Option<u16> {
    // A look from its middle with long strides first: most steep ground is far too high.
    let [low, high] = [places.place(column, 0), places.place(column, SIDE * SIDE - 1)];
    let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
    let met = places.nearest_above(middle, height)?;
    if !met.1.is_ground() {
        places.leads_over(middle, met, 1)?;
    }
    let mut lowest: Option<(f64, u16)> = None;
    for place in OUTER {
        let at = places.place(column, place);
        let met = places.nearest_above(at, height)?;
        let (low, area) = match met.1.is_ground() {
            true => (met.0, met.1.area()),
            false => places.leads_over(at, met, SIDE as u32)?,
        };
        if lowest.is_none_or(|l| (low, area) < l) {
            lowest = Some((low, area));
        }
    }
    lowest.map(|l| l.1)
}

impl Places<'_> {
    /// Whether a steep surface leads from ground to ground within one step, walked with some paces to
    /// a column; the height of the lower ground, and its area type.
    pub(crate) fn leads_over(
        &self,
        at: [f64; 2],
        from: SurfaceMet,
        paces: u32,
    ) -> Option<(f64, u16)> {
        let corners = &self.triangles[from.2 as usize].corners;
        let normal = normal_units(corners[0], corners[1], corners[2]);
        let length = normal.x.hypot(normal.y);
        if !(length > 0.0) {
            return None;
        }
        let down = [normal.x / length, normal.y / length];
        let (low, area) = self.end_of_slope(at, from.0, down, paces)?;
        let (high, _) = self.end_of_slope(at, from.0, [-down[0], -down[1]], paces)?;
        (high - low <= self.highest(paces)).then_some((low, area))
    }

    /// What is stepped over, with long strides twice as much: they meet the ground late.
    fn highest(&self, paces: u32) -> f64 {
        self.grid.step as f64 * if paces > 1 { 1.0 } else { 2.0 }
    }

    /// The ground at the end of a steep slope in a direction, if a step leads there.
    fn end_of_slope(
        &self,
        at: [f64; 2],
        start: f64,
        way: [f64; 2],
        paces: u32,
    ) -> Option<(f64, u16)> {
        let highest = self.highest(paces);
        let pace = f64::from(self.grid.columns.cell) / f64::from(paces);
        let mut last = start;
        for k in 1..=self.grid.riser_columns * paces {
            let away = pace * f64::from(k);
            let (z, class, _) =
                self.nearest_above([at[0] + way[0] * away, at[1] + way[1] * away], last)?;
            if class.is_ground() {
                return Some((z, class.area()));
            }
            if (z - start).abs() > highest {
                return None;
            }
            last = z;
        }
        None
    }

    /// The surface facing up over a point that is nearest to a height, within a step of it.
    pub(crate) fn nearest_above(&self, at: [f64; 2], height: f64) -> Option<SurfaceMet> {
        let column = self.column_at(at)?;
        let step = self.grid.step as f64;
        let mut best: Option<SurfaceMet> = None;
        for s in self.samples.of_column(column) {
            if !s.class.faces_up()
                || f64::from(s.lo) > height + step
                || f64::from(s.hi) < height - step
            {
                continue;
            }
            let Some(z) = self.height_over(s.triangle, at) else { continue };
            let away = (z - height).abs();
            let better = |b: &SurfaceMet| match away.total_cmp(&(b.0 - height).abs()) {
                std::cmp::Ordering::Less => true,
                // On the edge between two, the one that can be walked on.
                std::cmp::Ordering::Equal => (b.1, s.triangle) < (s.class, b.2),
                std::cmp::Ordering::Greater => false,
            };
            if away <= step && best.as_ref().is_none_or(better) {
                best = Some((z, s.class, s.triangle));
            }
        }
        best
    }
}
