//! Slices the scene into coarse voxels: columns of bits, and the faces over each column.
//!
//! Goes in: triangles on the lattice. Comes out: for every column of the coarse grid the triangles over
//! it with the heights that they have there, and two bits for every voxel: positive where ground passes
//! through it, filled where anything does; what is filled and not positive is negative (Oliva 2012,
//! §6.2.1, where three renderings see to it that no face is missed: here the rasterizer is
//! conservative). Words of 64 voxels in which nothing lies are left out.

mod extents;

#[cfg(test)]
pub(crate) use extents::tests::strewn_slices;
pub(crate) use extents::{Block, Sought};

use crate::context::{StageContext, StageView, ViewFace};
use crate::error::BakeError;
use crate::layered::ledges::{Ledge, Points, find_ledges, sort_ledges};
use crate::layered::rasterize::{
    FaceFirsts, FaceRange, Parts, Ruler, in_plan, rasterize, sort_into_columns,
};
use crate::layered::scales::Scales;
use crate::layered::slice::extents::Extents;
use crate::report::Warning;
use crate::voxel::grid::{Grid, GridTriangle, Surface};
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{AreaId, CellKind};

/// Sixty-four voxels of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Where in the column they begin, in words.
    pub(crate) at: i32,
    pub(crate) positive: u64,
    pub(crate) filled: u64,
}

/// The sliced scene, flat arrays column by column.
#[derive(Debug)]
pub(crate) struct Slices {
    pub(crate) triangles: Vec<GridTriangle>,
    face_firsts: FaceFirsts,
    faces: Vec<FaceRange>,
    /// Apart from all else of the faces: most questions are answered by them.
    extents: Extents,
    /// Where each column's words begin, and one past the last at the end.
    word_firsts: Vec<u32>,
    words: Vec<Word>,
    /// Where each column's edges of ground begin that no other ground shares, and one past the last at the end.
    ledge_firsts: Vec<u32>,
    /// Those edges by column.
    ledges: Vec<Ledge>,
    /// Where the ends of those edges begin that lie in each column, and one past the last at the end.
    ledge_point_firsts: Vec<u32>,
    /// The ends of those edges, each once, by column.
    ledge_points: Vec<[i32; 3]>,
    /// Where each column's points begin, and one past the last at the end.
    point_firsts: Vec<u32>,
    /// The points of all triangles, each once, by column.
    points: Vec<[i32; 3]>,
}

impl Slices {
    pub(crate) fn column_count(&self) -> usize {
        self.face_firsts.column_count()
    }

    /// How many triangles lie over all columns, each counted in every column that it reaches into.
    pub(crate) fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// The triangles over a column.
    pub(crate) fn faces_of(&self, column: u32) -> &[FaceRange] {
        &self.faces[self.face_firsts.all(column as usize)]
    }

    /// Those of them that may cover middles of pixels: the first ones.
    pub(crate) fn covering_faces_of(&self, column: u32) -> &[FaceRange] {
        &self.faces[self.face_firsts.covering(column as usize)]
    }

    /// Those of them that lines through the middles of pixels may cross: the first ones too.
    pub(crate) fn crossed_faces_of(&self, column: u32) -> &[FaceRange] {
        &self.faces[self.face_firsts.crossed(column as usize)]
    }

    /// The voxels of a column, from below.
    pub(crate) fn words_of(&self, column: u32) -> &[Word] {
        let c = column as usize;
        &self.words[self.word_firsts[c] as usize..self.word_firsts[c + 1] as usize]
    }

    /// The ends of edges in a column that only one triangle of ground has, each once.
    pub(crate) fn ledge_points_of(&self, column: u32) -> &[[i32; 3]] {
        let (c, firsts) = (column as usize, &self.ledge_point_firsts);
        &self.ledge_points[firsts[c] as usize..firsts[c + 1] as usize]
    }

