//! Rasterizes triangles over the columns of the coarse grid.
//!
//! Goes in: triangles on the lattice. Comes out: for every column the triangles over it, with the heights
//! that they have there and the pixels that their extents reach. Which heights a triangle has over a column
//! is asked of the rasterizer that pipelines share.

use crate::error::BakeError;
use crate::heightfield::grid::{Grid, Window};
use crate::heightfield::rasterize::ColumnSamples;
use crate::input::classify::{ClassedTriangle, FaceClass};
use crate::layered::model::face::{FaceRange, PixelSpans};
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::FaceFirsts;
use crate::layered::slice::reach::ColumnReach;
use surefoot_geom::threads::prelude::*;

/// Triangles that a thread rasterizes before it looks for more.
const CHUNK: usize = 2048;

/// For so many faces besides two for each triangle memory is kept ready at most.
const MOST_TO_RESERVE: usize = 1 << 16;

/// Every triangle over every column that it reaches into.
pub(super) fn rasterize(
    triangles: &[ClassedTriangle],
    scales: &Scales,
) -> Vec<Vec<(u32, FaceRange)>> {
    // What is not written to costs nothing, while growing costs copies.
    let columns = scales.coarse.width as usize * scales.coarse.depth as usize;
    let more = 2 * columns / triangles.len().div_ceil(CHUNK).max(1);
    let (grid, whole) = (&scales.coarse, whole_window(&scales.coarse));
    triangles
        .par_chunks(CHUNK)
        .zip((0..triangles.len() as u32).into_par_iter().step_by(CHUNK))
        .map_init(ColumnSamples::default, |samples, (triangles, first)| {
            let mut out = Vec::with_capacity(triangles.len() * 2 + more.min(MOST_TO_RESERVE));
            for (triangle, t) in (first..).zip(triangles) {
                let reach = ColumnReach::around(&t.corners, scales);
                let face = |[lo, hi]: [i32; 2], spans| FaceRange {
                    triangle,
                    lo,
                    hi,
                    class: t.class,
                    spans,
                };
                // Most of a crowd lie in one column.
                if let Some((column, spans)) = reach.only_column() {
                    let [a, b, c] = t.corners.map(|corner| corner[2]);
                    out.push((column, face([a.min(b).min(c), a.max(b).max(c)], spans)));
                    continue;
                }
                let swept = samples.sweep(triangle, t, grid, &whole).iter();
                out.extend(swept.map(|(column, sample)| {
                    (*column, face([sample.lo, sample.hi], reach.spans_in(*column)))
                }));
            }
            out
        })
        .collect()
}

/// All columns: numbers in this window are those of the grid.
pub(super) fn whole_window(grid: &Grid) -> Window {
    Window { x0: 0, y0: 0, x1: grid.width, y1: grid.depth }
}

