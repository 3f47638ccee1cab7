//! Links between neighbouring ground: where the agent can go from column to column.
//!
//! Goes in: ground with head room. Comes out: for every span and each of the four directions the span
//! it leads to, at most one, since the agent is higher than its step; and which ledges were left out
//! (Recast's rule: the last column before a drop is covered by ground only in part).

use crate::heightfield::grid::{EAST, NORTH, WEST, Window, opposite};
use crate::voxel::bin_tiles::TiledGrid;
use crate::voxel::spans::{Columns, GroundSpan, SolidSpan};
use std::ops::Range;
use surefoot_mesh::EdgeClass;

/// No span in this direction.
pub(crate) const NO_SPAN: u32 = u32::MAX;

/// Ground with links: the open heightfield.
#[derive(Debug, Default)]
pub(crate) struct CompactHeightfield {
    /// The span in each direction, or [`NO_SPAN`].
    pub(crate) links: Vec<[u32; 4]>,
    /// The column of every span, from the window's corner.
    pub(crate) places: Vec<[u32; 2]>,
    /// Why a span is no ground any more; `None` for ground.
    pub(crate) gone: Vec<Option<EdgeClass>>,
    /// In each direction the last x or y with ground that is known, where the grid goes on behind it;
    /// otherwise nothing that is ever reached.
    last_known: [u32; 4],
}

impl CompactHeightfield {
    /// Links all ground of a window, in place of what was there. It is known in a smaller window.
    pub(crate) fn link(
        &mut self,
        columns: &Columns,
        grid: &TiledGrid,
        [window, known]: [&Window; 2],
    ) {
        let (width, depth) = (window.width() as usize, window.depth() as usize);
        let goes_on = [
            known.x1 < grid.columns.width,
            known.y1 < grid.columns.depth,
            known.x0 > 0,
            known.y0 > 0,
        ];
        let last = [
            known.x1 - window.x0 - 1,
            known.y1 - window.y0 - 1,
            known.x0 - window.x0,
            known.y0 - window.y0,
        ];
        self.last_known = std::array::from_fn(|d| if goes_on[d] { last[d] } else { u32::MAX });
        self.links.clear();
        self.links.resize(columns.len(), [NO_SPAN; 4]);
        self.gone.clear();
        self.gone.resize(columns.len(), None);
        self.places.clear();
        self.places.reserve(columns.len());
        let links = self.links.as_mut_slice();
        let rows = (known.y0 - window.y0) as usize..(known.y1 - window.y0) as usize;
        for y in rows {
            let firsts = &columns.firsts[y * width..=(y + 1) * width];
            for x in (known.x0 - window.x0) as usize..(known.x1 - window.x0) as usize {
                let here = firsts[x]..firsts[x + 1];
                if here.is_empty() {
                    continue;
                }
                for _ in here.clone() {
                    self.places.push([x as u32, y as u32]);
                }
                if x + 1 < width {
                    let there = firsts[x + 1]..firsts[x + 2];
                    link_columns(links, &columns.grounds, grid, [here.clone(), there], EAST);
                }
                if y + 1 < depth {
                    let there = columns.span_range((y + 1) * width + x);
                    link_columns(links, &columns.grounds, grid, [here, there], NORTH);
                }
            }
        }
    }

    /// Takes a span out and the links to it.
    fn remove(&mut self, span: u32, class: EdgeClass) {
        self.gone[span as usize] = Some(class);
        for direction in 0..4 {
            let other = std::mem::replace(&mut self.links[span as usize][direction], NO_SPAN);
            if other != NO_SPAN {
                self.links[other as usize][opposite(direction)] = NO_SPAN;
            }
        }
    }

    /// Takes many spans out.
    pub(crate) fn remove_all(&mut self, spans: &[(u32, EdgeClass)]) {
        for &(span, class) in spans {
            self.remove(span, class);
        }
    }

    /// Leaves out ground beside a drop.
    pub(crate) fn drop_ledges(&mut self, columns: &Columns, grid: &TiledGrid, window: &Window) {
        let mut ledges = Vec::new();
        for span in 0..self.links.len() as u32 {
            let is_ledge = (0..4).any(|d| {
                self.links[span as usize][d] == NO_SPAN
                    && !self.leaves(span, d)
                    && is_drop(columns, grid, window, self.places[span as usize], span, d)
            });
            if is_ledge {
                ledges.push((span, EdgeClass::Open));
            }
        }
        self.remove_all(&ledges);
    }

    /// Whether a direction leads out of where ground is known, and the grid goes on there.
    pub(crate) fn leaves(&self, span: u32, direction: usize) -> bool {
        let [x, y] = self.places[span as usize];
        let at = if direction == EAST || direction == WEST { x } else { y };
        at == self.last_known[direction]
    }
}

/// Links the ground of two columns side by side.
#[inline]
fn link_columns(
    links: &mut [[u32; 4]],
    grounds: &[GroundSpan],
    grid: &TiledGrid,
    [here, there]: [Range<u32>; 2],
    direction: usize,
) {
    let (mut a, mut b) = (here.start, there.start);
    while a < here.end && b < there.end {
        let (from, to) = (&grounds[a as usize], &grounds[b as usize]);
        if can_go(from, to, grid) {
            links[a as usize][direction] = b;
            links[b as usize][opposite(direction)] = a;
            a += 1;
            b += 1;
        } else if from.height <= to.height {
            a += 1;
        } else {
            b += 1;
        }
    }
}

/// Whether the agent can go between two spans of neighbouring columns.
#[inline]
fn can_go(a: &GroundSpan, b: &GroundSpan, grid: &TiledGrid) -> bool {
    let rise = (i64::from(a.height) - i64::from(b.height)).abs();
    let room = i64::from(a.ceiling.min(b.ceiling)) - i64::from(a.top.max(b.top));
    rise <= grid.climb
        && room >= grid.agent_height
        && (!grid.level_only || grid.columns.level(a.height) == grid.columns.level(b.height))
}

/// The solid spans beside a span; none beyond the window.
fn solids_beside<'a>(
    columns: &'a Columns,
    window: &Window,
    place: [u32; 2],
    direction: usize,
) -> &'a [SolidSpan] {
    let Some(neighbour) = window.column_beside(place, direction) else { return &[] };
    let from = columns.solid_firsts[neighbour] as usize;
    &columns.solids[from..columns.solid_firsts[neighbour + 1] as usize]
}

/// Whether what lies beside a span is lower than the agent can step down.
fn is_drop(
    columns: &Columns,
    grid: &TiledGrid,
    window: &Window,
    place: [u32; 2],
    span: u32,
    direction: usize,
) -> bool {
    let height = i64::from(columns.grounds[span as usize].height);
    !solids_beside(columns, window, place, direction).iter().any(|s| {
        i64::from(s.lo) < height + grid.agent_height && i64::from(s.top) >= height - grid.climb
    })
}

/// What stands beside a span where no link leads on.
pub(crate) fn side_class(
    columns: &Columns,
    grid: &TiledGrid,
    window: &Window,
    place: [u32; 2],
    span: u32,
    direction: usize,
) -> EdgeClass {
    let height = i64::from(columns.grounds[span as usize].height);
    let blocked = solids_beside(columns, window, place, direction)
        .iter()
        .any(|s| i64::from(s.lo) < height + grid.agent_height && i64::from(s.top) > height);
    if blocked { EdgeClass::Blocked } else { EdgeClass::Open }
}
