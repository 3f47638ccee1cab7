//! Divides the ground of a tile into pieces, none of which lies over itself.
//!
//! Goes in: linked ground. Comes out: a piece for every span of the tile. A piece is what can be
//! reached through links between spans that belong together, a question about the two spans alone:
//! with `flat` they have one discrete height (Saupin et al. 2013, §3, but by the four sides: through
//! a corner no agent fits), otherwise one storey: the length of the longest tower of ground below them,
//! each a storey lower and at most a column aside. Ground a storey above other ground, or nearly so,
//! then has another storey, and no piece comes to lie over itself, not even when its borders are
//! simplified. So the pieces of two tiles that meet at their border join to what one large tile would
//! have found.

use crate::heightfield::grid::Window;
use crate::heightfield::grid::{EAST, NORTH};
use crate::settings::Regions;
use crate::voxel::bin_tiles::{STOREY_ROUNDS, TiledGrid};
use crate::voxel::link_neighbours::{CompactHeightfield, NO_SPAN};
use crate::voxel::spans::Columns;
use surefoot_geom::DisjointSets;

/// A span's place: its column in the grid and its rank among the column's ground, from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpanKey {
    pub(crate) y: u32,
    pub(crate) x: u32,
    pub(crate) rank: u32,
}

/// The ground that a tile works on: the field over the tile and its margin.
pub(crate) struct TileGround<'a> {
    pub(crate) grid: &'a TiledGrid,
    pub(crate) columns: &'a Columns,
    pub(crate) field: &'a CompactHeightfield,
    /// The columns that the field covers.
    pub(crate) window: Window,
    /// The tile's own columns.
    pub(crate) own: Window,
    pub(crate) regions: Regions,
    /// The rank of every span among the ground of its column.
    pub(crate) ranks: Vec<u32>,
    /// How many storeys of ground lie below.
    storeys: Vec<u32>,
    /// The tile's own ground, row by row.
    own_spans: Vec<u32>,
    /// Ground with other ground a storey below it, at most a column aside.
    high: Vec<u32>,
}

impl<'a> TileGround<'a> {
    pub(crate) fn new(
        grid: &'a TiledGrid,
        columns: &'a Columns,
        field: &'a CompactHeightfield,
        [window, own]: [Window; 2],
        regions: Regions,
    ) -> Self {
        let mut ranks = vec![0; columns.len()];
        let (mut rank, mut column) = (0, None);
        for (span, (place, gone)) in ranks.iter_mut().zip(field.places.iter().zip(&field.gone)) {
            if column != Some(place) {
                (rank, column) = (0, Some(place));
            }
            if gone.is_none() {
                *span = rank;
                rank += 1;
            }
        }
        let storeys = if regions == Regions::Flat { Vec::new() } else { ranks.clone() };
        let mut own_spans = Vec::new();
        for y in own.y0..own.y1 {
            let row = (y - window.y0) as usize * window.width() as usize;
            let first = row + (own.x0 - window.x0) as usize;
            let spans = columns.firsts[first]..columns.firsts[first + own.width() as usize];
            own_spans.extend(spans.filter(|&s| field.gone[s as usize].is_none()));
        }
        let high = Vec::new();
        let mut ground =
            Self { grid, columns, field, window, own, regions, ranks, storeys, own_spans, high };
        if regions != Regions::Flat {
            ground.count_storeys();
        }
        ground
    }

    /// Heights this far apart are storeys, in lattice units.
    pub(crate) fn storey_height(&self) -> i64 {
        self.grid.agent_height / 2
    }

    fn count_storeys(&mut self) {
        let high = self.over_other_ground();
        let mut next: Vec<u32> = Vec::new();
        for _ in 0..STOREY_ROUNDS {
            next.clear();
            next.extend(high.iter().map(|&s| self.storey_over_neighbours(s)));
            let mut changed = false;
            for (&s, &storey) in high.iter().zip(&next) {
                changed |= self.storeys[s as usize] != storey;
                self.storeys[s as usize] = storey;
            }
            if !changed {
                break;
            }
        }
        self.high = high;
        // Towers that lean too far may be counted short, but never in one column.
        let (mut least, mut column) = (0, None);
        let places = self.field.places.iter().zip(&self.field.gone);
        for (storey, (place, gone)) in self.storeys.iter_mut().zip(places) {
            if column != Some(place) {
                (least, column) = (0, Some(place));
            }
            if gone.is_none() {
                *storey = (*storey).max(least);
                least = *storey + 1;
            }
        }
    }

