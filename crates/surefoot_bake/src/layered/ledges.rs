//! Finds the edges of ground beyond which no other ground goes on, and the columns that they run through.
//!
//! Goes in: triangles with the numbers of their points. Comes out: for every column the edges over it that
//! triangles of ground have on one side alone, with their heights and extents, and the ends of those edges.
//! Ground can end only there. Where any gap is none, ground goes on beyond its edges: then only their ends count.

use crate::error::BakeError;
use crate::layered::rasterize::{Ruler, greater, in_plan, lesser, whole_window};
use crate::layered::scales::Scales;
use crate::voxel::grid::{GridTriangle, Surface};
use crate::voxel::rasterize::ColumnSamples;

/// The points of all triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points<'a> {
    /// The numbers of each triangle's points.
    pub(crate) numbers: &'a [[u32; 3]],
    pub(crate) points: &'a [[i32; 3]],
}

/// An edge of ground over a column that no other ground shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledge {
    /// Between which heights it runs, in lattice units.
    pub(crate) lo: i32,
    pub(crate) hi: i32,
    /// What its extent meets, as in [`crate::layered::rasterize::FaceRange`].
    pub(crate) spans: [[u8; 2]; 2],
    /// Where it begins and ends, in plan.
    ends: [[i32; 2]; 2],
}

impl Ledge {
    /// Whether its extent meets a stretch of the line along an axis through the middles of a row of pixels.
    #[inline]
    pub(crate) fn is_along(&self, axis: usize, row: u8, stretch: u8) -> bool {
        let ([first, end], [from, to]) = (self.spans[1 - axis], self.spans[axis]);
        // Few do, and which ones cannot be foreseen: no branch asks.
        (first <= row) & (row < end) & (from <= stretch) & (stretch <= to)
    }

    /// Where it may cross or touch a line along an axis, between two places: how far from the first, in
    /// lattice units; not at all where it runs along the line.
    #[inline]
    pub(crate) fn crossing(&self, axis: usize, aside: i64, along: [i64; 2]) -> Option<f64> {
        let [a, b] = self.ends;
        let away = |p: [i32; 2]| (i64::from(p[1 - axis]) - aside) as f64;
        let (a_away, b_away) = (away(a), away(b));
        if (a_away > 0.0 && b_away > 0.0) || (a_away < 0.0 && b_away < 0.0) {
            return None;
        }
        let (a, b) = (f64::from(a[axis]), f64::from(b[axis]));
        let share = -a_away / (b_away - a_away);
        if !(0.0..=1.0).contains(&share) {
            return Some(0.0);
        }
        let [first, last] = along.map(|v| v as f64);
        let at = a + share * (b - a);
        // Rounding is far below a unit.
        let is_near = at >= first.min(last) - 1.0 && at <= first.max(last) + 1.0;
        is_near.then(|| (at - first).abs())
    }
}

/// The edges of ground that belong to one triangle alone, with the columns that they run through where ground can end
/// at them, and which points are their ends.
pub(crate) fn find_ledges(
    triangles: &[GridTriangle],
    points: Points<'_>,
    scales: &Scales,
    ruler: &Ruler,
) -> (Vec<(u32, Ledge)>, Vec<bool>) {
    let edges = lone_edges(triangles, points);
    let points = points.points;
    let mut is_end = vec![false; points.len()];
    for &end in edges.as_flattened() {
        is_end[end as usize] = true;
    }
    if scales.passes_any_gap() {
        return (Vec::new(), is_end);
    }
    let mut ledges: Vec<(u32, Ledge)> = Vec::with_capacity(2 * edges.len());
    let mut samples = ColumnSamples::default();
    let whole = whole_window(&scales.coarse);
    for [a, b] in edges {
        let (a, b) = (points[a as usize], points[b as usize]);
        let (lo, hi) = (a[2].min(b[2]), a[2].max(b[2]));
        let [p, q] = [a, b].map(in_plan);
        let reach = ruler.reach(lesser(p, q), greater(p, q));
        let ends = [[a[0], a[1]], [b[0], b[1]]];
        let ledge = |(column, spans)| (column, Ledge { lo, hi, spans, ends });
        if let Some(only) = ruler.only_column(&reach) {
            ledges.push(ledge(only));
            continue;
        }
        if let Some(two) = ruler.two_columns(&reach) {
            ledges.extend([0, 1].map(|k| ledge((two.columns[k], two.spans[k]))));
            continue;
        }
        // Only its columns are asked for: a level line has them without being measured.
        let level = |p: [i32; 3]| [p[0], p[1], 0];
        let corners = [level(a), level(b), level(b)];
        let line = GridTriangle { corners, surface: Surface::UPRIGHT };
        let columns = samples.sweep(0, &line, &scales.coarse, &whole);
        let with_spans = ruler.with_spans(&reach, columns);
        ledges.extend(with_spans.map(|(column, _, spans)| ledge((column, spans))));
    }
    (ledges, is_end)
}

