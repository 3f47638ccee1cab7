//! Traces the borders of a tile's pieces as straight runs between corners of columns.
//!
//! Goes in: pieces of ground. Comes out: every stretch along which a piece ends, at another piece, at
//! a step, or at nothing, with the heights on both sides; and what is needed to join the tile to its
//! neighbours. As in Saupin et al. 2013, §4, corners come from the columns around them: the runs of a
//! row and of a column alternate, and a corner at which ground meets ground only diagonally (slash and
//! antislash points) is two corners, since a corner's name holds the ground around it. Borders along
//! the tile's edge are found with the band of columns behind it, so there are no false corners to take
//! out again: where ground goes on in the next tile, no run is made.

use crate::contour::chain::NO_PART;
use crate::heightfield::grid::{EAST, NORTH, SOUTH, WEST};
use crate::settings::Regions;
use crate::voxel::link_neighbours::{NO_SPAN, side_class};
use crate::voxel::segment::{NO_PIECE, Pieces, SpanKey, TileGround};
use surefoot_mesh::EdgeClass;

/// What lies on the right of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// No ground.
    Nothing(EdgeClass),
    /// A piece of the same tile.
    Piece(u32),
    /// A span of another tile, by its place in [`TracedTile::foreign`].
    Foreign(u32),
}

/// A straight stretch of a border, one or more columns long, with a piece on its left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The end with the smaller coordinates, in columns.
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) len: u32,
    /// The side of the left columns on which it lies; it runs along that side counter-clockwise
    /// around them.
    pub(crate) side: u8,
    /// Whether the ground breaks here.
    pub(crate) step: bool,
    /// The piece on the left.
    pub(crate) left: u32,
    pub(crate) beyond: Beyond,
    /// Which ground the corners at the low and the high end belong to.
    pub(crate) sheets: [u32; 2],
    /// Heights at the low and the high end, on the left and on the right, in lattice units.
    pub(crate) left_heights: [i32; 2],
    pub(crate) right_heights: [i32; 2],
}

impl Run {
    /// The end with the smaller coordinates and the other one, in columns.
    pub(crate) const fn ends(&self) -> [[u32; 2]; 2] {
        let along_y = self.side as usize % 2 == EAST;
        let far = if along_y { [self.x, self.y + self.len] } else { [self.x + self.len, self.y] };
        [[self.x, self.y], far]
    }

    /// What lies there, as far as its own tile knows.
    pub(crate) const fn class(&self) -> EdgeClass {
        match self.beyond {
            Beyond::Nothing(class) => class,
            _ if self.step => EdgeClass::Step,
            _ => EdgeClass::Inner,
        }
    }
}

/// A height of the ground inside a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeightSample {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) height: i32,
    pub(crate) piece: u32,
    /// The part of the tile's ground, where that is divided further.
    pub(crate) part: u32,
}

/// What remains of a tile.
#[derive(Debug, Default)]
pub(crate) struct TracedTile {
    /// The first span of every piece.
    pub(crate) keys: Vec<SpanKey>,
    pub(crate) areas: Vec<u16>,
    pub(crate) runs: Vec<Run>,
    /// Spans of other tiles that runs and joins name.
    pub(crate) foreign: Vec<SpanKey>,
    /// Pieces that go on in another tile: the piece, and the span over there.
    pub(crate) joins: Vec<(u32, SpanKey)>,
    /// The pieces of the spans that other tiles may name, sorted.
    pub(crate) entrances: Vec<(SpanKey, u32)>,
    /// Pairs of pieces that lie over each other.
    pub(crate) overlaps: Vec<(u32, u32)>,
    /// The same with spans of other tiles.
    pub(crate) foreign_overlaps: Vec<(u32, SpanKey)>,
    pub(crate) samples: Vec<HeightSample>,
    /// How many parts the ground is divided into.
    pub(crate) parts: u32,
    /// Counted for the report.
    pub(crate) solid_spans: usize,
    pub(crate) ground_spans: usize,
}

/// Heights inside of a piece are taken at every fourth column, unless it is level there, and wherever
/// the ground bends.
const SAMPLE_EVERY: u32 = 4;