    /// All ground with other ground a storey below it, at most a column aside.
    fn over_other_ground(&self) -> Vec<u32> {
        let (width, depth) = (self.window.width() as usize, self.window.depth() as usize);
        let grounds = &self.columns.grounds;
        let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
        for g in grounds {
            (lowest, highest) = (lowest.min(g.height), highest.max(g.height));
        }
        if i64::from(highest) - i64::from(lowest) < self.storey_height() {
            return Vec::new();
        }
        let (firsts, places) = (&self.columns.firsts, &self.field.places);
        let is_here = |s: &u32| self.field.gone[*s as usize].is_none();
        let spans_of_row = |y: usize| firsts[y * width]..firsts[(y + 1) * width];
        // The lowest ground of every column and the two beside it, row by row, with a row of nothing
        // before the first and behind the last.
        let mut lowest = vec![i32::MAX; width * (depth + 2)];
        let mut row = vec![i32::MAX; width + 2];
        for y in (0..depth).filter(|&y| !spans_of_row(y).is_empty()) {
            row.fill(i32::MAX);
            for s in spans_of_row(y).filter(is_here) {
                let low = &mut row[places[s as usize][0] as usize + 1];
                *low = (*low).min(grounds[s as usize].height);
            }
            let of_row = &mut lowest[(y + 1) * width..(y + 2) * width];
            let [west, middle, east] = [&row[..width], &row[1..=width], &row[2..]];
            for (((low, w), m), e) in of_row.iter_mut().zip(west).zip(middle).zip(east) {
                *low = (*w).min(*m).min(*e);
            }
        }
        let mut high: Vec<u32> = Vec::new();
        for y in (0..depth).filter(|&y| !spans_of_row(y).is_empty()) {
            let rows = &lowest[y * width..(y + 3) * width];
            let (south, rows) = rows.split_at(width);
            let (middle, north) = rows.split_at(width);
            high.extend(spans_of_row(y).filter(is_here).filter(|&s| {
                let x = places[s as usize][0] as usize;
                let low = i64::from(south[x].min(middle[x]).min(north[x])) + self.storey_height();
                i64::from(grounds[s as usize].height) >= low
            }));
        }
        high
    }

    /// One more than the highest storey among the lower ground around a span.
    fn storey_over_neighbours(&self, span: u32) -> u32 {
        let height = i64::from(self.height(span));
        let mut storey = self.storeys[span as usize];
        self.visit_around(span, |other| {
            if height - i64::from(self.height(other)) >= self.storey_height() {
                storey = storey.max(self.storeys[other as usize] + 1);
            }
        });
        storey
    }

    /// All ground of a span's column and the eight around it.
    fn visit_around(&self, span: u32, mut visit: impl FnMut(u32)) {
        let window = &self.window;
        let [x, y] = self.field.places[span as usize];
        for y in y.saturating_sub(1)..(y + 2).min(window.depth()) {
            let row = y as usize * window.width() as usize;
            let from = row + x.saturating_sub(1) as usize;
            let to = row + (x + 2).min(window.width()) as usize;
            let spans = self.columns.firsts[from]..self.columns.firsts[to];
            spans.filter(|&s| self.field.gone[s as usize].is_none()).for_each(&mut visit);
        }
    }

    /// A span's column in the grid.
    #[inline]
    pub(crate) fn column(&self, span: u32) -> (u32, u32) {
        let [x, y] = self.field.places[span as usize];
        (self.window.x0 + x, self.window.y0 + y)
    }

    pub(crate) fn key(&self, span: u32) -> SpanKey {
        let (x, y) = self.column(span);
        SpanKey { y, x, rank: self.ranks[span as usize] }
    }

    /// Whether a span lies in the tile's own columns.
    #[inline]
    pub(crate) fn is_own(&self, span: u32) -> bool {
        let (x, y) = self.column(span);
        let own = &self.own;
        (own.x0..own.x1).contains(&x) && (own.y0..own.y1).contains(&y)
    }