    /// The edges over a column that only one triangle of ground has; none where any gap is none.
    pub(crate) fn ledges_of(&self, column: u32) -> &[Ledge] {
        let c = column as usize;
        &self.ledges[self.ledge_firsts[c] as usize..self.ledge_firsts[c + 1] as usize]
    }

    /// Whether an edge of ground runs through a column that no other ground shares; never where any gap is none.
    pub(crate) fn has_ledges(&self, column: u32) -> bool {
        !self.ledges_of(column).is_empty()
    }

    /// The points of triangles in a column, each once.
    pub(crate) fn points_of(&self, column: u32) -> &[[i32; 3]] {
        let c = column as usize;
        &self.points[self.point_firsts[c] as usize..self.point_firsts[c + 1] as usize]
    }

    /// What a triangle is to a column.
    pub(crate) fn surface(&self, triangle: u32) -> Surface {
        self.triangles[triangle as usize].surface
    }
}

impl Slices {
    /// What a person would look at: the upper side of every run of voxels, positive ones coloured
    /// otherwise than negative ones.
    pub(crate) fn view(&self, frame: &Frame, scales: &Scales) -> StageView {
        let mut view = StageView { up: frame.up(), ..StageView::default() };
        let side = f64::from(scales.coarse.cell);
        for column in 0..self.column_count() as u32 {
            let corner = scales.corner(column).map(|v| v as f64);
            for word in self.words_of(column) {
                // A voxel is seen where the one above it is of another kind.
                for bits in [word.positive, word.filled & !word.positive] {
                    let mut tops = bits & !(bits >> 1);
                    while tops != 0 {
                        let level = word.at * 64 + tops.trailing_zeros() as i32;
                        tops &= tops - 1;
                        let z = f64::from(scales.coarse.level_height(level));
                        let at = |dx: f64, dy: f64| {
                            let p = DVec3::new(corner[0] + dx * side, corner[1] + dy * side, z);
                            frame.user_from_canonical(p * M_PER_LATTICE)
                        };
                        view.faces.push(ViewFace {
                            loops: vec![vec![
                                at(0.0, 0.0),
                                at(1.0, 0.0),
                                at(1.0, 1.0),
                                at(0.0, 1.0),
                            ]],
                            triangles: Vec::new(),
                            kind: CellKind::Ground,
                            area: AreaId(0),
                            component: Some(u32::from(bits != word.positive)),
                        });
                    }
                }
            }
        }
        view
    }
}

/// Columns that a thread looks at before it looks for more.
const CHUNK: usize = 2048;

pub(crate) fn slice(
    triangles: Vec<GridTriangle>,
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
    let ruler = Ruler::new(scales);
    let (loose, is_end) = find_ledges(&triangles, points, scales, &ruler);
    let (ledge_firsts, ledges) = sort_ledges(columns, loose)?;
    let loose = rasterize(&triangles, scales, &ruler);
    let (face_firsts, faces) = sort_into_columns(columns, loose)?;
    let extents = Extents::new(&face_firsts, &faces, scales);
    context.check_cancelled()?;
    let (word_firsts, words) = find_words(&face_firsts, &faces, &Levels::new(grid));
    let placed = Placed::new(points, columns, &ruler);
    let (ledge_point_firsts, ledge_points) = placed.among(&is_end);
    let bits = |of: fn(&Word) -> u64| words.iter().map(|w| of(w).count_ones() as usize).sum();
    context.count("columns", columns);
    context.count("positive_voxels", bits(|w| w.positive));
    context.count("negative_voxels", bits(|w| w.filled & !w.positive));
    if triangles.iter().all(|t| !t.surface.is_ground()) {
        context.warn(Warning::NoGround);
    }
    Ok(Slices {
        triangles,
        face_firsts,
        faces,
        extents,
        word_firsts,
        words,
        ledge_firsts,
        ledges,
        ledge_point_firsts,
        ledge_points,
        point_firsts: placed.firsts,
        points: placed.points,
    })
}