/// Traces a tile.
pub(crate) fn trace_contours(ground: &TileGround<'_>, pieces: Pieces, parts: &[u32]) -> TracedTile {
    let mut tracer = TileTracer {
        ground,
        pieces: &pieces,
        parts,
        run_of: vec![[NO_RUN; 4]; ground.columns.len()],
        tile: TracedTile::default(),
    };
    tracer.tile.ground_spans = ground.own_spans().len();
    for &span in ground.own_spans() {
        tracer.trace_sides(span);
        if ground.regions != Regions::Flat {
            tracer.sample_height(span);
        }
    }
    tracer.find_entrances();
    if ground.regions != Regions::Flat {
        tracer.find_overlaps();
    }
    let mut tile = tracer.tile;
    let last_part = parts.iter().filter(|p| **p != NO_PART).max();
    tile.parts = last_part.map_or(0, |p| p + 1);
    tile.samples.shrink_to_fit();
    tile.runs.shrink_to_fit();
    tile.joins.sort_unstable();
    tile.joins.dedup();
    tile.joins.shrink_to_fit();
    tile.foreign_overlaps.sort_unstable();
    tile.foreign_overlaps.dedup();
    tile.foreign_overlaps.shrink_to_fit();
    tile.solid_spans = ground.columns.solids.len();
    Pieces { keys: tile.keys, areas: tile.areas, .. } = pieces;
    tile
}

const NO_RUN: u32 = u32::MAX;

struct TileTracer<'a> {
    ground: &'a TileGround<'a>,
    pieces: &'a Pieces,
    parts: &'a [u32],
    run_of: Vec<[u32; 4]>,
    tile: TracedTile,
}

/// The four columns around a corner: south-west, south-east, north-west, north-east.
const SW: usize = 0;
const SE: usize = 1;
const NW: usize = 2;
const NE: usize = 3;

/// For each side of a column: where the column lies from the low and the high end of the side, and
/// where its neighbour across the side lies from them.
const ENDS: [[[usize; 2]; 2]; 4] =
    [[[NW, SW], [NE, SE]], [[SE, SW], [NE, NW]], [[NE, SE], [NW, SW]], [[NE, NW], [SE, SW]]];

/// The way around a corner, counter-clockwise: the direction to go and where it leads.
const TURN_LEFT: [(usize, usize); 4] = [(EAST, SE), (NORTH, NE), (SOUTH, SW), (WEST, NW)];
/// The same, clockwise.
const TURN_RIGHT: [(usize, usize); 4] = [(NORTH, NW), (WEST, SW), (EAST, NE), (SOUTH, SE)];

