//! Slices the scene into coarse voxels: columns of bits, and the faces over each column.
//!
//! Goes in: triangles on the lattice. Comes out: for every column of the coarse grid the triangles over
//! it with the heights that they have there, and two bits for every voxel: positive where ground passes
//! through it, filled where anything does; what is filled and not positive is negative (Oliva 2012,
//! §6.2.1, where three renderings see to it that no face is missed: here the rasterizer is
//! conservative). Words of 64 voxels in which nothing lies are left out.

use crate::context::{StageContext, StageView, ViewFace};
use crate::error::BakeError;
use crate::layered::ledges::{Ledge, Points, find_ledges, sort_ledges};
use crate::layered::rasterize::{
    FaceRange, Parts, Ruler, in_column_order, in_plan, rasterize, sort_into_columns,
};
use crate::layered::scales::Scales;
use crate::report::Warning;
use crate::voxel::grid::{Grid, GridTriangle, Surface};
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{AreaId, CellKind};

/// What the extent of a face meets within its column, as bits: the pixels whose middles it holds along
/// each axis, then the stretches from middle to middle. Of many pixels several share a bit.
struct Extent;

impl Extent {
    const BITS: u32 = 8;

    /// By how much numbers of pixels and stretches are shifted, so that all have a bit.
    fn shift(scales: &Scales) -> u32 {
        (0..6).find(|s| scales.per_side >> s < Self::BITS).unwrap_or(6)
    }

    /// Of a face that reaches along one axis from one pixel to before another, for all such pairs.
    fn of_spans(scales: &Scales) -> Vec<u32> {
        let (shift, side) = (Self::shift(scales), scales.per_side);
        let bits = |first: u32, last: u32| (2 << (last >> shift)) - (1_u32 << (first >> shift));
        let of_span = |first: u32, end: u32| {
            let middles = if first < end { bits(first, end - 1) } else { 0 };
            middles | bits(first, end.max(first)) << (2 * Self::BITS)
        };
        (0..=side).flat_map(|first| (0..=side).map(move |end| of_span(first, end))).collect()
    }

    /// Those that hold a middle along an axis.
    fn with_middle(axis: usize, pixel: u32, shift: u32) -> u32 {
        1 << (Self::BITS * axis as u32 + (pixel >> shift))
    }

    /// Those that meet a stretch along an axis.
    fn with_stretch(axis: usize, stretch: u32, shift: u32) -> u32 {
        1 << (Self::BITS * (2 + axis as u32) + (stretch >> shift))
    }
}

/// Which faces of each column have which bits in their extents. Few have those that are asked for and which do
/// cannot be foreseen, so that of crowds many are answered for by one word.
#[derive(Debug)]
struct Extents {
    /// Where each column's words begin, and one past the last at the end.
    firsts: Vec<u32>,
    /// Of a column with few faces the extent of each; of a crowd, for every block of faces and every bit of an
    /// extent, the faces that have it.
    words: Vec<u32>,
    shift: u32,
}

/// Faces of a crowd that share a word.
const BLOCK: usize = 32;

/// From so many faces on a column has a crowd.
const CROWD: usize = 16;

impl Extents {
    fn new(face_firsts: &[u32], faces: &[FaceRange], scales: &Scales) -> Self {
        let words_for = |faces: u32| match faces as usize {
            few @ 0..CROWD => few,
            many => many.next_multiple_of(BLOCK),
        };
        let count = face_firsts.windows(2).map(|ends| words_for(ends[1] - ends[0])).sum();
        let (mut firsts, mut words) =
            (Vec::with_capacity(face_firsts.len()), Vec::with_capacity(count));
        let (of_spans, pairs) = (Extent::of_spans(scales), scales.per_side as usize + 1);
        let of_span =
            |[first, end]: [u8; 2]| of_spans[usize::from(first) * pairs + usize::from(end)];
        let extent =
            |face: &FaceRange| of_span(face.spans[0]) | of_span(face.spans[1]) << Extent::BITS;
        for ends in face_firsts.windows(2) {
            firsts.push(words.len() as u32);
            let faces = &faces[ends[0] as usize..ends[1] as usize];
            if faces.len() < CROWD {
                words.extend(faces.iter().map(extent));
                continue;
            }
            for faces in faces.chunks(BLOCK) {
                let mut block = [0; BLOCK];
                for (word, face) in block.iter_mut().zip(faces) {
                    *word = extent(face);
                }
                transpose(&mut block);
                words.extend_from_slice(&block);
            }
        }
        firsts.push(words.len() as u32);
        Self { firsts, words, shift: Extent::shift(scales) }
    }

    fn of_column(&self, column: u32) -> &[u32] {
        let c = column as usize;
        &self.words[self.firsts[c] as usize..self.firsts[c + 1] as usize]
    }
}