/// Tells in which voxel of a column a height lies.
#[derive(Clone, Copy, Debug)]
struct Levels(Parts<1>);

impl Levels {
    fn new(grid: &Grid) -> Self {
        let base = i64::from(grid.level_height(0)) - i64::from(grid.cell_height / 2);
        Self(Parts::new(f64::from(grid.cell_height), [base as f64]))
    }

    /// As [`Grid::level`] has it.
    #[inline]
    fn level(&self, z: i32) -> i32 {
        self.0.count([f64::from(z)])[0]
    }
}

/// The voxels that the faces of each column pass through, and where each column's words begin.
fn find_words(firsts: &FaceFirsts, faces: &[FaceRange], levels: &Levels) -> (Vec<u32>, Vec<Word>) {
    let columns = firsts.column_count();
    let chunks: Vec<(Vec<u32>, Vec<Word>)> = (0..columns.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let (mut counts, mut words) = (Vec::with_capacity(CHUNK), Vec::new());
            for column in chunk * CHUNK..columns.min((chunk + 1) * CHUNK) {
                let before = words.len();
                words_of_faces(&faces[firsts.all(column)], levels, &mut words);
                counts.push((words.len() - before) as u32);
            }
            (counts, words)
        })
        .collect();
    let mut firsts = Vec::with_capacity(columns + 1);
    let mut words: Vec<Word> = Vec::with_capacity(chunks.iter().map(|c| c.1.len()).sum());
    let mut first = 0;
    for (counts, of_chunk) in &chunks {
        for count in counts {
            firsts.push(first);
            first += count;
        }
        words.extend_from_slice(of_chunk);
    }
    firsts.push(first);
    (firsts, words)
}

/// Adds the voxels that the faces of a column pass through, from below.
fn words_of_faces(faces: &[FaceRange], levels: &Levels, words: &mut Vec<Word>) {
    let Some(first) = faces.first() else { return };
    // Most columns have one word.
    let mut only = Word { at: levels.level(first.lo) >> 6, positive: 0, filled: 0 };
    for face in faces {
        let (lo, hi) = (levels.level(face.lo) - only.at * 64, levels.level(face.hi) - only.at * 64);
        if (lo | hi) & !63 != 0 {
            return several_words_of_faces(faces, levels, words);
        }
        let filled = (u64::MAX >> (63 - hi)) & (u64::MAX << lo);
        only.filled |= filled;
        only.positive |= filled & u64::from(face.surface.is_ground()).wrapping_neg();
    }
    words.push(only);
}

/// The same of a column with several words.
fn several_words_of_faces(faces: &[FaceRange], levels: &Levels, words: &mut Vec<Word>) {
    let first = words.len();
    for face in faces {
        let (lo, hi) = (levels.level(face.lo), levels.level(face.hi));
        for at in lo.div_euclid(64)..=hi.div_euclid(64) {
            let from = (lo - at * 64).max(0) as u32;
            let to = (hi - at * 64).min(63) as u32;
            let filled = (u64::MAX >> (63 - to)) & (u64::MAX << from);
            let positive = if face.surface.is_ground() { filled } else { 0 };
            match words[first..].binary_search_by_key(&at, |w| w.at) {
                Ok(i) => {
                    words[first + i].positive |= positive;
                    words[first + i].filled |= filled;
                }
                Err(i) => words.insert(first + i, Word { at, positive, filled }),
            }
        }
    }
}

/// The points of triangles by column, each once.
struct Placed {
    /// Where each column's points begin, and one past the last at the end.
    firsts: Vec<u32>,
    points: Vec<[i32; 3]>,
    /// Their numbers.
    numbers: Vec<u32>,
}

