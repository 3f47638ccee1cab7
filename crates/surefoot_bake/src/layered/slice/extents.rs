//! Tells which triangles over a column come near a line, and at which heights.
//!
//! Goes in: the triangles over each column, with their heights there and the pixels that their extents reach.
//! Comes out: those of a column that meet a stretch from pixel to pixel, that lie between two heights, or that
//! may end ground. Few do, and which ones cannot be foreseen; so of crowds many are answered for at once, by
//! words with a bit for each.

use crate::layered::rasterize::{FaceFirsts, FaceRange};
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::Slices;

/// What the extent of a face meets within its column, as bits: the pixels whose middles it holds along
/// each axis, then the stretches from middle to middle. Of many pixels several share a bit.
struct Extent;

impl Extent {
    const BITS: u32 = 8;

    /// Bits that no pixel has: those of faces that face up and down.
    const UP: u32 = Self::BITS - 1;
    const DOWN: u32 = 2 * Self::BITS - 1;

    /// By how much numbers of pixels and stretches are shifted, so that all have a bit and pixels leave one.
    fn shift(scales: &Scales) -> u32 {
        let side = scales.per_side;
        (0..6).find(|s| side >> s < Self::BITS && (side - 1) >> s < Self::BITS - 1).unwrap_or(6)
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

    /// The bit of those that hold a middle along an axis.
    const fn of_middle(axis: usize, pixel: u32, shift: u32) -> u32 {
        Self::BITS * axis as u32 + (pixel >> shift)
    }

    /// The bit of those that meet a stretch along an axis.
    const fn of_stretch(axis: usize, stretch: u32, shift: u32) -> u32 {
        Self::BITS * (2 + axis as u32) + (stretch >> shift)
    }
}

/// Faces that are looked for by their heights, in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    /// Those that reach above one height and lie below another at their lowest.
    above: i32,
    below: i32,
    /// The same of those that face down.
    down_above: i32,
    down_below: i32,
    facing: Facing,
}

/// Which way faces that are looked for face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Facing {
    Any,
    Up,
    /// Neither up nor down.
    Aside,
}

impl Sought {
    /// Those that may end ground that lies between two heights: they are in the agent's way, or begin
    /// something that may be.
    pub(crate) fn ending([least, most]: [i64; 2], scales: &Scales) -> Self {
        Self {
            above: to_i32(least + scales.step),
            below: to_i32(most + scales.height),
            down_above: to_i32(least + TOUCHING_UNITS),
            down_below: to_i32(most + scales.step),
            facing: Facing::Any,
        }
    }

    /// All of them.
    #[cfg(test)]
    const ANY: Self = Self {
        above: i32::MIN,
        below: i32::MAX,
        down_above: i32::MAX,
        down_below: i32::MIN,
        facing: Facing::Any,
    };

    /// Those that lie between two heights or meet them.
    pub(crate) fn between(low: f64, high: f64) -> Self {
        let (above, below) = (low.ceil() as i64 - 1, high.floor() as i64 + 1);
        let (above, below) = (to_i32(above), to_i32(below));
        Self { above, below, down_above: i32::MAX, down_below: i32::MIN, facing: Facing::Any }
    }

    /// Only those of them that face up.
    pub(crate) const fn facing_up(self) -> Self {
        Self { facing: Facing::Up, ..self }
    }

    /// Only the walls among them.
    pub(crate) const fn upright(self) -> Self {
        Self { facing: Facing::Aside, ..self }
    }

    /// Whether a face is one of them.
    #[inline]
    pub(crate) fn holds(&self, face: &FaceRange) -> bool {
        let lies = face.hi > self.above && face.lo < self.below;
        let begins =
            face.surface.faces_down() && face.hi > self.down_above && face.lo < self.down_below;
        let faces_there = match self.facing {
            Facing::Any => true,
            Facing::Up => face.surface.faces_up(),
            Facing::Aside => !face.surface.faces_up() && !face.surface.faces_down(),
        };
        (lies || begins) && faces_there
    }

