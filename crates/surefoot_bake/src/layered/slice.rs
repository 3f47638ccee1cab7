//! Slices the scene into coarse voxels: columns of bits, and the faces over each column.
//!
//! Goes in: triangles on the lattice. Comes out: for every column of the coarse grid the triangles over
//! it with the heights that they have there, and two bits for every voxel: positive where ground passes
//! through it, filled where anything does; what is filled and not positive is negative (Oliva 2012,
//! §6.2.1, where three renderings see to it that no face is missed: here the rasterizer is
//! conservative). Words of 64 voxels in which nothing lies are left out.

use crate::context::{StageContext, StageView, ViewFace};
use crate::error::BakeError;
use crate::layered::scales::Scales;
use crate::report::Warning;
use crate::voxel::grid::{Grid, GridTriangle, Surface, Window};
use crate::voxel::rasterize::ColumnSamples;
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{AreaId, CellKind};

/// The heights that a triangle has over a column, in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceRange {
    pub(crate) triangle: u32,
    pub(crate) lo: i32,
    pub(crate) hi: i32,
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
    /// Where each column's words begin, and one past the last at the end.
    word_firsts: Vec<u32>,
    words: Vec<Word>,
    /// Columns through which an edge of ground runs that no other ground shares.
    pub(crate) ledges: Vec<bool>,
    /// The ends of those edges, by column.
    ledge_points: Vec<(u32, [i32; 3])>,
}