impl Placed {
    fn new(Points { numbers, points }: Points<'_>, columns: usize, ruler: &Ruler) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        // Points of no triangle lie in one column more.
        let mut column_of = vec![columns as u32; points.len()];
        for &number in numbers.as_flattened() {
            column_of[number as usize] = UNKNOWN;
        }
        let mut firsts = vec![0_u32; columns + 2];
        for (column, p) in column_of.iter_mut().zip(points) {
            if *column == UNKNOWN {
                *column = ruler.column_over(in_plan(*p));
            }
            firsts[*column as usize + 1] += 1;
        }
        for i in 0..columns {
            firsts[i + 1] += firsts[i];
        }
        firsts.truncate(columns + 1);
        let count = firsts[columns] as usize;
        let mut next = firsts.clone();
        let mut placed = Self { firsts, points: vec![[0; 3]; count], numbers: vec![0; count] };
        for (i, (&column, point)) in (0..).zip(column_of.iter().zip(points)) {
            if column as usize == columns {
                continue;
            }
            let at = &mut next[column as usize];
            placed.points[*at as usize] = *point;
            placed.numbers[*at as usize] = i;
            *at += 1;
        }
        placed
    }

    /// Those of which something is so, by column. For which it is cannot be foreseen, so no branch asks.
    fn among(&self, is_so: &[bool]) -> (Vec<u32>, Vec<[i32; 3]>) {
        let mut firsts = Vec::with_capacity(self.firsts.len());
        let (mut found, mut count) = (vec![[0; 3]; self.points.len() + 1], 0);
        for ends in self.firsts.windows(2) {
            firsts.push(count as u32);
            for i in ends[0] as usize..ends[1] as usize {
                found[count] = self.points[i];
                count += usize::from(is_so[self.numbers[i] as usize]);
            }
        }
        firsts.push(count as u32);
        found.truncate(count);
        (firsts, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::any_numbers::any_below;

    #[test]
    fn points_of_columns_keep_their_order() {
        let points = [[9, 0, 0], [1, 0, 1], [5, 0, 2], [8, 0, 3], [2, 0, 4], [0, 0, 5]];
        let firsts = vec![0, 2, 2, 5];
        let numbers = vec![1, 4, 0, 2, 3];
        let placed = Placed {
            firsts,
            points: numbers.iter().map(|&n| points[n as usize]).collect(),
            numbers,
        };
        let (firsts, found) = placed.among(&[true, false, false, true, true, true]);
        assert_eq!((firsts, found), (vec![0, 1, 1, 3], vec![points[4], points[0], points[3]]));
    }

    /// Columns of one word and of several, with faces of one voxel and of many.
    #[test]
    fn voxels_are_those_that_faces_pass_through() {
        let levels = Levels(Parts::new(10.0, [-500.0]));
        let (mut below, mut several) = (any_below(3), 0);
        for column in 0..200 {
            let (from, within) = (below(3_000), [500, 3_000][column % 2]);
            let faces: Vec<FaceRange> = (0..below(5))
                .map(|k| {
                    let lo = from - 500 + below(within);
                    let surface = [Surface::STEEP, Surface::ground(0)][k as usize % 2];
                    FaceRange { triangle: 0, lo, hi: lo + below(400), surface, spans: [[0; 2]; 2] }
                })
                .collect();
            let mut words = vec![Word { at: 99, positive: 1, filled: 1 }];
            words_of_faces(&faces, &levels, &mut words);
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
                let ground = faces.iter().any(|f| passes(&f) && f.surface.is_ground());
                assert_eq!(positive, ground, "{column} {level}");
            }
        }
        assert!((20..180).contains(&several), "{several} columns of several words");
    }

    /// Points without triangles make no columns, and lie in none.
    #[test]
    fn nothing_has_no_slices() {
        let settings = crate::settings::BakeSettings::default().resolve().unwrap();
        let scales = Scales::new(&[], &settings).unwrap();
        let points = Points { numbers: &[], points: &[[0; 3], [70_000, -9, 4]] };
        let slices = slice(Vec::new(), points, &scales, &mut StageContext::new()).unwrap();
        assert_eq!(slices.column_count(), 0);
        assert!(slices.points.is_empty());
    }
}
