//! Finding pieces by position in plan: a grid of squares, built once, for the common case.
//!
//! In go the pieces; out comes for every square of a grid the list of pieces that come near it. Who
//! stands on the mesh is found by one look into the grid; whatever the lists do not answer (a place
//! beside the mesh, far above it, or in a crowded square) is left to the tree (`piece_tree`), which
//! answers everything. Lists hold every piece within [`PlanGrid::margin_m`] of the square, so that a
//! place nearer to its piece than that needs no other list.

use crate::pieces::Pieces;
use glam::DVec2;
use std::ops::Range;

/// Squares for each piece of a small mesh; fewer for a large one, see [`SMALL_GRID_SQUARES`].
const SQUARES_PER_PIECE: usize = 16;

/// So many squares may a grid have however few the pieces: they fit into a near cache.
const LEAST_SQUARES: usize = 4096;

/// Beyond so many squares a mesh gets one for each piece.
const SMALL_GRID_SQUARES: usize = 1 << 16;

/// The margin as a share of a square's side.
const MARGIN: f64 = 1.0 / 16.0;

/// Longer lists are left to the tree.
const CROWDED: u32 = 16;

/// Squares that pieces may touch in all, for each piece and each square of the grid: where slivers
/// run across the whole mesh there is no grid.
const MOST_TOUCHED: usize = 32;

/// In an item: the piece covers all of the square and its margin.
const COVERS: u32 = 1 << 31;

/// A piece that comes near a square.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item(u32);

impl Item {
    #[inline]
    pub(crate) fn piece(self) -> u32 {
        self.0 & !COVERS
    }

    /// Whether every point of the square lies in the piece.
    #[inline]
    pub(crate) fn covers(self) -> bool {
        self.0 & COVERS != 0
    }
}

/// The grid over all pieces of a mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanGrid {
    low: DVec2,
    squares_per_m: f64,
    columns: u32,
    rows: u32,
    /// Pieces at most so far from a point in plan are in the list of the point's square, in metres.
    pub(crate) margin_m: f64,
    /// The first item of each square, row by row, and the number of items at the end. A crowded
    /// square has none, just as an empty one.
    first: Vec<u32>,
    items: Vec<Item>,
}

impl PlanGrid {
    /// Builds the grid; an empty one where the pieces do not suit it.
    pub(crate) fn build(pieces: &Pieces) -> Self {
        let mut grid = Self::lay_out(pieces);
        let most = MOST_TOUCHED * (pieces.piece_count() + grid.square_count());
        let mut counts = vec![0_u32; grid.square_count() + 1];
        // The squares of every row that a piece comes near.
        let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
        let mut touched = 0;
        let mut rows = Vec::new();
        for piece in 0..pieces.piece_count() as u32 {
            grid.for_squares(pieces, piece, &mut rows, |squares| {
                touched += squares.len();
                if touched <= most {
                    counts[squares.clone()].iter_mut().for_each(|c| *c += 1);
                    runs.push((piece, squares));
                }
            });
            if touched > most {
                return Self::default();
            }
        }
        let mut sum = 0;
        for count in &mut counts {
            let own = if *count > CROWDED { 0 } else { *count };
            *count = sum;
            sum += own;
        }
        let first = counts;
        let mut items = vec![Item(0); sum as usize];
        let mut filled = first.clone();
        for (piece, squares) in runs {
            let row = squares.start / grid.columns as usize;
            let row_start = row * grid.columns as usize;
            let covered = grid.covered_in_row(pieces, piece, row_start, squares.clone());
            for square in squares {
                let at = filled[square];
                if at < first[square + 1] {
                    let covers = covered.contains(&square);
                    items[at as usize] = Item(if covers { piece | COVERS } else { piece });
                    filled[square] += 1;
                }
            }
        }
        grid.first = first;
        grid.items = items;
        grid
    }

    /// The pieces near a place in plan: all those within the margin, unless the list is empty.
    #[inline]
    pub(crate) fn near(&self, plan: DVec2) -> &[Item] {
        let at = (plan - self.low) * self.squares_per_m;
        // What is no number becomes zero, and what is too small or too large stays so.
        let (column, row) = (at.x as i64, at.y as i64);
        let inside = at.x >= 0.0 && at.y >= 0.0;
        if !inside || column >= i64::from(self.columns) || row >= i64::from(self.rows) {
            return &[];
        }
        let square = (row * i64::from(self.columns) + column) as usize;
        &self.items[self.first[square] as usize..self.first[square + 1] as usize]
    }