/// Swaps the rows and columns of a square of bits: by halves, then by halves of those (Warren, *Hacker's
/// Delight*, §7-3).
fn transpose(rows: &mut [u32; BLOCK]) {
    let (mut half, mut mask) = (BLOCK / 2, u32::MAX >> (BLOCK / 2));
    while half > 0 {
        for pair in rows.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                let differ = ((*a >> half) ^ *b) & mask;
                *a ^= differ << half;
                *b ^= differ;
            }
        }
        half /= 2;
        mask ^= mask << half;
    }
}

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
    /// Where each column's faces begin, and one past the last at the end.
    face_firsts: Vec<u32>,
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
        self.face_firsts.len() - 1
    }

    /// How many triangles lie over all columns, each counted in every column that it reaches into.
    pub(crate) fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// The triangles over a column.
    pub(crate) fn faces_of(&self, column: u32) -> &[FaceRange] {
        let c = column as usize;
        &self.faces[self.face_firsts[c] as usize..self.face_firsts[c + 1] as usize]
    }

    /// The triangles over a column whose extents have some bits, at most two, in the order of
    /// [`Self::faces_of`].
    #[inline]
    fn faces_with(&self, column: u32, wanted: u32) -> FacesWith<'_> {
        let (words, faces) = (self.extents.of_column(column), self.faces_of(column));
        FacesWith { words, faces, wanted, found: 0, at: 0, next: 0 }
    }

    /// The triangles over a column that may cross a stretch of the line along an axis through the
    /// middles of a row of pixels.
    #[inline]
    pub(crate) fn faces_along(
        &self,
        column: u32,
        axis: usize,
        row: u8,
        stretch: u8,
    ) -> impl Iterator<Item = &FaceRange> {
        let shift = self.extents.shift;
        let wanted = Extent::with_middle(1 - axis, u32::from(row), shift)
            | Extent::with_stretch(axis, u32::from(stretch), shift);
        self.faces_with(column, wanted).filter(move |face| {
            let ([first, end], [from, to]) = (face.spans[1 - axis], face.spans[axis]);
            // Where no two pixels share a bit, the bits say it.
            shift == 0 || ((first..end).contains(&row) && (from..=to).contains(&stretch))
        })
    }

    /// The triangles over a column whose extents meet a stretch along an axis; all where none is given.
    #[inline]
    pub(crate) fn faces_in_stretch(
        &self,
        column: u32,
        stretch: Option<(usize, u32)>,
    ) -> impl Iterator<Item = &FaceRange> {
        let wanted = |(axis, s): (usize, u32)| Extent::with_stretch(axis, s, self.extents.shift);
        self.faces_with(column, stretch.map_or(0, wanted))
    }

    /// The triangles over a column that may lie over a point which lies in a stretch along each axis.
    #[inline]
    pub(crate) fn faces_around(
        &self,
        column: u32,
        stretches: [u32; 2],
    ) -> impl Iterator<Item = &FaceRange> {
        let wanted = Extent::with_stretch(0, stretches[0], self.extents.shift)
            | Extent::with_stretch(1, stretches[1], self.extents.shift);
        self.faces_with(column, wanted)
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

    /// The edges over a column that only one triangle of ground has.
    pub(crate) fn ledges_of(&self, column: u32) -> &[Ledge] {
        let c = column as usize;
        &self.ledges[self.ledge_firsts[c] as usize..self.ledge_firsts[c + 1] as usize]
    }

    /// Whether an edge of ground runs through a column that no other ground shares.
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

/// Faces whose extents have some bits, at most two.
struct FacesWith<'a> {
    /// Of faces not yet looked at.
    words: &'a [u32],
    faces: &'a [FaceRange],
    wanted: u32,
    /// A bit for each of those last looked at that has the bits, and where among the faces they begin and end.
    found: u32,
    at: usize,
    next: usize,
}

impl FacesWith<'_> {
    /// Looks at the next faces of a crowd.
    #[inline]
    fn look_at_block(&mut self, block: &[u32; BLOCK]) {
        self.found = if self.wanted == 0 {
            let left = (self.faces.len() - self.next).min(BLOCK);
            u32::MAX >> (BLOCK - left)
        } else {
            // The two bits, or twice the one.
            let (first, last) = (self.wanted.trailing_zeros(), self.wanted.ilog2());
            block[first as usize] & block[last as usize]
        };
        (self.at, self.next) = (self.next, self.next + BLOCK);
    }
}