    /// The span in a direction that a part of the ground may go on in.
    pub(crate) fn onward(&self, span: u32, direction: usize) -> Option<u32> {
        self.link(span, direction)
            .filter(|&other| self.is_own(other) && self.is_seamless(span, other))
    }

    /// The tile's own ground, row by row.
    pub(crate) fn own_spans(&self) -> &[u32] {
        &self.own_spans
    }

    /// The tile's own ground over other ground, with what it lies over, at most a column aside.
    pub(crate) fn visit_overlaps(&self, mut visit: impl FnMut(u32, u32)) {
        for &span in self.high.iter().filter(|&&s| self.is_own(s)) {
            let height = i64::from(self.height(span));
            self.visit_around(span, |other| {
                if height - i64::from(self.height(other)) >= self.storey_height() {
                    visit(span, other);
                }
            });
        }
    }

    #[inline]
    pub(crate) fn link(&self, span: u32, direction: usize) -> Option<u32> {
        match self.field.links[span as usize][direction] {
            NO_SPAN => None,
            other => Some(other),
        }
    }

    #[inline]
    pub(crate) fn height(&self, span: u32) -> i32 {
        self.columns.grounds[span as usize].height
    }

    /// Whether two linked spans belong to one piece.
    #[inline]
    pub(crate) fn belong_together(&self, a: u32, b: u32) -> bool {
        let grounds = &self.columns.grounds;
        let same_area = grounds[a as usize].area == grounds[b as usize].area;
        same_area
            && match self.regions {
                Regions::Flat => {
                    self.grid.columns.level(self.height(a))
                        == self.grid.columns.level(self.height(b))
                }
                _ => self.storeys[a as usize] == self.storeys[b as usize],
            }
    }

    /// Whether the ground between two linked spans breaks: they differ by more than their own slope
    /// and a cell height.
    #[inline]
    pub(crate) fn is_step(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.columns.grounds[a as usize], &self.columns.grounds[b as usize]);
        let apart = (i64::from(a.height) - i64::from(b.height)).abs();
        if apart <= i64::from(self.grid.columns.cell_height) {
            return false;
        }
        let slope = (i64::from(a.rise) + i64::from(b.rise)) / 2;
        apart > slope + i64::from(self.grid.columns.cell_height)
    }

    /// Whether nothing at all lies between two linked spans.
    #[inline]
    pub(crate) fn is_seamless(&self, a: u32, b: u32) -> bool {
        self.belong_together(a, b) && (self.regions == Regions::Flat || !self.is_step(a, b))
    }
}

/// No piece: the span is not the tile's own or no ground.
pub(crate) const NO_PIECE: u32 = u32::MAX;

/// The pieces of a tile.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// The piece of every span of the field.
    pub(crate) piece_of: Vec<u32>,
    /// The first span of every piece.
    pub(crate) keys: Vec<SpanKey>,
    /// The area type of every piece.
    pub(crate) areas: Vec<u16>,
}

/// Divides a tile's own ground into pieces.
pub(crate) fn segment(ground: &TileGround<'_>) -> Pieces {
    let mut sets = DisjointSets::new(ground.columns.len());
    for &span in ground.own_spans() {
        let (x, y) = ground.column(span);
        for (direction, goes_on) in [(EAST, x + 1 < ground.own.x1), (NORTH, y + 1 < ground.own.y1)]
        {
            if goes_on
                && let Some(other) = ground.link(span, direction)
                && ground.belong_together(span, other)
            {
                sets.join(span, other);
            }
        }
    }
    let mut piece_of = vec![NO_PIECE; ground.columns.len()];
    let (mut keys, mut areas) = (Vec::new(), Vec::new());
    for &span in ground.own_spans() {
        // The smallest number leads, so the root comes before the others of its set.
        let root = sets.find(span);
        if root == span {
            piece_of[span as usize] = keys.len() as u32;
            keys.push(ground.key(span));
            areas.push(ground.columns.grounds[span as usize].area);
        } else {
            piece_of[span as usize] = piece_of[root as usize];
        }
    }
    Pieces { piece_of, keys, areas }
}