    /// A bit for each face of a block that is one of them.
    #[inline]
    pub(crate) fn within(&self, block: &Block) -> u32 {
        let mut found = block.between(self.above, self.below);
        if self.down_above < self.down_below && block.down != 0 {
            found |= block.between(self.down_above, self.down_below) & block.down;
        }
        match self.facing {
            Facing::Any => found,
            Facing::Up => found & block.up,
            Facing::Aside => found & !block.up & !block.down,
        }
    }
}

/// The nearest number of 32 bits: no height lies beyond.
fn to_i32(v: i64) -> i32 {
    v.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Faces of a crowd that share words.
const BLOCK: usize = 32;

/// From so many faces on a column has a crowd.
const CROWD: usize = 16;

/// So many faces of a crowd: each has a bit in every word.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// For every bit of an extent, the faces that have it.
    extents: [u32; BLOCK],
    lo: [i32; BLOCK],
    hi: [i32; BLOCK],
    /// Those that face down and up.
    down: u32,
    up: u32,
    /// Those that may cover the middle of a pixel.
    covering: u32,
}

impl Block {
    /// Of a few faces whose extents are given by a function.
    fn new(faces: &[FaceRange], extent: impl Fn(&FaceRange) -> u32) -> Self {
        let mut block = Self {
            extents: [0; BLOCK],
            lo: [i32::MAX; BLOCK],
            hi: [i32::MIN; BLOCK],
            down: 0,
            up: 0,
            covering: 0,
        };
        let own = block.extents.iter_mut().zip(&mut block.lo).zip(&mut block.hi);
        for (((bits, lo), hi), face) in own.zip(faces) {
            let up = u32::from(face.surface.faces_up()) << Extent::UP;
            let down = u32::from(face.surface.faces_down()) << Extent::DOWN;
            *bits = extent(face) | up | down;
            (*lo, *hi) = (face.lo, face.hi);
        }
        transpose(&mut block.extents);
        (block.up, block.down) =
            (block.extents[Extent::UP as usize], block.extents[Extent::DOWN as usize]);
        let any = |axis: usize| {
            let first = Extent::of_middle(axis, 0, 0) as usize;
            let middles = &block.extents[first..first + Extent::BITS as usize - 1];
            middles.iter().fold(0, |any, bits| any | bits)
        };
        block.covering = any(0) & any(1);
        block
    }

    /// Those whose extents have some bits, at most two.
    #[inline]
    fn with_bits(&self, wanted: u32) -> u32 {
        if wanted == 0 {
            return u32::MAX;
        }
        // The two bits, or twice the one.
        let (first, last) = (wanted.trailing_zeros(), wanted.ilog2());
        self.extents[first as usize] & self.extents[last as usize]
    }

    /// Those that reach above one height and lie below another at their lowest.
    #[inline]
    fn between(&self, above: i32, below: i32) -> u32 {
        const BITS: [u32; BLOCK] = {
            let mut bits = [0; BLOCK];
            let mut k = 0;
            while k < BLOCK {
                bits[k] = 1 << k;
                k += 1;
            }
            bits
        };
        let mut found = 0;
        for k in 0..BLOCK {
            let lies = (self.hi[k] > above) & (self.lo[k] < below);
            found |= u32::from(lies).wrapping_neg() & BITS[k];
        }
        found
    }

    /// Those that hold a row of middles across an axis; no two rows share a bit.
    #[inline]
    pub(crate) fn along_row(&self, axis: usize, row: usize) -> u32 {
        self.extents[Extent::of_middle(1 - axis, row as u32, 0) as usize]
    }

    /// Those that meet a stretch along an axis; no two stretches share a bit.
    #[inline]
    pub(crate) fn in_stretch(&self, axis: usize, stretch: usize) -> u32 {
        self.extents[Extent::of_stretch(axis, stretch as u32, 0) as usize]
    }
}