impl Slices {
    pub(crate) fn column_count(&self) -> usize {
        self.face_firsts.len() - 1
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

    /// The ends of edges in a column that only one triangle of ground has.
    pub(crate) fn ledge_points_of(&self, column: u32) -> impl Iterator<Item = &[i32; 3]> {
        let from = self.ledge_points.partition_point(|p| p.0 < column);
        self.ledge_points[from..].iter().take_while(move |p| p.0 == column).map(|p| &p.1)
    }

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

/// Triangles that a thread rasterizes before it looks for more.
const CHUNK: usize = 2048;

pub(crate) fn slice(
    triangles: Vec<GridTriangle>,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<Slices, BakeError> {
    let grid = &scales.coarse;
    let columns = grid.width as usize * grid.depth as usize;
    let (face_firsts, faces) = sort_into_columns(columns, rasterize(&triangles, grid))?;
    context.check_cancelled()?;
    let by_column: Vec<Vec<Word>> = (0..columns)
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|c| {
            let of_column = &faces[face_firsts[c] as usize..face_firsts[c + 1] as usize];
            words_of_faces(of_column, &triangles, grid)
        })
        .collect();
    let mut word_firsts = Vec::with_capacity(columns + 1);
    let mut words = Vec::with_capacity(by_column.iter().map(Vec::len).sum());
    for of_column in &by_column {
        word_firsts.push(words.len() as u32);
        words.extend_from_slice(of_column);
    }
    word_firsts.push(words.len() as u32);
    let (ledges, ledge_points) = find_ledges(&triangles, grid, columns);
    let bits = |of: fn(&Word) -> u64| words.iter().map(|w| of(w).count_ones() as usize).sum();
    context.count("columns", columns);
    context.count("positive_voxels", bits(|w| w.positive));
    context.count("negative_voxels", bits(|w| w.filled & !w.positive));
    if triangles.iter().all(|t| !t.surface.is_ground()) {
        context.warn(Warning::NoGround);
    }
    Ok(Slices { triangles, face_firsts, faces, word_firsts, words, ledges, ledge_points })
}

/// The window of columns over some points.
fn window_over(points: &[[i32; 3]], grid: &Grid) -> Window {
    let first = grid.first_column();
    let range = |k: usize, count: u32| {
        let lo = points.iter().map(|p| p[k]).min().unwrap_or(0);
        let hi = points.iter().map(|p| p[k]).max().unwrap_or(0);
        let column = |v: i32| i64::from(v).div_euclid(i64::from(grid.cell)) - first[k];
        let clamp = |v: i64| v.clamp(0, i64::from(count)) as u32;
        (clamp(column(lo)), clamp(column(hi) + 1))
    };
    let ((x0, x1), (y0, y1)) = (range(0, grid.width), range(1, grid.depth));
    Window { x0, y0, x1, y1, more: [false; 2] }
}

/// Every triangle over every column that it reaches into.
fn rasterize(triangles: &[GridTriangle], grid: &Grid) -> Vec<Vec<(u32, FaceRange)>> {
    triangles
        .par_chunks(CHUNK)
        .enumerate()
        .map_init(ColumnSamples::default, |samples, (chunk, triangles)| {
            let mut out = Vec::new();
            for (i, triangle) in triangles.iter().enumerate() {
                let window = window_over(&triangle.corners, grid);
                let number = (chunk * CHUNK + i) as u32;
                samples.rasterize(std::iter::once((number, triangle)), grid, &window);
                for (c, ends) in samples.firsts.windows(2).enumerate() {
                    for s in &samples.samples[ends[0] as usize..ends[1] as usize] {
                        let face = FaceRange { triangle: number, lo: s.lo, hi: s.hi };
                        out.push((column_in(&window, grid, c), face));
                    }
                }
            }
            out
        })
        .collect()
}

/// The number in the grid of a window's column.
fn column_in(window: &Window, grid: &Grid, column: usize) -> u32 {
    let width = window.width() as usize;
    let (x, y) = ((column % width) as u32, (column / width) as u32);
    (window.y0 + y) * grid.width + window.x0 + x
}

/// Sorts faces into columns; within a column they keep their order.
fn sort_into_columns(
    columns: usize,
    loose: Vec<Vec<(u32, FaceRange)>>,
) -> Result<(Vec<u32>, Vec<FaceRange>), BakeError> {
    let count: usize = loose.iter().map(Vec::len).sum();
    if count >= u32::MAX as usize {
        return Err(BakeError::TooLarge { what: "faces over columns", count });
    }
    let mut firsts = vec![0_u32; columns + 1];
    for (column, _) in loose.iter().flatten() {
        firsts[*column as usize + 1] += 1;
    }
    for i in 0..columns {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    let mut faces = vec![FaceRange { triangle: 0, lo: 0, hi: 0 }; count];
    for (column, face) in loose.iter().flatten() {
        let at = &mut next[*column as usize];
        faces[*at as usize] = *face;
        *at += 1;
    }
    Ok((firsts, faces))
}

/// The voxels that the faces of a column pass through.
fn words_of_faces(faces: &[FaceRange], triangles: &[GridTriangle], grid: &Grid) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for face in faces {
        let (lo, hi) = (grid.level(face.lo), grid.level(face.hi));
        let ground = triangles[face.triangle as usize].surface.is_ground();
        for at in lo.div_euclid(64)..=hi.div_euclid(64) {
            let from = (lo - at * 64).max(0) as u32;
            let to = (hi - at * 64).min(63) as u32;
            let filled = (u64::MAX >> (63 - to)) & (u64::MAX << from);
            words.push(Word { at, positive: if ground { filled } else { 0 }, filled });
        }
    }
    words.sort_unstable_by_key(|w| w.at);
    words.dedup_by(|later, kept| {
        let same = later.at == kept.at;
        if same {
            kept.positive |= later.positive;
            kept.filled |= later.filled;
        }
        same
    });
    words
}

/// The columns through which an edge of ground runs that belongs to one triangle alone, and the ends of
/// such edges by column.
fn find_ledges(
    triangles: &[GridTriangle],
    grid: &Grid,
    columns: usize,
) -> (Vec<bool>, Vec<(u32, [i32; 3])>) {
    type Edge = [[i32; 3]; 2];
    let mut edges: Vec<Edge> = triangles
        .iter()
        .filter(|t| t.surface.is_ground())
        .flat_map(|t| {
            [0, 1, 2].map(|k| {
                let (a, b) = (t.corners[k], t.corners[(k + 1) % 3]);
                [a.min(b), a.max(b)]
            })
        })
        .collect();
    edges.par_sort_unstable();
    let mut marked = vec![false; columns];
    let mut points = Vec::new();
    let mut samples = ColumnSamples::default();
    for same in edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1) {
        let [a, b] = same[0];
        for p in [a, b] {
            points.push((column_in(&window_over(&[p], grid), grid, 0), p));
        }
        let line = GridTriangle { corners: [a, b, b], surface: Surface::UPRIGHT };
        let window = window_over(&[a, b], grid);
        samples.rasterize(std::iter::once((0, &line)), grid, &window);
        for (c, ends) in samples.firsts.windows(2).enumerate() {
            if ends[0] < ends[1] {
                marked[column_in(&window, grid, c) as usize] = true;
            }
        }
    }
    points.sort_unstable();
    points.dedup();
    (marked, points)
}
