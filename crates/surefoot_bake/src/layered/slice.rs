//! Slices the scene into coarse voxels: columns of bits, and the faces over each column.
//!
//! Goes in: triangles on the lattice. Comes out: for every column of the coarse grid the triangles over
//! it with the heights that they have there, and two bits for every voxel: positive where ground passes
//! through it, filled where anything does; what is filled and not positive is negative (Oliva 2012,
//! §6.2.1, where three renderings see to it that no face is missed: here the rasterizer is
//! conservative). Words of 64 voxels in which nothing lies are left out.

mod ledges;
mod rasterize;
mod reach;

pub(crate) use self::ledges::Points;

use self::ledges::find_ledges;
use self::rasterize::{rasterize, sort_into_columns};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::heightfield::grid::Grid;
use crate::input::classify::ClassedTriangle;
use crate::layered::model::face::FaceRange;
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::{ByColumn, FaceFirsts, Slices, Word};
use surefoot_geom::threads::prelude::*;

/// Columns that a thread looks at before it looks for more.
const CHUNK: usize = 2048;

pub(crate) fn slice(
    triangles: Vec<ClassedTriangle>,
    points: Points<'_>,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<Slices, BakeError> {
    let grid = &scales.coarse;
    let columns = grid.width as usize * grid.depth as usize;
    if triangles.len() >= u32::MAX as usize / 3 {
        return Err(BakeError::TooLarge { what: "triangles", count: triangles.len() });
    }
    // The numbers of points leave a bit.
    if points.points.len() >= i32::MAX as usize {
        return Err(BakeError::TooLarge { what: "points", count: points.points.len() });
    }
    let (ledges, is_end) = find_ledges(&triangles, points, scales);
    let ledges = ByColumn::sorted(columns, &ledges)?;
    let loose = rasterize(&triangles, scales);
    let (face_firsts, faces) = sort_into_columns(columns, loose)?;
    context.check_cancelled()?;
    let words = find_words(&face_firsts, &faces, grid);
    let placed = place_points(points, scales);
    let is_end = |(_, p): &&(u32, u32)| is_end[*p as usize];
    let ends: Vec<_> = placed.iter().filter(is_end).copied().collect();
    let sorted = |placed: &[(u32, u32)]| {
        let at = |(column, p): &(u32, u32)| (*column, points.points[*p as usize]);
        ByColumn::sorted(columns, &placed.iter().map(at).collect::<Vec<_>>())
    };
    let (ledge_points, points) = (sorted(&ends)?, sorted(&placed)?);
    let bits = |of: fn(&Word) -> u64| words.all().iter().map(|w| of(w).count_ones() as usize).sum();
    context.count("columns", columns);
    context.count("positive_voxels", bits(|w| w.positive));
    context.count("negative_voxels", bits(|w| w.filled & !w.positive));
    Ok(Slices { triangles, face_firsts, faces, words, ledges, ledge_points, points })
}

/// The voxels that the faces of each column pass through.
fn find_words(firsts: &FaceFirsts, faces: &[FaceRange], grid: &Grid) -> ByColumn<Word> {
    let columns = firsts.column_count();
    let chunks: Vec<(Vec<u32>, Vec<Word>)> = (0..columns.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let (mut counts, mut words) = (Vec::with_capacity(CHUNK), Vec::new());
            for column in chunk * CHUNK..columns.min((chunk + 1) * CHUNK) {
                let before = words.len();
                words_of_faces(&faces[firsts.all(column)], grid, &mut words);
                counts.push((words.len() - before) as u32);
            }
            (counts, words)
        })
        .collect();
    let counts = chunks.iter().flat_map(|(counts, _)| counts).copied();
    ByColumn::counted(counts, chunks.iter().flat_map(|(_, words)| words).copied().collect())
}

/// Adds the voxels that the faces of a column pass through, from below.
fn words_of_faces(faces: &[FaceRange], grid: &Grid, words: &mut Vec<Word>) {
    let first = words.len();
    for face in faces {
        let (lo, hi) = (grid.level(face.lo), grid.level(face.hi));
        for at in lo >> 6..=hi >> 6 {
            let from = (lo - at * 64).max(0) as u32;
            let to = (hi - at * 64).min(63) as u32;
            let filled = (u64::MAX >> (63 - to)) & (u64::MAX << from);
            let positive = if face.class.is_ground() { filled } else { 0 };
            let known =
                words[first..].iter().position(|w| w.at >= at).map_or(words.len(), |i| first + i);
            match words.get_mut(known).filter(|w| w.at == at) {
                Some(word) => {
                    word.positive |= positive;
                    word.filled |= filled;
                }
                None => words.insert(known, Word { at, positive, filled }),
            }
        }
    }
}

/// The points that belong to triangles by their numbers, each with its column.
fn place_points(Points { numbers, points }: Points<'_>, scales: &Scales) -> Vec<(u32, u32)> {
    let mut is_used = vec![false; points.len()];
    for &number in numbers.as_flattened() {
        is_used[number as usize] = true;
    }
    let used = (0..).zip(points).zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|((number, p), _)| (scales.column_over([p[0], p[1]]), number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heightfield::grid::Extent;
    use crate::input::classify::FaceClass;
    use crate::layered::model::any_numbers::any_below;
    use crate::layered::model::face::PixelSpans;

    /// Columns of one word and of several, with faces of one voxel and of many.
    #[test]
    fn voxels_are_those_that_faces_pass_through() {
        let grid = Grid::new(Some(&Extent { lo: [0, 0, -500], hi: [1, 1, 9_000] }), 2, 10);
        let (mut below, mut several) = (any_below(3), 0);
        for column in 0..200 {
            let (from, within) = (below(3_000), [500, 3_000][column % 2]);
            let faces: Vec<FaceRange> = (0..below(5))
                .map(|k| {
                    let lo = from - 500 + below(within);
                    let class = [FaceClass::STEEP, FaceClass::ground(0)][k as usize % 2];
                    FaceRange {
                        triangle: 0,
                        lo,
                        hi: lo + below(400),
                        class,
                        spans: PixelSpans::default(),
                    }
                })
                .collect();
            let mut words = vec![Word { at: 99, positive: 1, filled: 1 }];
            words_of_faces(&faces, &grid, &mut words);
            words.remove(0);
            assert!(words.is_sorted_by(|a, b| a.at < b.at));
            several += usize::from(words.len() > 1);
            for level in 0..800 {
                let passes =
                    |f: &&FaceRange| ((f.lo + 500) / 10..=(f.hi + 500) / 10).contains(&level);
                let word = words.iter().find(|w| w.at == level / 64);
                let bits = word.map_or([0; 2], |w| [w.filled, w.positive]);
                let [filled, positive] = bits.map(|bits| bits >> (level % 64) & 1 != 0);
                assert_eq!(filled, faces.iter().any(|f| passes(&f)), "{column} {level}");
                let ground = faces.iter().any(|f| passes(&f) && f.class.is_ground());
                assert_eq!(positive, ground, "{column} {level}");
            }
        }
        assert!((20..180).contains(&several), "{several} columns of several words");
    }

    /// Points without triangles make no columns, and lie in none.
    #[test]
    fn nothing_has_no_slices() {
        let settings = crate::settings::BakeSettings::default().resolve().unwrap();
        let scales = Scales::new(&[], &settings.agent, &settings.layered).unwrap();
        let points = Points { numbers: &[], points: &[[0; 3], [70_000, -9, 4]] };
        let slices = slice(Vec::new(), points, &scales, &mut StageContext::new()).unwrap();
        assert_eq!(slices.column_count(), 0);
        assert!(slices.points.all().is_empty());
    }
}