/// The edges beyond which no triangle of ground goes on, each by the numbers of its points, the smaller first.
/// Where two triangles of ground have an edge and lie on the same side of it, as both sides of a wedge do, ground
/// ends there too.
fn lone_edges(triangles: &[GridTriangle], Points { numbers, points }: Points<'_>) -> Vec<[u32; 2]> {
    // Which triangles are ground cannot be foreseen, so no branch asks: the next one takes the place of one that
    // is none.
    let (mut ground, mut count) = (vec![0_u32; triangles.len()], 0);
    for (i, t) in (0..).zip(triangles) {
        ground[count] = i;
        count += usize::from(t.surface.is_ground());
    }
    // The larger number comes with the side on which ground lies.
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * count);
    let mut firsts = [vec![0_u32; points.len() + 1], vec![0_u32; points.len() + 1]];
    for &i in &ground[..count] {
        let ([a, b, c], turned) =
            (numbers[i as usize], is_clockwise(&triangles[i as usize].corners));
        for [a, b] in [[a, b], [b, c], [c, a]] {
            let side = u32::from((a > b) != turned);
            let [a, b] = [a.min(b), a.max(b)];
            firsts[0][a as usize + 1] += 1;
            firsts[1][b as usize + 1] += 1;
            edges.push([a, b << 1 | side]);
        }
    }
    let [by_smaller, by_larger] = firsts;
    let edges = sort_edges(&edges, by_larger, |[_, b]| b >> 1);
    let edges = sort_edges(&edges, by_smaller, |[a, _]| a);
    alone_among(&edges)
}

/// Edges in the order of one of their numbers, with how many have each of those, one place further on; those that
/// have the same keep their order.
fn sort_edges(
    edges: &[[u32; 2]],
    mut counts: Vec<u32>,
    number: impl Fn([u32; 2]) -> u32,
) -> Vec<[u32; 2]> {
    for i in 1..counts.len() {
        counts[i] += counts[i - 1];
    }
    let mut sorted = vec![[0; 2]; edges.len()];
    for &edge in edges {
        let next = &mut counts[number(edge) as usize];
        sorted[*next as usize] = edge;
        *next += 1;
    }
    sorted
}

/// Of sorted edges those with ground on one side alone, each once and without that side. Few are found and which
/// cannot be foreseen, so no branch asks.
fn alone_among(edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let without_side = |[a, b]: [u32; 2]| [a, b >> 1];
    let (mut lone, mut count) = (vec![[0; 2]; edges.len() + 1], 0);
    let mut sides = 0;
    for (i, &edge) in edges.iter().enumerate() {
        let plain = without_side(edge);
        sides |= 1 << (edge[1] & 1);
        let is_last = edges.get(i + 1).is_none_or(|next| without_side(*next) != plain);
        lone[count] = plain;
        count += usize::from(is_last & (sides != 3));
        sides &= u32::from(is_last).wrapping_sub(1);
    }
    lone.truncate(count);
    lone
}

