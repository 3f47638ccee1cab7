//! Slices the scene into coarse voxels: columns of bits, and the faces over each column.
//!
//! Goes in: triangles on the lattice. Comes out: for every column of the coarse grid the triangles over
//! it with the heights that they have there, and two bits for every voxel: positive where ground passes
//! through it, filled where anything does; what is filled and not positive is negative (Oliva 2012,
//! §6.2.1, where three renderings see to it that no face is missed: here the rasterizer is
//! conservative). Words of 64 voxels in which nothing lies are left out.

mod extents;

#[cfg(test)]
pub(crate) use extents::tests;
pub(crate) use extents::{Block, Sought};

use crate::context::{StageContext, StageView, ViewFace};
use crate::error::BakeError;
use crate::layered::ledges::{Ledge, Points, find_ledges, sort_ledges};
use crate::layered::rasterize::{
    FaceRange, Ruler, count_parts, in_column_order, rasterize, sort_into_columns,
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
    let levels = Levels::new(grid);
    let chunks: Vec<(Vec<u32>, Vec<Word>)> = face_firsts[..columns]
        .par_chunks(CHUNK)
        .zip(face_firsts[1..].par_chunks(CHUNK))
        .map(|(from, to)| {
            let (mut counts, mut words) = (Vec::with_capacity(from.len()), Vec::new());
            for (&from, &to) in from.iter().zip(to) {
                let before = words.len();
                words_of_faces(&faces[from as usize..to as usize], &levels, &mut words);
                counts.push((words.len() - before) as u32);
            }
            (counts, words)
        })
        .collect();
    let mut word_firsts = Vec::with_capacity(columns + 1);
    let mut words: Vec<Word> = Vec::with_capacity(chunks.iter().map(|c| c.1.len()).sum());
    let mut first = 0;
    for (counts, of_chunk) in &chunks {
        for count in counts {
            word_firsts.push(first);
            first += count;
        }
        words.extend_from_slice(of_chunk);
    }
    word_firsts.push(first);
    let placed = Placed::new(points, &ruler);
    let (ledge_point_firsts, ledge_points) = placed.by_column(columns, |p| is_end[p]);
    let bits = |of: fn(&Word) -> u64| words.iter().map(|w| of(w).count_ones() as usize).sum();
    context.count("columns", columns);
    context.count("positive_voxels", bits(|w| w.positive));
    context.count("negative_voxels", bits(|w| w.filled & !w.positive));
    if triangles.iter().all(|t| !t.surface.is_ground()) {
        context.warn(Warning::NoGround);
    }
    let (point_firsts, points) = placed.by_column(columns, |_| true);
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
        point_firsts,
        points,
    })
}

/// Tells in which voxel of a column a height lies.
#[derive(Clone, Copy, Debug)]
struct Levels {
    base: f64,
    per_unit: f64,
}

impl Levels {
    fn new(grid: &Grid) -> Self {
        let base = i64::from(grid.level_height(0)) - i64::from(grid.cell_height / 2);
        Self { base: base as f64, per_unit: 1.0 / f64::from(grid.cell_height) }
    }

    /// As [`Grid::level`] has it.
    #[inline]
    fn level(&self, z: i32) -> i32 {
        count_parts(f64::from(z) - self.base, self.per_unit)
    }
}

/// Adds the voxels that the faces of a column pass through, from below.
fn words_of_faces(faces: &[FaceRange], levels: &Levels, words: &mut Vec<Word>) {
    let first = words.len();
    for face in faces {
        let (lo, hi) = (levels.level(face.lo), levels.level(face.hi));
        let ground = face.surface.is_ground();
        for at in lo.div_euclid(64)..=hi.div_euclid(64) {
            let from = (lo - at * 64).max(0) as u32;
            let to = (hi - at * 64).min(63) as u32;
            let filled = (u64::MAX >> (63 - to)) & (u64::MAX << from);
            let positive = if ground { filled } else { 0 };
            // Most columns have one word.
            let found = match &words[first..] {
                [only] if only.at == at => Ok(0),
                several => several.binary_search_by_key(&at, |w| w.at),
            };
            match found {
                Ok(i) => {
                    words[first + i].positive |= positive;
                    words[first + i].filled |= filled;
                }
                Err(i) => words.insert(first + i, Word { at, positive, filled }),
            }
        }
    }
}

/// The points of triangles, and the column over each; none over those of no triangle.
struct Placed<'a> {
    points: &'a [[i32; 3]],
    columns: Vec<u32>,
}

impl<'a> Placed<'a> {
    const NOWHERE: u32 = u32::MAX;

    fn new(Points { numbers, points }: Points<'a>, ruler: &Ruler) -> Self {
        let mut columns = vec![Self::NOWHERE; points.len()];
        for &number in numbers.as_flattened() {
            columns[number as usize] = 0;
        }
        for (column, p) in columns.iter_mut().zip(points).filter(|(c, _)| **c != Self::NOWHERE) {
            *column = ruler.column_over([p[0], p[1]]);
        }
        Self { points, columns }
    }

    /// Some of the points by column, each once.
    fn by_column(
        &self,
        columns: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> (Vec<u32>, Vec<[i32; 3]>) {
        let wanted = || {
            let placed = self.columns.iter().zip(self.points).enumerate();
            let placed = placed.filter(|(i, (c, _))| **c != Self::NOWHERE && is_wanted(*i));
            placed.map(|(_, (&column, point))| (column as usize, point))
        };
        let mut firsts = vec![0_u32; columns + 1];
        for (column, _) in wanted() {
            firsts[column + 1] += 1;
        }
        for i in 0..columns {
            firsts[i + 1] += firsts[i];
        }
        let mut next = firsts.clone();
        let mut by_column = vec![[0; 3]; firsts[columns] as usize];
        for (column, point) in wanted() {
            let at = &mut next[column];
            by_column[*at as usize] = *point;
            *at += 1;
        }
        (firsts, by_column)
    }
}