/// Which faces of each column have which bits in their extents, and which heights.
#[derive(Debug)]
pub(super) struct Extents {
    /// Where each column's words or blocks begin.
    firsts: Vec<u32>,
    /// Of a column with few faces the extent of each.
    words: Vec<u32>,
    /// Of a column with a crowd its blocks.
    blocks: Vec<Block>,
    shift: u32,
}

impl Extents {
    pub(super) fn new(face_firsts: &FaceFirsts, faces: &[FaceRange], scales: &Scales) -> Self {
        let columns = face_firsts.column_count();
        let (mut few, mut blocks) = (0, 0);
        for column in 0..columns {
            match face_firsts.all(column).len() {
                count @ 0..CROWD => few += count,
                count => blocks += count.div_ceil(BLOCK),
            }
        }
        let mut firsts = Vec::with_capacity(columns);
        let (mut words, mut blocks) = (Vec::with_capacity(few), Vec::with_capacity(blocks));
        let (of_spans, pairs) = (Extent::of_spans(scales), scales.per_side as usize + 1);
        let of_span =
            |[first, end]: [u8; 2]| of_spans[usize::from(first) * pairs + usize::from(end)];
        let extent =
            |face: &FaceRange| of_span(face.spans[0]) | of_span(face.spans[1]) << Extent::BITS;
        for column in 0..columns {
            let faces = &faces[face_firsts.all(column)];
            if faces.len() < CROWD {
                firsts.push(words.len() as u32);
                words.extend(faces.iter().map(extent));
            } else {
                firsts.push(blocks.len() as u32);
                blocks.extend(faces.chunks(BLOCK).map(|faces| Block::new(faces, extent)));
            }
        }
        Self { firsts, words, blocks, shift: Extent::shift(scales) }
    }

    /// Whether no two pixels along a column's side share a bit.
    pub(super) const fn is_exact(&self) -> bool {
        self.shift == 0
    }