/// Whether a triangle turns clockwise in plan. Ground is never so narrow there that rounding could matter.
#[inline]
fn is_clockwise([a, b, c]: &[[i32; 3]; 3]) -> bool {
    let away = |p: &[i32; 3], k: usize| f64::from(p[k]) - f64::from(a[k]);
    away(b, 0) * away(c, 1) < away(b, 1) * away(c, 0)
}

/// Sorts edges into columns; within a column they keep their order.
pub(crate) fn sort_ledges(
    columns: usize,
    loose: Vec<(u32, Ledge)>,
) -> Result<(Vec<u32>, Vec<Ledge>), BakeError> {
    if loose.len() >= u32::MAX as usize {
        return Err(BakeError::TooLarge { what: "edges over columns", count: loose.len() });
    }
    let mut firsts = vec![0_u32; columns + 1];
    for (column, _) in &loose {
        firsts[*column as usize + 1] += 1;
    }
    for i in 0..columns {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    let mut edges = vec![Ledge::default(); loose.len()];
    for (column, edge) in loose {
        let at = &mut next[column as usize];
        edges[*at as usize] = edge;
        *at += 1;
    }
    Ok((firsts, edges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{BakeSettings, LayeredSettings};

    fn ledge(a: [i32; 2], b: [i32; 2]) -> Ledge {
        Ledge { ends: [a, b], ..Ledge::default() }
    }

    /// A line along x at y = 100, from x = 1000 to x = 2000, and the same along y.
    #[test]
    fn an_edge_crosses_a_line_where_it_meets_it() {
        let crossing = [
            ([1500, 0], [1500, 200]),
            ([900, 0], [1100, 200]),
            ([1500, 100], [1600, 300]),
            ([1200, 100], [1700, 100]),
            ([1000, 100], [500, 900]),
        ];
        let beside = [
            ([1500, 101], [1600, 300]),
            ([1500, 0], [1500, 99]),
            ([800, 0], [1000, 200]),
            ([2500, 0], [1600, 300]),
        ];
        for (edges, expected) in [(&crossing[..], true), (&beside[..], false)] {
            for &(a, b) in edges {
                let turned = |[x, y]: [i32; 2]| [y, x];
                for (a, b) in [(a, b), (b, a)] {
                    let across = ledge(turned(a), turned(b));
                    for along in [[1000, 2000], [2000, 1000]] {
                        let found = ledge(a, b).crossing(0, 100, along);
                        assert_eq!(found.is_some(), expected, "{a:?} {b:?}");
                        assert_eq!(across.crossing(1, 100, along), found, "{a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_crossing_is_as_far_away_as_it_is() {
        let slanting = ledge([1300, 0], [1500, 400]);
        assert_eq!(slanting.crossing(0, 100, [1000, 2000]), Some(350.0));
        assert_eq!(slanting.crossing(0, 100, [2000, 1000]), Some(650.0));
        assert_eq!(ledge([1200, 100], [1700, 100]).crossing(0, 100, [1000, 2000]), Some(0.0));
    }

    #[test]
    fn edges_are_alone_without_their_other_side() {
        let alone = |larger: &[u32]| -> Vec<u32> {
            let edges: Vec<[u32; 2]> = larger.iter().map(|&b| [1, b]).chain([[2, 7]]).collect();
            let mut found = alone_among(&edges);
            assert_eq!(found.pop(), Some([2, 3]));
            found.iter().map(|[_, b]| *b).collect()
        };
        assert!(alone_among(&[]).is_empty());
        assert!(alone(&[]).is_empty());
        assert_eq!(alone(&[9]), [4]);
        assert!(alone(&[4, 5]).is_empty());
        assert_eq!(alone(&[4, 4]), [2]);
        assert_eq!(alone(&[2, 3, 3, 4, 5, 6, 9]), [3, 4]);
        assert_eq!(alone(&[0, 2, 4, 6]), [0, 1, 2, 3]);
        assert_eq!(alone(&[0, 0, 1, 2, 3, 5, 5, 5, 7]), [2, 3]);
    }

    #[test]
    fn sorted_edges_keep_their_order_where_they_share_a_number() {
        let edges = [[2, 5], [0, 9], [2, 4], [0, 3], [1, 5]];
        let sorted = sort_edges(&edges, vec![0, 2, 1, 2], |[a, _]| a);
        assert_eq!(sorted, [[0, 9], [0, 3], [1, 5], [2, 5], [2, 4]]);
    }

    /// A wedge that is ground on both sides ends at the edge that they share; so do ten of them around a point.
    #[test]
    fn ground_ends_where_it_folds() {
        let mut points = vec![[0, 0, 0]];
        for k in 0..11 {
            points.push([1000 * k, 5000, 100 * k]);
        }
        points.push([500, 4000, 700]);
        let fold: Vec<[u32; 3]> = vec![[0, 2, 1], [0, 2, 12]];
        let fan: Vec<[u32; 3]> = (1..11).map(|k| [0, k + 1, k]).collect();
        let with_fan: Vec<[u32; 3]> = fan.iter().copied().chain([[0, 2, 12]]).collect();
        let lone = |numbers: &[[u32; 3]]| {
            let corners = |t: &[u32; 3]| t.map(|p| points[p as usize]);
            let ground = |t| GridTriangle { corners: corners(t), surface: Surface::ground(0) };
            let triangles: Vec<GridTriangle> = numbers.iter().map(ground).collect();
            lone_edges(&triangles, Points { numbers, points: &points })
        };
        assert_eq!(lone(&fold), [[0, 1], [0, 2], [0, 12], [1, 2], [2, 12]]);
        let rim = |k: u32| [k, k + 1];
        let mut expected: Vec<[u32; 2]> = (1..11).map(rim).chain([[0, 1], [0, 11]]).collect();
        expected.sort_unstable();
        assert_eq!(lone(&fan), expected);
        // Here the fan goes on beyond the edge of the wedge.
        expected.extend([[0, 12], [2, 12]]);
        expected.sort_unstable();
        assert_eq!(lone(&with_fan), expected);
    }

    /// Of two triangles that share an edge, the other four edges are lone; what is not ground has none.
    #[test]
    fn shared_edges_are_no_ledges() {
        let points = [[0, 0, 0], [100, 0, 0], [100, 100, 0], [0, 100, 0], [50, 50, 90]];
        let numbers = [[0, 1, 2], [0, 2, 3], [0, 1, 4]];
        let surfaces = [Surface::ground(0), Surface::ground(1), Surface::STEEP];
        let triangles: Vec<GridTriangle> = numbers
            .iter()
            .zip(surfaces)
            .map(|(n, surface)| GridTriangle { corners: n.map(|p| points[p as usize]), surface })
            .collect();
        let lone = lone_edges(&triangles, Points { numbers: &numbers, points: &points });
        assert_eq!(lone, [[0, 1], [0, 3], [1, 2], [2, 3]]);
    }

    /// The ends of edges are the same with any gap; the edges themselves count unless ground goes on beyond all.
    #[test]
    fn where_any_gap_is_none_only_ends_are_found() {
        let points = [[0, 0, 0], [9_000, 0, 0], [9_000, 9_000, 0], [500, 500, 500]];
        let (numbers, corners) = ([[0, 1, 2]], [points[0], points[1], points[2]]);
        let triangles = [GridTriangle { corners, surface: Surface::ground(0) }];
        for (gap_distance_m, goes_on) in [(0.01, false), (0.5, true)] {
            let layered = LayeredSettings { gap_distance_m, ..LayeredSettings::default() };
            let settings = BakeSettings { layered, ..BakeSettings::default() }.resolve().unwrap();
            let scales = Scales::new(&triangles, &settings).unwrap();
            assert_eq!(scales.passes_any_gap(), goes_on);
            let points = Points { numbers: &numbers, points: &points };
            let (ledges, is_end) = find_ledges(&triangles, points, &scales, &Ruler::new(&scales));
            assert_eq!(ledges.is_empty(), goes_on);
            assert_eq!(is_end, [true, true, true, false]);
        }
    }
}
