//! The scene sliced into columns: the voxels of each, and what lies over it.

use crate::error::BakeError;
use crate::input::classify::{ClassedTriangle, FaceClass};
use crate::layered::model::face::{FaceRange, Ledge, LineStretch, Sought};
use crate::layered::model::scales::Scales;
use crate::view::{StageView, ViewFace};
use glam::DVec3;
use std::ops::Range;
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

/// Things by column, in a flat array.
#[derive(Debug)]
pub(crate) struct ByColumn<T> {
    /// Where each column's begin, and one past the last at the end.
    firsts: Vec<u32>,
    all: Vec<T>,
}

impl<T: Copy + Default> ByColumn<T> {
    /// Sorts things into their columns; within a column they keep their order.
    pub(crate) fn sorted(columns: usize, loose: &[(u32, T)]) -> Result<Self, BakeError> {
        if loose.len() >= u32::MAX as usize {
            return Err(BakeError::TooLarge { what: "parts of columns", count: loose.len() });
        }
        let mut firsts = vec![0_u32; columns + 1];
        for (column, _) in loose {
            firsts[*column as usize + 1] += 1;
        }
        for i in 0..columns {
            firsts[i + 1] += firsts[i];
        }
        let (mut next, mut all) = (firsts.clone(), vec![T::default(); loose.len()]);
        for (column, thing) in loose {
            let at = &mut next[*column as usize];
            all[*at as usize] = *thing;
            *at += 1;
        }
        Ok(Self { firsts, all })
    }
}

impl<T> ByColumn<T> {
    /// Of things in the order of their columns, and how many each column has.
    pub(crate) fn counted(counts: impl Iterator<Item = u32>, all: Vec<T>) -> Self {
        let ends = counts.scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        Self { firsts: std::iter::once(0).chain(ends).collect(), all }
    }

    /// Those of a column.
    #[inline]
    pub(crate) fn of(&self, column: u32) -> &[T] {
        let c = column as usize;
        &self.all[self.firsts[c] as usize..self.firsts[c + 1] as usize]
    }

    /// Those of all columns.
    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }
}

/// The sliced scene, column by column.
#[derive(Debug)]
pub(crate) struct Slices {
    pub(crate) triangles: Vec<ClassedTriangle>,
    pub(crate) face_firsts: FaceFirsts,
    pub(crate) faces: Vec<FaceRange>,
    pub(crate) words: ByColumn<Word>,
    /// The edges of ground that no other ground shares; none where any gap is none.
    pub(crate) ledges: ByColumn<Ledge>,
    /// The ends of those edges, each once, whatever gaps are.
    pub(crate) ledge_points: ByColumn<[i32; 3]>,
    /// The points of all triangles, each once.
    pub(crate) points: ByColumn<[i32; 3]>,
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

    /// The triangles over a column whose heights are sought.
    pub(crate) fn faces_between(
        &self,
        column: u32,
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        self.faces_of(column).iter().filter(move |face| sought.holds(face))
    }

    /// Those that may cross a stretch.
    #[inline]
    pub(crate) fn faces_along(
        &self,
        stretch: LineStretch,
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        let faces = self.crossed_faces_of(stretch.column).iter();
        faces.filter(move |face| face.spans.meet(&stretch) && sought.holds(face))
    }

    /// Those that may cover the middle of a pixel.
    pub(crate) fn faces_over(
        &self,
        column: u32,
        pixel: [u32; 2],
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        let faces = self.covering_faces_of(column).iter();
        faces.filter(move |face| face.spans.hold(pixel) && sought.holds(face))
    }

    /// Those that may lie over a point which lies in a stretch along each axis.
    pub(crate) fn faces_around(
        &self,
        column: u32,
        stretches: [u32; 2],
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        let faces = self.faces_of(column).iter();
        faces.filter(move |face| face.spans.surround(stretches) && sought.holds(face))
    }

    /// What a triangle is to a column.
    pub(crate) fn class(&self, triangle: u32) -> FaceClass {
        self.triangles[triangle as usize].class
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
            for word in self.words.of(column) {
                // A voxel is seen where the one above it is of another kind.
                for bits in [word.positive, word.filled & !word.positive] {
                    let mut tops = bits & !(bits >> 1);
                    while tops != 0 {
                        let level = word.at * 64 + tops.trailing_zeros() as i32;
                        tops &= tops - 1;
                        let z = f64::from(scales.coarse.level_height(level));
                        let at = |dx: f64, dy: f64| {
                            let p = DVec3::new(corner[0] + dx * side, corner[1] + dy * side, z);
                            frame.user_from_canonical((p * M_PER_LATTICE).to_array())
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

/// Where the faces of each column begin. First come those that may cover middles of pixels, then others that lines
/// through middles may cross, then the rest: most questions are about the former, and most of a crowd are the rest.
#[derive(Debug)]
pub(crate) struct FaceFirsts(pub(crate) Vec<u32>);

impl FaceFirsts {
    /// How many parts the faces of a column have.
    pub(crate) const PARTS: usize = 3;

    /// Which of them a face belongs to. Cannot be foreseen, so no branch asks.
    #[inline]
    pub(crate) fn part(face: &FaceRange) -> usize {
        // What may cover middles may be crossed too.
        2 - usize::from(face.spans.cross_lines()) - usize::from(face.spans.hold_middles())
    }

    pub(crate) fn column_count(&self) -> usize {
        self.0.len() / Self::PARTS
    }

    #[inline]
    fn range(&self, column: usize, parts: usize) -> Range<usize> {
        let first = Self::PARTS * column;
        self.0[first] as usize..self.0[first + parts] as usize
    }

    /// All faces of a column.
    #[inline]
    pub(crate) fn all(&self, column: usize) -> Range<usize> {
        self.range(column, Self::PARTS)
    }

    /// Those that may cover middles of pixels.
    #[inline]
    pub(crate) fn covering(&self, column: usize) -> Range<usize> {
        self.range(column, 1)
    }

    /// Those that lines through middles may cross.
    #[inline]
    pub(crate) fn crossed(&self, column: usize) -> Range<usize> {
        self.range(column, 2)
    }
}