impl TileTracer<'_> {
    /// Traces the sides of a span along which something ends. Borders between two spans are traced
    /// from the west and from the south.
    #[inline]
    fn trace_sides(&mut self, span: u32) {
        let ground = self.ground;
        let links = ground.field.links[span as usize];
        for side in [EAST, NORTH] {
            if links[side] == NO_SPAN || !ground.is_seamless(span, links[side]) {
                self.trace_side(span, side);
            } else if !ground.is_own(links[side]) {
                let key = ground.key(links[side]);
                self.tile.joins.push((self.pieces.piece_of[span as usize], key));
            }
        }
        for side in [WEST, SOUTH] {
            if links[side] == NO_SPAN {
                self.trace_side(span, side);
            }
        }
    }

    fn trace_side(&mut self, span: u32, side: usize) {
        let ground = self.ground;
        let other = ground.link(span, side);
        let beyond = match other {
            None => Beyond::Nothing(self.class_at(span, side)),
            Some(other) => {
                let piece = self.pieces.piece_of[other as usize];
                if piece != NO_PIECE {
                    Beyond::Piece(piece)
                } else {
                    let key = ground.key(other);
                    if ground.belong_together(span, other) {
                        self.tile.joins.push((self.pieces.piece_of[span as usize], key));
                    }
                    Beyond::Foreign(0)
                }
            }
        };
        let [here, there] = ENDS[side];
        let low = self.corner(span, here[0]);
        let high = self.corner(span, here[1]);
        let right_heights = match other {
            Some(o) => [self.corner(o, there[0]).1, self.corner(o, there[1]).1],
            None => [low.1, high.1],
        };
        let (x, y) = ground.column(span);
        let mut run = Run {
            x: if side == EAST { x + 1 } else { x },
            y: if side == NORTH { y + 1 } else { y },
            len: 1,
            side: side as u8,
            step: other.is_some_and(|o| ground.is_step(span, o)),
            left: self.pieces.piece_of[span as usize],
            beyond,
            sheets: [low.0, high.0],
            left_heights: [low.1, high.1],
            right_heights,
        };
        if let Some(longer) = self.run_to_lengthen(span, side, other, &run) {
            let before = &mut self.tile.runs[longer as usize];
            before.len += 1;
            before.sheets[1] = run.sheets[1];
            self.run_of[span as usize][side] = longer;
            return;
        }
        if let (Beyond::Foreign(_), Some(o)) = (beyond, other) {
            run.beyond = Beyond::Foreign(self.tile.foreign.len() as u32);
            self.tile.foreign.push(ground.key(o));
        }
        self.run_of[span as usize][side] = self.tile.runs.len() as u32;
        self.tile.runs.push(run);
    }

    /// The run along the same border that ends where this one starts, if the two are one: between
    /// them nothing else begins, and all heights are equal.
    fn run_to_lengthen(
        &self,
        span: u32,
        side: usize,
        other: Option<u32>,
        run: &Run,
    ) -> Option<u32> {
        let ground = self.ground;
        let back = if side == EAST || side == WEST { SOUTH } else { WEST };
        let before = ground.link(span, back)?;
        let candidate = self.run_of[before as usize][side];
        if candidate == NO_RUN || !ground.is_seamless(before, span) {
            return None;
        }
        match (other, ground.link(before, side)) {
            (None, None) => {}
            (Some(o), Some(b)) if ground.link(o, back) == Some(b) && ground.is_seamless(b, o) => {}
            _ => return None,
        }
        let old = &self.tile.runs[candidate as usize];
        let same_beyond = match (old.beyond, run.beyond) {
            // Two spans of another tile without a seam between them are of one piece there.
            (Beyond::Foreign(_), Beyond::Foreign(_)) => true,
            (a, b) => a == b,
        };
        let level = |r: &Run| {
            r.left_heights[0] == r.left_heights[1] && r.right_heights[0] == r.right_heights[1]
        };
        let alike = same_beyond
            && old.step == run.step
            && level(old)
            && level(run)
            && old.left_heights == run.left_heights
            && old.right_heights == run.right_heights;
        alike.then_some(candidate)
    }

    /// What stands where no link leads on: what took the ground there, or what blocks it.
    fn class_at(&self, span: u32, side: usize) -> EdgeClass {
        let ground = self.ground;
        let window = &ground.window;
        let place = ground.field.places[span as usize];
        let Some(neighbour) = window.column_beside(place, side) else { return EdgeClass::Open };
        let height = i64::from(ground.height(span));
        ground
            .columns
            .span_range(neighbour)
            .find(|&s| (i64::from(ground.height(s)) - height).abs() <= ground.grid.climb)
            .and_then(|s| ground.field.gone[s as usize])
            .unwrap_or_else(|| side_class(ground.columns, ground.grid, window, place, span, side))
    }

    /// The corner of a span: which ground meets there, and the height of the span's part of it.
    fn corner(&self, span: u32, quarter: usize) -> (u32, i32) {
        let ground = self.ground;
        let name = |span: u32, quarter: usize| ground.ranks[span as usize] << 2 | quarter as u32;
        let by_quarter = |name: &u32| *name & 3;
        let mut sheet = name(span, quarter);
        let (mut seen, mut smooth_seen) = (1_u32 << quarter, 1_u32 << quarter);
        let mut sum = i64::from(ground.height(span));
        let mut count = 1;
        for turn in [TURN_LEFT, TURN_RIGHT] {
            let (mut at, mut at_quarter, mut smooth) = (span, quarter, true);
            for _ in 0..3 {
                let (direction, next_quarter) = turn[at_quarter];
                let Some(next) = ground.link(at, direction) else { break };
                smooth = smooth && !ground.is_step(at, next);
                if seen & 1 << next_quarter == 0 {
                    seen |= 1 << next_quarter;
                    sheet = std::cmp::min_by_key(sheet, name(next, next_quarter), by_quarter);
                }
                if smooth && smooth_seen & 1 << next_quarter == 0 {
                    smooth_seen |= 1 << next_quarter;
                    sum += i64::from(ground.height(next));
                    count += 1;
                }
                (at, at_quarter) = (next, next_quarter);
            }
        }
        let height = if ground.regions == Regions::Flat {
            ground.grid.columns.level_height(ground.grid.columns.level(ground.height(span)))
        } else {
            sum.div_euclid(count) as i32
        };
        (sheet, height)
    }

    fn sample_height(&mut self, span: u32) {
        let ground = self.ground;
        let height = i64::from(ground.height(span));
        let bends = |back: usize, on: usize| match (ground.link(span, back), ground.link(span, on))
        {
            (Some(a), Some(b)) => {
                let bend = i64::from(ground.height(a)) + i64::from(ground.height(b)) - 2 * height;
                2 * bend.abs() > i64::from(ground.grid.columns.cell_height)
                    && !ground.is_step(span, a)
                    && !ground.is_step(span, b)
            }
            _ => false,
        };
        let (x, y) = ground.column(span);
        let regular = x % SAMPLE_EVERY == 0 && y % SAMPLE_EVERY == 0;
        if (regular && !self.is_level_around(span)) || bends(WEST, EAST) || bends(SOUTH, NORTH) {
            let piece = self.pieces.piece_of[span as usize];
            let part = self.parts.get(span as usize).copied().unwrap_or(NO_PART);
            let height = ground.height(span);
            self.tile.samples.push(HeightSample { x, y, height, piece, part });
        }
    }

    /// Whether the ground is level in all four directions as far as the next samples: then they tell
    /// the height here too.
    fn is_level_around(&self, span: u32) -> bool {
        let ground = self.ground;
        let height = ground.height(span);
        (0..4).all(|direction| {
            let mut at = span;
            (0..SAMPLE_EVERY).all(|_| match ground.link(at, direction) {
                Some(next) => {
                    at = next;
                    ground.height(next) == height
                }
                None => false,
            })
        })
    }

    /// The pieces along the tile's edge, which other tiles may name.
    fn find_entrances(&mut self) {
        let ground = self.ground;
        for &span in ground.own_spans() {
            let (x, y) = ground.column(span);
            let own = &ground.own;
            if x == own.x0 || y == own.y0 || x + 1 == own.x1 || y + 1 == own.y1 {
                let piece = self.pieces.piece_of[span as usize];
                self.tile.entrances.push((ground.key(span), piece));
            }
        }
        self.tile.entrances.sort_unstable();
    }

    /// Pairs of pieces of which one lies over the other, or would if it were a column wider: two such
    /// pieces in one region could come to cross when its borders are simplified.
    fn find_overlaps(&mut self) {
        let ground = self.ground;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        // The pairs met last: most come many times over.
        let mut recent = [(NO_PIECE, NO_PIECE); 8];
        let (piece_of, foreign) = (&self.pieces.piece_of, &mut self.tile.foreign_overlaps);
        ground.visit_overlaps(|high, low| {
            let (piece, there) = (piece_of[high as usize], piece_of[low as usize]);
            if there == NO_PIECE {
                foreign.push((piece, ground.key(low)));
            } else if there != piece && !recent.contains(&(piece, there)) {
                recent.rotate_right(1);
                recent[0] = (piece, there);
                pairs.push((piece.min(there), piece.max(there)));
            }
        });
        pairs.sort_unstable();
        pairs.dedup();
        pairs.shrink_to_fit();
        self.tile.overlaps = pairs;
    }
}