    fn square_count(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Chooses the squares' size by the area of the pieces.
    fn lay_out(pieces: &Pieces) -> Self {
        let count = pieces.piece_count();
        let mut low = DVec2::INFINITY;
        let mut high = DVec2::NEG_INFINITY;
        for e in &pieces.edges {
            low = low.min(e.start());
            high = high.max(e.start());
        }
        let area: f64 = (0..count as u32).map(|p| pieces.area(p)).sum();
        let size = high - low;
        if !(area > 0.0 && size.min_element() > 0.0) {
            return Self::default();
        }
        let wanted =
            (SQUARES_PER_PIECE * count).clamp(LEAST_SQUARES, SMALL_GRID_SQUARES).max(count);
        // So many squares on the ground; where little of the rectangle is ground there are more of
        // them in all, within bounds.
        let by_area = (area / wanted as f64).sqrt();
        let by_count = (size.x * size.y / (4 * wanted) as f64).sqrt();
        let by_length = size.max_element() / (4 * wanted) as f64;
        let side = by_area.max(by_count).max(by_length);
        let squares = |length: f64| (length / side) as u32 + 1;
        Self {
            low,
            squares_per_m: 1.0 / side,
            columns: squares(size.x),
            rows: squares(size.y),
            margin_m: side * MARGIN,
            ..Self::default()
        }
    }

    /// Calls `visit` with the squares of every row that a piece comes near. `spans` is working memory.
    fn for_squares(
        &self,
        pieces: &Pieces,
        piece: u32,
        spans: &mut Vec<[f64; 2]>,
        mut visit: impl FnMut(Range<usize>),
    ) {
        if self.columns == 0 {
            return;
        }
        let corners = &pieces.edges[pieces.range(piece)];
        let at = |i: usize| (corners[i].start() - self.low) * self.squares_per_m;
        // Twice the margin, so that rounding does not matter.
        let reach = 2.0 * MARGIN;
        let clamp = |v: f64, end: u32| (v.max(0.0) as u32).min(end - 1);
        let ys = (0..corners.len()).map(|i| at(i).y);
        let (lowest, highest) =
            ys.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        let first = clamp(lowest - reach, self.rows);
        let last = clamp(highest + reach, self.rows);
        // From where to where the piece reaches in every row and its margin.
        spans.clear();
        spans.resize((last - first) as usize + 1, [f64::INFINITY, f64::NEG_INFINITY]);
        let mut a = at(corners.len() - 1);
        for i in 0..corners.len() {
            let b = at(i);
            let (lower, upper) = if a.y < b.y { (a, b) } else { (b, a) };
            a = b;
            let rise = upper.y - lower.y;
            let x_at = |y: f64| {
                if rise > 0.0 {
                    let share = ((y - lower.y) / rise).clamp(0.0, 1.0);
                    lower.x + (upper.x - lower.x) * share
                } else {
                    lower.x
                }
            };
            // The rows that the edge comes near, and one more on either side.
            let from = clamp(lower.y - reach - 2.0, self.rows).max(first);
            let to = clamp(upper.y + reach + 1.0, self.rows).min(last);
            for row in from..=to {
                let (bottom, top) = (f64::from(row) - reach, f64::from(row + 1) + reach);
                if lower.y <= top && upper.y >= bottom {
                    let ends = [x_at(bottom.max(lower.y)), x_at(top.min(upper.y))];
                    let level = if rise > 0.0 { ends } else { [lower.x, upper.x] };
                    let [left, right] = &mut spans[(row - first) as usize];
                    *left = left.min(level[0]).min(level[1]);
                    *right = right.max(level[0]).max(level[1]);
                }
            }
        }
        for (row, &[left, right]) in (first..).zip(spans.iter()) {
            if left <= right {
                let (from, to) =
                    (clamp(left - reach, self.columns), clamp(right + reach, self.columns));
                let start = row as usize * self.columns as usize;
                visit(start + from as usize..start + to as usize + 1);
            }
        }
    }

    /// The squares among some of a row that a piece covers, margin and all. What is between two that it
    /// covers, it covers too: along a row no line is crossed twice, not by rounding either.
    fn covered_in_row(
        &self,
        pieces: &Pieces,
        piece: u32,
        row_start: usize,
        mut squares: Range<usize>,
    ) -> Range<usize> {
        let row = row_start / self.columns as usize;
        let covers = |square: usize| self.is_covered(pieces, piece, [square - row_start, row]);
        while !squares.is_empty() && !covers(squares.start) {
            squares.start += 1;
        }
        while squares.len() > 1 && !covers(squares.end - 1) {
            squares.end -= 1;
        }
        squares
    }

    /// Whether a piece holds all of a square and its margin.
    fn is_covered(&self, pieces: &Pieces, piece: u32, [column, row]: [usize; 2]) -> bool {
        let side = 1.0 / self.squares_per_m;
        let low = self.low + DVec2::new(column as f64, row as f64) * side - self.margin_m;
        let high = low + side + 2.0 * self.margin_m;
        let corners = &pieces.edges[pieces.range(piece)];
        let mut a = corners[corners.len() - 1].start();
        corners.iter().all(|e| {
            let b = e.start();
            let left = is_left_of([a, b], low, high);
            a = b;
            left
        })
    }
}

/// Whether a rectangle lies to the left of a line all over: its corner farthest to the right does.
#[inline]
fn is_left_of([a, b]: [DVec2; 2], low: DVec2, high: DVec2) -> bool {
    let along = b - a;
    let x = if along.y > 0.0 { high.x } else { low.x };
    let y = if along.x > 0.0 { low.y } else { high.y };
    along.perp_dot(DVec2::new(x, y) - a) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::data::NavMeshData;

    /// A piece covers the squares that each on its own would say it covers.
    #[test]
    fn covered_squares_lie_in_one_run() {
        let mut points = vec![[0.0_f32; 3]];
        let mut polygons = Vec::new();
        for k in 0..40_u32 {
            let angle = k as f32 * std::f32::consts::TAU / 40.0;
            let far = 3.0 + (k % 7) as f32;
            points.push([far * angle.cos(), 0.0, -far * angle.sin()]);
            polygons.push(vec![0, k + 1, (k + 1) % 40 + 1]);
        }
        let up = [0.0, 1.0, 0.0];
        let data = NavMeshData::from_polygons(&points, &polygons, Agent::default(), up);
        let mesh = data.unwrap().validate().unwrap();
        let pieces = &mesh.ground.pieces;
        let grid = PlanGrid::build(pieces);
        let (mut covered, mut runs) = (0, 0);
        for piece in 0..pieces.piece_count() as u32 {
            grid.for_squares(pieces, piece, &mut Vec::new(), |squares| {
                let columns = grid.columns as usize;
                let row = squares.start / columns;
                let found = grid.covered_in_row(pieces, piece, row * columns, squares.clone());
                for square in squares {
                    let alone = grid.is_covered(pieces, piece, [square - row * columns, row]);
                    assert_eq!(found.contains(&square), alone, "{square} in {piece}");
                    covered += usize::from(alone);
                }
                runs += 1;
            });
        }
        assert!(runs > 500 && covered > 500, "{covered} in {runs}");
    }

    /// One corner tells what all four do.
    #[test]
    fn a_rectangle_lies_left_of_a_line_as_its_corners_do() {
        let ways = (0..49).map(|k| DVec2::new(f64::from(k % 7 - 3), f64::from(k / 7 - 3)));
        let mut count = [0; 2];
        for (from, to) in ways.clone().flat_map(|a| ways.clone().map(move |b| (a, b * 0.3))) {
            let (low, high) = (DVec2::new(-0.7, -0.2), DVec2::new(0.4, 0.9));
            let corners = [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)];
            let all = corners.iter().all(|&p| (to - from).perp_dot(p - from) > 0.0);
            assert_eq!(is_left_of([from, to], low, high), all, "{from} {to}");
            count[usize::from(all)] += 1;
        }
        assert!(count.iter().all(|n| *n > 100), "{count:?}");
    }
}