    /// The words of the first so many of all faces of a column, or the blocks that hold them: one of the two is
    /// empty.
    #[inline]
    fn of_column(&self, column: u32, count: usize, all: usize) -> (&[u32], &[Block]) {
        let first = self.firsts[column as usize] as usize;
        match all {
            0..CROWD => (&self.words[first..first + count], &[]),
            _ => (&[], &self.blocks[first..first + count.div_ceil(BLOCK)]),
        }
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

impl Slices {
    /// The words and blocks of the first so many faces of a column.
    #[inline]
    fn extents_of(&self, column: u32, count: usize) -> (&[u32], &[Block]) {
        self.extents.of_column(column, count, self.faces_of(column).len())
    }

    /// The triangles over a column whose extents have some bits, at most two, and whose heights are sought, in
    /// the order of [`Self::faces_of`]. Only the first so many can have the bits.
    #[inline]
    fn faces_with(&self, column: u32, count: usize, wanted: u32, sought: Sought) -> FacesWith<'_> {
        let faces = self.faces_of(column);
        let (words, blocks) = self.extents_of(column, count);
        FacesWith { words, blocks, faces, wanted, sought, found: 0, at: 0, next: 0 }
    }

    /// The triangles over a column that may cross a stretch of the line along an axis through the
    /// middles of a row of pixels, and whose heights are sought.
    #[inline]
    pub(crate) fn faces_along(
        &self,
        column: u32,
        (axis, row, stretch): (usize, u8, u8),
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        let shift = self.extents.shift;
        let wanted = 1 << Extent::of_middle(1 - axis, u32::from(row), shift)
            | 1 << Extent::of_stretch(axis, u32::from(stretch), shift);
        let count = self.crossed_faces_of(column).len();
        self.faces_with(column, count, wanted, sought).filter(move |face| {
            let ([first, end], [from, to]) = (face.spans[1 - axis], face.spans[axis]);
            // Where no two pixels share a bit, the bits say it.
            shift == 0 || ((first..end).contains(&row) && (from..=to).contains(&stretch))
        })
    }

    /// The triangles over a column that may cover the middle of a pixel, and whose heights are sought.
    pub(crate) fn faces_over(
        &self,
        column: u32,
        [i, j]: [u32; 2],
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        let shift = self.extents.shift;
        let wanted = 1 << Extent::of_middle(0, i, shift) | 1 << Extent::of_middle(1, j, shift);
        let count = self.covering_faces_of(column).len();
        let faces = self.faces_with(column, count, wanted, sought);
        faces.filter(move |face| shift == 0 || face.may_cover(i, j))
    }

    /// The triangles over a column that may lie over a point which lies in a stretch along each axis.
    #[inline]
    pub(crate) fn faces_around(
        &self,
        column: u32,
        stretches: [u32; 2],
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        let wanted = 1 << Extent::of_stretch(0, stretches[0], self.extents.shift)
            | 1 << Extent::of_stretch(1, stretches[1], self.extents.shift);
        self.faces_with(column, self.faces_of(column).len(), wanted, sought)
    }

    /// The triangles over a column whose heights are sought.
    pub(crate) fn faces_between(
        &self,
        column: u32,
        sought: Sought,
    ) -> impl Iterator<Item = &FaceRange> {
        self.faces_with(column, self.faces_of(column).len(), 0, sought)
    }

    /// The blocks of a column with a crowd that hold what lines may cross, where no two pixels share a bit.
    #[inline]
    pub(crate) fn crossed_crowd(&self, column: u32) -> Option<&[Block]> {
        let count = self.crossed_faces_of(column).len();
        let (_, blocks) = self.extents_of(column, count);
        (self.extents.is_exact() && !blocks.is_empty()).then_some(blocks)
    }

    /// Finds those triangles over a column that may cover the middle of a pixel and reach up to a height, by their
    /// numbers in [`Self::faces_of`]; returns whether one of them faces down and begins below another height.
    pub(crate) fn find_covering(
        &self,
        column: u32,
        [least, most]: [i64; 2],
        found: &mut Vec<u32>,
    ) -> bool {
        let faces = self.covering_faces_of(column);
        let (above, below) = (to_i32(least - 1), to_i32(most + 1));
        let (_, blocks) = self.extents_of(column, faces.len());
        let mut begins = false;
        found.clear();
        for (first, block) in (0..).step_by(BLOCK).zip(blocks) {
            let mut covering = block.between(above, i32::MAX) & block.covering;
            begins |= block.between(i32::MIN, below) & covering & block.down != 0;
            while covering != 0 {
                found.push(first + covering.trailing_zeros());
                covering &= covering - 1;
            }
        }
        if blocks.is_empty() {
            for (k, face) in (0..).zip(faces).filter(|(_, face)| face.hi > above) {
                found.push(k);
                begins |= face.surface.faces_down() && face.lo < below;
            }
        }
        begins
    }

    /// Whether a triangle over a column is sought.
    pub(crate) fn has_sought(&self, column: u32, sought: &Sought) -> bool {
        let faces = self.faces_of(column);
        match self.extents_of(column, faces.len()) {
            (_, []) => faces.iter().any(|face| sought.holds(face)),
            (_, blocks) => blocks.iter().any(|block| sought.within(block) != 0),
        }
    }
}

/// Faces whose extents have some bits, at most two, and whose heights are sought.
struct FacesWith<'a> {
    /// Of faces not yet looked at.
    words: &'a [u32],
    blocks: &'a [Block],
    faces: &'a [FaceRange],
    wanted: u32,
    sought: Sought,
    /// A bit for each of those last looked at that counts, and where among the faces they begin and end.
    found: u32,
    at: usize,
    next: usize,
}

