//! Keeps the agent's radius from every boundary.
//!
//! Goes in: linked ground. Comes out: the same without what lies nearer to a boundary than the
//! radius, by true Euclidean distance from the middle of a column to the middle of the nearest column
//! that cannot be entered: what ends the ground lies somewhere in that column, on average in its
//! middle. The radius is not rounded to cells. Distances are taken along the ground:
//! along y and then along x through the links, which finds every boundary in the disc, since a disc
//! all of which is reached so is all ground. Two passes, as in Meijster's distance transform (2000).

use crate::voxel::filter_spans::Columns;
use crate::voxel::grid::{Grid, Window};
use crate::voxel::link_neighbours::{EAST, NO_SPAN, NORTH, OpenField, SOUTH, WEST, side_class};
use surefoot_mesh::EdgeClass;

/// Working memory of the erosion.
#[derive(Debug, Default)]
pub(crate) struct ErodeScratch {
    /// Links to the nearest boundary along x, and what stands there.
    along_x: Vec<(u16, EdgeClass)>,
    from_east: Vec<(u16, EdgeClass)>,
    removed: Vec<(u32, EdgeClass)>,
}

/// Erodes the ground of a window by the agent's radius.
pub(crate) fn erode(
    field: &mut OpenField,
    columns: &Columns,
    grid: &Grid,
    window: &Window,
    scratch: &mut ErodeScratch,
) {
    // The least square of a distance in columns that is far enough: comparing is exact.
    let limit = {
        let (r, c) = (i128::from(grid.agent_radius), i128::from(grid.cell));
        ((r * r + c * c - 1) / (c * c)) as u64
    };
    if limit <= 1 {
        return;
    }
    let reach = (0_u32..).find(|&k| square(k + 1) >= limit).unwrap_or(0);
    let cap = reach.min(u32::from(u16::MAX)) as u16;
    measure_along_x(field, columns, grid, window, cap, scratch);
    let along_x = &scratch.along_x;
    scratch.removed.clear();
    for span in 0..field.links.len() as u32 {
        if field.gone[span as usize].is_some() {
            continue;
        }
        let (steps, class) = along_x[span as usize];
        let mut best = (square(u32::from(steps) + 1), class);
        for direction in [NORTH, SOUTH] {
            let mut at = span;
            for k in 1..=reach {
                let gone_on = square(k);
                if gone_on >= limit || gone_on >= best.0 {
                    break;
                }
                let next = field.links[at as usize][direction];
                if next == NO_SPAN {
                    if gone_on < best.0 {
                        let place = field.places[at as usize];
                        best = (gone_on, side_class(columns, grid, window, place, at, direction));
                    }
                    break;
                }
                at = next;
                let (steps, class) = along_x[at as usize];
                let away = gone_on + square(u32::from(steps) + 1);
                if away < best.0 {
                    best = (away, class);
                }
            }
        }
        if best.0 < limit {
            scratch.removed.push((span, best.1));
        }
    }
    field.remove_all(&scratch.removed);
}

const fn square(n: u32) -> u64 {
    n as u64 * n as u64
}

fn measure_along_x(
    field: &OpenField,
    columns: &Columns,
    grid: &Grid,
    window: &Window,
    cap: u16,
    scratch: &mut ErodeScratch,
) {
    let ErodeScratch { along_x: out, from_east, .. } = scratch;
    out.clear();
    out.resize(field.links.len(), (0, EdgeClass::Open));
    let class = |span: usize, direction: usize| {
        side_class(columns, grid, window, field.places[span], span as u32, direction)
    };
    // Spans are numbered row by row, so the neighbour to the west comes before, to the east after.
    for span in 0..field.links.len() {
        let west = field.links[span][WEST];
        out[span] = match west {
            NO_SPAN => (0, class(span, WEST)),
            west => {
                let (steps, class) = out[west as usize];
                (steps.saturating_add(1).min(cap), class)
            }
        };
    }
    from_east.clear();
    from_east.resize(field.links.len(), (0, EdgeClass::Open));
    for span in (0..field.links.len()).rev() {
        let east = field.links[span][EAST];
        from_east[span] = match east {
            NO_SPAN => (0, class(span, EAST)),
            east => {
                let (steps, class) = from_east[east as usize];
                (steps.saturating_add(1).min(cap), class)
            }
        };
        if from_east[span].0 < out[span].0 {
            out[span] = from_east[span];
        }
    }
}
