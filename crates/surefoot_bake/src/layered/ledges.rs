//! Finds the edges of ground beyond which no other ground goes on, and the columns that they run through.
//!
//! Goes in: triangles with the numbers of their points. Comes out: for every column the edges over it that
//! triangles of ground have on one side alone, with their heights and extents, and the ends of those edges.
//! Ground can end only there.

use crate::error::BakeError;
use crate::layered::rasterize::{Ruler, greater, in_plan, lesser, whole_window};
use crate::layered::scales::Scales;
use crate::layered::table::FEW;
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
        (first..end).contains(&row) && (from..=to).contains(&stretch)
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

/// The edges of ground that belong to one triangle alone, with the columns that they run through, and
/// which points are their ends.
pub(crate) fn find_ledges(
    triangles: &[GridTriangle],
    points: Points<'_>,
    scales: &Scales,
    ruler: &Ruler,
) -> (Vec<(u32, Ledge)>, Vec<bool>) {
    let edges = lone_edges(triangles, points);
    let points = points.points;
    let mut ledges: Vec<(u32, Ledge)> = Vec::with_capacity(2 * edges.len());
    let mut is_end = vec![false; points.len()];
    let mut samples = ColumnSamples::default();
    let whole = whole_window(&scales.coarse);
    for [a, b] in edges {
        is_end[a as usize] = true;
        is_end[b as usize] = true;
        let (a, b) = (points[a as usize], points[b as usize]);
        let (lo, hi) = (a[2].min(b[2]), a[2].max(b[2]));
        let [p, q] = [a, b].map(in_plan);
        let reach = ruler.reach(lesser(p, q), greater(p, q));
        let ends = [[a[0], a[1]], [b[0], b[1]]];
        let ledge =
            |column: u32| (column, Ledge { lo, hi, spans: ruler.spans_in(&reach, column), ends });
        if let Some(column) = ruler.only_column(&reach) {
            ledges.push(ledge(column));
            continue;
        }
        if let Some(two) = ruler.two_columns(&reach) {
            ledges.extend(two.columns.map(ledge));
            continue;
        }
        // Only its columns are asked for: a level line has them without being measured.
        let level = |p: [i32; 3]| [p[0], p[1], 0];
        let corners = [level(a), level(b), level(b)];
        let line = GridTriangle { corners, surface: Surface::UPRIGHT };
        let columns = samples.sweep(0, &line, &scales.coarse, &whole);
        ledges.extend(columns.iter().map(|&(column, _)| ledge(column)));
    }
    (ledges, is_end)
}

/// The edges beyond which no triangle of ground goes on, each by the numbers of its points, the smaller first.
/// Where two triangles of ground have an edge and lie on the same side of it, as both sides of a wedge do, ground
/// ends there too.
fn lone_edges(triangles: &[GridTriangle], Points { numbers, points }: Points<'_>) -> Vec<[u32; 2]> {
    // By their smaller number: few edges share it. The larger one comes with the side on which ground lies.
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len());
    let mut firsts = vec![0_u32; points.len() + 1];
    for (t, &[a, b, c]) in triangles.iter().zip(numbers).filter(|(t, _)| t.surface.is_ground()) {
        let turned = is_clockwise(&t.corners);
        for [a, b] in [[a, b], [b, c], [c, a]] {
            let side = u32::from((a > b) != turned);
            let [a, b] = [a.min(b), a.max(b)];
            firsts[a as usize + 1] += 1;
            edges.push([a, b << 1 | side]);
        }
    }
    for i in 0..points.len() {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    // A few more, so that a few can be read from any place.
    let mut others = vec![0_u32; edges.len() + FEW];
    for &[a, b] in &edges {
        let at = &mut next[a as usize];
        others[*at as usize] = b;
        *at += 1;
    }
    let mut lone = Vec::with_capacity(others.len() / 2);
    let mut found: Vec<u32> = Vec::new();
    for a in 0..points.len() {
        let (first, end) = (firsts[a] as usize, firsts[a + 1] as usize);
        found.clear();
        match others[first..].first_chunk() {
            _ if first == end => continue,
            Some(some) if end - first <= FEW => {
                let mut alone = alone_among(some, end - first);
                while alone != 0 {
                    found.push(some[alone.trailing_zeros() as usize]);
                    alone &= alone - 1;
                }
                found.sort_unstable();
            }
            _ => {
                let others = &mut others[first..end];
                others.sort_unstable();
                let is_alone = |b: &&u32| others.binary_search(&(**b ^ 1)).is_err();
                found.extend(others.iter().filter(is_alone));
            }
        }
        found.dedup();
        lone.extend(found.iter().map(|b| [a as u32, b >> 1]));
    }
    lone
}

/// Whether a triangle turns clockwise in plan. Ground is never so narrow there that rounding could matter.
#[inline]
fn is_clockwise([a, b, c]: &[[i32; 3]; 3]) -> bool {
    let away = |p: &[i32; 3], k: usize| f64::from(p[k]) - f64::from(a[k]);
    away(b, 0) * away(c, 1) < away(b, 1) * away(c, 0)
}

/// A bit for each of the first of some numbers without the one that differs from it in the last bit alone. All
/// are compared with all, since nothing can be foreseen.
#[inline]
fn alone_among(some: &[u32; FEW], count: usize) -> u32 {
    let mut known = [u32::MAX; FEW];
    known[..count].copy_from_slice(&some[..count]);
    let mut met = [false; FEW];
    for number in known {
        for (met, other) in met.iter_mut().zip(&known) {
            *met |= *other == number ^ 1;
        }
    }
    let alone = met.iter().enumerate().fold(0, |bits, (k, met)| bits | u32::from(!met) << k);
    alone & !(u32::MAX << count)
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
    fn numbers_are_alone_without_their_other_side() {
        let alone = |numbers: &[u32]| {
            let mut some = [8; FEW];
            some[..numbers.len()].copy_from_slice(numbers);
            alone_among(&some, numbers.len())
        };
        assert_eq!(alone(&[]), 0);
        assert_eq!(alone(&[9]), 0b1);
        assert_eq!(alone(&[4, 5]), 0);
        assert_eq!(alone(&[4, 4]), 0b11);
        assert_eq!(alone(&[4, 6, 5, 9, 2, 3, 3]), 0b1010);
        assert_eq!(alone(&[0, 2, 4, 6, 8, 10, 12, 14]), 0b1111_1111);
        assert_eq!(alone(&[0, 1, 3, 2, 1, 0, 7, 9]), 0b1100_0000);
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
}