impl FacesWith<'_> {
    /// Looks at the faces of a column that has few.
    #[inline]
    fn look_at_few(&mut self) {
        for (k, (extent, face)) in self.words.iter().zip(self.faces).enumerate() {
            let counts = extent & self.wanted == self.wanted && self.sought.holds(face);
            self.found |= u32::from(counts) << k;
        }
        self.words = &[];
    }

    /// Looks at the next faces of a crowd.
    #[inline]
    fn look_at_block(&mut self, block: &Block) {
        (self.at, self.next) = (self.next, self.next + BLOCK);
        self.found = block.with_bits(self.wanted);
        if self.found != 0 {
            self.found &= self.sought.within(block);
        }
    }
}

impl<'a> Iterator for FacesWith<'a> {
    type Item = &'a FaceRange;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.found == 0 {
            if let Some((block, rest)) = self.blocks.split_first() {
                self.blocks = rest;
                self.look_at_block(block);
            } else if self.words.is_empty() {
                return None;
            } else {
                self.look_at_few();
            }
        }
        let k = self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(&self.faces[self.at + k])
    }

    /// The same for all that are left, block by block.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, start: B, mut add: F) -> B {
        let mut sum = start;
        if !self.words.is_empty() {
            self.look_at_few();
        }
        loop {
            let mut found = self.found;
            while found != 0 {
                sum = add(sum, &self.faces[self.at + found.trailing_zeros() as usize]);
                found &= found - 1;
            }
            let Some((block, rest)) = self.blocks.split_first() else { return sum };
            self.blocks = rest;
            self.look_at_block(block);
        }
    }
}
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::context::StageContext;
    use crate::layered::any_numbers::any_below;
    use crate::layered::ledges::Points;
    use crate::layered::slice::slice;
    use crate::settings::{BakeSettings, LayeredSettings};
    use crate::voxel::grid::{GridTriangle, Surface};

    /// Triangles strewn over a few metres, most of them smaller than a column; a third of them in a crowd.
    fn strewn() -> Vec<GridTriangle> {
        let mut below = any_below(7);
        (0..600)
            .map(|i| {
                let size = if i % 20 == 0 { 60_000 } else { 5_000 };
                let within = if i % 3 == 0 { 9_000 } else { 90_000 };
                let at = [below(within), below(within), below(60_000)];
                let corners = [0, 1, 2].map(|_| at.map(|v| v + below(size)));
                let kinds = [Surface::ground(0), Surface::STEEP, Surface::DOWN, Surface::UPRIGHT];
                GridTriangle { corners, surface: kinds[i % 4] }
            })
            .collect()
    }

    /// The same over the columns of cells so wide.
    pub(crate) fn strewn_slices(cell_size_m: f64) -> (Slices, Scales) {
        let layered = LayeredSettings { cell_size_m, ..LayeredSettings::default() };
        let settings = BakeSettings { layered, ..BakeSettings::default() }.resolve().unwrap();
        let triangles = strewn();
        let scales = Scales::new(&triangles, &settings).unwrap();
        let corners: Vec<[i32; 3]> = triangles.iter().flat_map(|t| t.corners).collect();
        let numbers: Vec<[u32; 3]> =
            (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let points = Points { numbers: &numbers, points: &corners };
        let slices = slice(triangles, points, &scales, &mut StageContext::new()).unwrap();
        (slices, scales)
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

    /// With few pixels along a column's side each has its bit; with many, several share one.
    #[test]
    fn faces_along_a_stretch_are_those_whose_extent_meets_it() {
        for cell_size_m in [0.2, 0.8] {
            let (slices, scales) = strewn_slices(cell_size_m);
            let (fine, side) = (i64::from(scales.fine), scales.per_side as u8);
            let (mut found, mut crowds) = (0, 0);
            for column in 0..slices.column_count() as u32 {
                let (corner, faces) = (scales.corner(column), slices.faces_of(column));
                crowds += usize::from(faces.len() > BLOCK);
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
                        let along = slices.faces_along(column, (axis, row, stretch), Sought::ANY);
                        assert_eq!(along.map(|f| f.triangle).collect::<Vec<_>>(), expected);
                        found += expected.len();
                    }
                }
            }
            assert!(found > 500 && crowds > 0, "{found} faces met a stretch, {crowds} crowds");
        }
    }

    /// What a crowd's words say of its faces is what each of them says, also where pixels share all bits but one.
    #[test]
    fn words_of_a_crowd_are_those_of_its_faces() {
        for cell_size_m in [0.2, 0.35, 0.75, 0.8] {
            let (slices, _) = strewn_slices(cell_size_m);
            let mut counts = [0; 3];
            for column in 0..slices.column_count() as u32 {
                let faces = slices.faces_of(column);
                let (_, blocks) = slices.extents_of(column, faces.len());
                for (block, faces) in blocks.iter().zip(faces.chunks(BLOCK)) {
                    let bits = |of: fn(&FaceRange) -> bool| {
                        let bit = |(k, face)| u32::from(of(face)) << k;
                        faces.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
                    };
                    let expected = [
                        bits(|f| f.surface.faces_up()),
                        bits(|f| f.surface.faces_down()),
                        bits(FaceRange::may_cover_middles),
                    ];
                    assert_eq!([block.up, block.down, block.covering], expected);
                    for (count, bits) in counts.iter_mut().zip(expected) {
                        *count += bits.count_ones();
                    }
                }
            }
            assert!(counts.iter().all(|n| *n > 40), "{counts:?} at {cell_size_m}");
        }
    }

    /// Many at once or one by one: the same faces are between heights, end ground, and lie along a stretch.
    #[test]
    fn faces_of_a_crowd_are_those_that_have_the_heights_sought() {
        let (slices, scales) = strewn_slices(0.2);
        let (step, height) = (scales.step, scales.height);
        let (mut found, mut crowds) = ([0; 4], 0);
        for column in 0..slices.column_count() as u32 {
            let faces = slices.faces_of(column);
            crowds += usize::from(faces.len() >= CROWD);
            for (least, most) in
                [(-9_000_i64, -8_000_i64), (0, 0), (7_000, 7_500), (30_000, 31_000)]
            {
                let (low, high) = (least as f64 + 0.5, most as f64 + 6_000.25);
                let lies = |f: &FaceRange| f64::from(f.hi) >= low && f64::from(f.lo) <= high;
                let ends = |f: &FaceRange| {
                    let (lo, hi) = (i64::from(f.lo), i64::from(f.hi));
                    let begins = hi > least + TOUCHING_UNITS && lo < most + step;
                    (hi > least + step && lo < most + height)
                        || (f.surface == Surface::DOWN && begins)
                };
                let between = Sought::between(low, high);
                let all: [(Sought, &dyn Fn(&FaceRange) -> bool); 4] = [
                    (between, &lies),
                    (between.facing_up(), &|f| lies(f) && f.surface.faces_up()),
                    (between.upright(), &|f| lies(f) && f.surface == Surface::UPRIGHT),
                    (Sought::ending([least, most], &scales), &ends),
                ];
                for (k, (sought, is_sought)) in all.into_iter().enumerate() {
                    let expected: Vec<&FaceRange> = faces.iter().filter(|f| is_sought(f)).collect();
                    assert_eq!(slices.faces_between(column, sought).collect::<Vec<_>>(), expected);
                    assert_eq!(slices.has_sought(column, &sought), !expected.is_empty());
                    let line = (k % 2, 1, 2);
                    let along =
                        slices.faces_along(column, line, Sought::ANY).filter(|f| is_sought(f));
                    assert!(slices.faces_along(column, line, sought).eq(along));
                    found[k] += expected.len();
                }
            }
        }
        assert!(found.iter().all(|n| *n > 50) && crowds > 0, "{found:?} in {crowds} crowds");
    }
}