/// Sorts faces into columns and their parts, within which they keep their order.
pub(super) fn sort_into_columns(
    columns: usize,
    loose: Vec<Vec<(u32, FaceRange)>>,
) -> Result<(FaceFirsts, Vec<FaceRange>), BakeError> {
    let count: usize = loose.iter().map(Vec::len).sum();
    // What is kept of them besides is at most twice as many.
    if count >= u32::MAX as usize / 2 {
        return Err(BakeError::TooLarge { what: "faces over columns", count });
    }
    let part_of = |column: u32, face: &FaceRange| {
        FaceFirsts::PARTS * column as usize + FaceFirsts::part(face)
    };
    let parts = FaceFirsts::PARTS * columns;
    let mut firsts = vec![0_u32; parts + 1];
    for (column, face) in loose.iter().flatten() {
        firsts[part_of(*column, face) + 1] += 1;
    }
    for i in 0..parts {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    let none = FaceRange {
        triangle: 0,
        lo: 0,
        hi: 0,
        class: FaceClass::UPRIGHT,
        spans: PixelSpans::default(),
    };
    let mut faces = vec![none; count];
    for (column, face) in loose.iter().flatten() {
        let at = &mut next[part_of(*column, face)];
        faces[*at as usize] = *face;
        *at += 1;
    }
    Ok((FaceFirsts(firsts), faces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::model::any_numbers::any_below;
    use crate::settings::BakeSettings;

    /// Triangles of all sizes, some of them narrow along an axis, many with corners on the borders of columns.
    fn strewn() -> Vec<ClassedTriangle> {
        let mut below = any_below(11);
        (0..9_000)
            .map(|i| {
                let (size, raster) = ([400, 3_000, 20_000, 90_000][i % 4], [1, 3_264][i / 4 % 2]);
                let narrow = [[1, 1], [1, 30], [30, 1]][i / 8 % 3];
                let at = [below(40_000), below(40_000), below(9_000)];
                let corners = [0, 1, 2].map(|_| {
                    let sizes = [size / narrow[0], size / narrow[1], size];
                    let [x, y, z] = [0, 1, 2].map(|k| at[k] + below(sizes[k]));
                    [x / raster * raster, y / raster * raster, z]
                });
                ClassedTriangle { corners, class: FaceClass::ground(0) }
            })
            .collect()
    }

    /// What is known at once of a triangle in one column is what the rasterizer finds, and spans are those that
    /// divisions give.
    #[test]
    fn few_columns_are_those_of_the_rasterizer() {
        let triangles = strewn();
        let settings = BakeSettings::default().resolve().unwrap();
        let scales = Scales::new(&triangles, &settings.agent, &settings.layered).unwrap();
        let found: Vec<(u32, FaceRange)> =
            rasterize(&triangles, &scales).into_iter().flatten().collect();
        let mut samples = ColumnSamples::default();
        let whole = whole_window(&scales.coarse);
        let (fine, side) = (i64::from(scales.fine), i64::from(scales.per_side));
        let (mut counts, mut on_borders) = ([0; 6], 0);
        for (i, triangle) in triangles.iter().enumerate() {
            let mut own: Vec<_> =
                found.iter().filter(|(_, f)| f.triangle == i as u32).copied().collect();
            let mut swept = samples.sweep(i as u32, triangle, &scales.coarse, &whole).to_vec();
            own.sort_unstable_by_key(|f| f.0);
            swept.sort_unstable_by_key(|s| s.0);
            let heights = |f: &(u32, FaceRange)| (f.0, f.1.lo, f.1.hi);
            let expected: Vec<_> = swept.iter().map(|(c, s)| (*c, s.lo, s.hi)).collect();
            assert_eq!(own.iter().map(heights).collect::<Vec<_>>(), expected, "{triangle:?}");
            for (column, face) in &own {
                let corner = scales.corner(*column);
                let spans = [0, 1].map(|k| {
                    let of = triangle.corners.map(|c| i64::from(c[k]) - corner[k]);
                    let (lo, hi) = (of[0].min(of[1]).min(of[2]), of[0].max(of[1]).max(of[2]));
                    let within = |j: &i64| (lo..=hi).contains(&(j * fine + fine / 2));
                    let inside: Vec<i64> = (0..side).filter(within).collect();
                    inside.first().map(|first| [*first as u8, inside[inside.len() - 1] as u8 + 1])
                });
                for k in 0..2 {
                    match spans[k] {
                        Some(span) => assert_eq!(face.spans.0[k], span, "{triangle:?}"),
                        None => assert!(face.spans.0[k][0] == face.spans.0[k][1], "{triangle:?}"),
                    }
                }
            }
            counts[own.len().min(counts.len()) - 1] += 1;
            let is_border = |p: &[i32; 3]| p[0] % scales.coarse.cell == 0;
            on_borders += usize::from(triangle.corners.iter().any(is_border));
        }
        assert!(counts.iter().all(|n| *n > 150), "{counts:?} in so many columns");
        assert!(on_borders > 500, "{on_borders} on borders");
    }

    /// A column's faces lie in the parts that they belong to, in the order in which they came.
    #[test]
    fn faces_of_a_column_lie_in_their_parts() {
        let triangles = strewn();
        let settings = BakeSettings::default().resolve().unwrap();
        let scales = Scales::new(&triangles, &settings.agent, &settings.layered).unwrap();
        let loose = rasterize(&triangles, &scales);
        let all: Vec<(u32, FaceRange)> = loose.iter().flatten().copied().collect();
        let columns = (scales.coarse.width * scales.coarse.depth) as usize;
        let (firsts, faces) = sort_into_columns(columns, loose).unwrap();
        assert_eq!((firsts.column_count(), faces.len()), (columns, all.len()));
        let mut counts = [0; 3];
        for column in 0..columns {
            let [covering, crossed, every] =
                [firsts.covering(column), firsts.crossed(column), firsts.all(column)];
            let parts = [covering.clone(), covering.end..crossed.end, crossed.end..every.end];
            let of_part: [fn(&FaceRange) -> bool; 3] = [
                |f| f.spans.hold_middles(),
                |f| f.spans.cross_lines() && !f.spans.hold_middles(),
                |f| !f.spans.cross_lines(),
            ];
            for (part, (range, belongs)) in parts.into_iter().zip(of_part).enumerate() {
                counts[part] += range.len();
                let own = all.iter().filter(|(c, f)| *c as usize == column && belongs(f));
                assert!(faces[range].iter().eq(own.map(|(_, f)| f)), "column {column}");
            }
        }
        assert!(counts.iter().all(|n| *n > 500), "{counts:?} faces in the parts");
    }
}