impl<'a> Iterator for FacesWith<'a> {
    type Item = &'a FaceRange;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.found == 0 {
            if let Some((block, rest)) = self.words.split_first_chunk::<BLOCK>() {
                self.words = rest;
                self.look_at_block(block);
                continue;
            }
            if self.words.is_empty() {
                return None;
            }
            for (k, extent) in self.words.iter().enumerate() {
                self.found |= u32::from(extent & self.wanted == self.wanted) << k;
            }
            self.words = &[];
        }
        let k = self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(&self.faces[self.at + k])
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
    let triangles = in_column_order(triangles, columns, &ruler);
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
fn find_words(face_firsts: &[u32], faces: &[FaceRange], levels: &Levels) -> (Vec<u32>, Vec<Word>) {
    let columns = face_firsts.len() - 1;
    let chunks: Vec<(Vec<u32>, Vec<Word>)> = face_firsts[..columns]
        .par_chunks(CHUNK)
        .zip(face_firsts[1..].par_chunks(CHUNK))
        .map(|(from, to)| {
            let (mut counts, mut words) = (Vec::with_capacity(from.len()), Vec::new());
            for (&from, &to) in from.iter().zip(to) {
                let before = words.len();
                words_of_faces(&faces[from as usize..to as usize], levels, &mut words);
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
        // Points of no triangle lie in one column more.
        let mut column_of = vec![columns as u32; points.len()];
        for &number in numbers.as_flattened() {
            column_of[number as usize] = 0;
        }
        let mut firsts = vec![0_u32; columns + 2];
        for (column, p) in column_of.iter_mut().zip(points) {
            if *column == 0 {
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
    use crate::settings::{BakeSettings, LayeredSettings};

    /// Triangles strewn over a few metres, most of them smaller than a column; a third of them in a crowd.
    fn strewn() -> Vec<GridTriangle> {
        let mut state = 7_u64;
        let mut below = |most: i32| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as i32 % most
        };
        (0..600)
            .map(|i| {
                let size = if i % 20 == 0 { 60_000 } else { 5_000 };
                let within = if i % 3 == 0 { 9_000 } else { 90_000 };
                let at = [below(within), below(within), below(60_000)];
                let corners = [0, 1, 2].map(|_| at.map(|v| v + below(size)));
                GridTriangle { corners, surface: Surface::ground(0) }
            })
            .collect()
    }

    #[test]
    fn a_transposed_square_has_its_rows_as_columns() {
        let rows: [u32; BLOCK] =
            std::array::from_fn(|i| 0x9E37_79B9_u32.wrapping_mul(i as u32 + 1));
        let mut columns = rows;
        transpose(&mut columns);
        for (i, row) in rows.iter().enumerate() {
            for (k, column) in columns.iter().enumerate() {
                assert_eq!(row >> k & 1, column >> i & 1, "row {i}, column {k}");
            }
        }
    }

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
        let (mut state, mut several) = (3_u32, 0);
        let mut below = |most: i32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as i32 % most
        };
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

    /// With few pixels along a column's side each has its bit; with many, several share one.
    #[test]
    fn faces_along_a_stretch_are_those_whose_extent_meets_it() {
        for cell_size_m in [0.2, 0.8] {
            let layered = LayeredSettings { cell_size_m, ..LayeredSettings::default() };
            let settings = BakeSettings { layered, ..BakeSettings::default() }.resolve().unwrap();
            let triangles = strewn();
            let scales = Scales::new(&triangles, &settings).unwrap();
            let corners: Vec<[i32; 3]> = triangles.iter().flat_map(|t| t.corners).collect();
            let numbers: Vec<[u32; 3]> =
                (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            let points = Points { numbers: &numbers, points: &corners };
            let slices = slice(triangles, points, &scales, &mut StageContext::new()).unwrap();
            let (fine, side) = (i64::from(scales.fine), scales.per_side as u8);
            let (mut found, mut crowds) = (0, 0);
            for column in 0..slices.column_count() as u32 {
                let (corner, faces) = (scales.corner(column), slices.faces_of(column));
                crowds += usize::from(faces.len() > BLOCK);
                assert!(slices.faces_in_stretch(column, None).eq(faces));
                for axis in 0..2 {
                    for (row, stretch) in
                        (0..side).flat_map(|r| (0..=side).map(move |s| (r, s))).step_by(3)
                    {
                        let line = corner[1 - axis] + i64::from(row) * fine + fine / 2;
                        let start = corner[axis] + i64::from(stretch) * fine - fine / 2;
                        let meets = |f: &&FaceRange| {
                            let c = &slices.triangles[f.triangle as usize].corners;
                            let extent = |k: usize| {
                                let of = |p: [i32; 3]| i64::from(p[k]);
                                let [a, b, c] = c.map(of);
                                (a.min(b).min(c), a.max(b).max(c))
                            };
                            let ((lo, hi), (from, to)) = (extent(1 - axis), extent(axis));
                            lo <= line && line <= hi && from <= start + fine && to >= start
                        };
                        let expected: Vec<u32> =
                            faces.iter().filter(meets).map(|f| f.triangle).collect();
                        let along = slices.faces_along(column, axis, row, stretch);
                        assert_eq!(along.map(|f| f.triangle).collect::<Vec<_>>(), expected);
                        found += expected.len();
                    }
                }
            }
            assert!(found > 500 && crowds > 0, "{found} faces met a stretch, {crowds} crowds");
        }
    }
}
