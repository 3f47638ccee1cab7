//! Finds the edges of ground beyond which no other ground goes on, and the columns that they run through.
//!
//! Goes in: triangles with the numbers of their points. Comes out: the edges that triangles of ground have on one
//! side alone, for every column over which they run, with their heights and extents, and the ends of those edges.
//! Ground can end only there. Where any gap is none, ground goes on beyond its edges: then only their ends count.

use crate::heightfield::rasterize::ColumnSamples;
use crate::input::classify::{ClassedTriangle, FaceClass};
use crate::layered::model::face::Ledge;
use crate::layered::model::scales::Scales;
use crate::layered::slice::rasterize::whole_window;
use crate::layered::slice::reach::ColumnReach;

/// The points of all triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points<'a> {
    /// The numbers of each triangle's points.
    pub(crate) numbers: &'a [[u32; 3]],
    pub(crate) points: &'a [[i32; 3]],
}

/// The edges of ground that belong to one triangle alone, with the columns that they run through where ground can end
/// at them, and which points are their ends.
pub(super) fn find_ledges(
    triangles: &[ClassedTriangle],
    points: Points<'_>,
    scales: &Scales,
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
    for edge in edges {
        let [a, b] = edge.map(|p| points[p as usize]);
        let (lo, hi) = (a[2].min(b[2]), a[2].max(b[2]));
        let reach = ColumnReach::around(&[a, b], scales);
        let ends = [[a[0], a[1]], [b[0], b[1]]];
        let ledge = |(column, spans)| (column, Ledge { lo, hi, spans, ends });
        if let Some(only) = reach.only_column() {
            ledges.push(ledge(only));
            continue;
        }
        // Only its columns are asked for: a level line has them without being measured.
        let level = |p: [i32; 3]| [p[0], p[1], 0];
        let corners = [level(a), level(b), level(b)];
        let line = ClassedTriangle { corners, class: FaceClass::UPRIGHT };
        let columns = samples.sweep(0, &line, &scales.coarse, &whole).iter();
        ledges.extend(columns.map(|(column, _)| ledge((*column, reach.spans_in(*column)))));
    }
    (ledges, is_end)
}

/// The edges beyond which no triangle of ground goes on, each by the numbers of its points, the smaller first.
/// Where two triangles of ground have an edge and lie on the same side of it, as both sides of a wedge do, ground
/// ends there too.
fn lone_edges(triangles: &[ClassedTriangle], Points { numbers, .. }: Points<'_>) -> Vec<[u32; 2]> {
    let ground = triangles.iter().zip(numbers).filter(|(t, _)| t.class.is_ground());
    // The larger number comes with the side on which ground lies.
    let mut edges: Vec<[u32; 2]> = ground
        .flat_map(|(t, &[a, b, c])| {
            let turned = is_clockwise(&t.corners);
            [[a, b], [b, c], [c, a]].map(|[a, b]| {
                let side = u32::from((a > b) != turned);
                [a.min(b), a.max(b) << 1 | side]
            })
        })
        .collect();
    edges.sort_unstable();
    alone_among(&edges)
}

/// Of sorted edges those with ground on one side alone, each once and without that side.
fn alone_among(edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let without_side = |[a, b]: [u32; 2]| [a, b >> 1];
    edges
        .chunk_by(|p, q| without_side(*p) == without_side(*q))
        .filter(|same| same[0] == same[same.len() - 1])
        .map(|same| without_side(same[0]))
        .collect()
}

/// Whether a triangle turns clockwise in plan. Ground is never so narrow there that rounding could matter.
#[inline]
fn is_clockwise([a, b, c]: &[[i32; 3]; 3]) -> bool {
    let away = |p: &[i32; 3], k: usize| f64::from(p[k]) - f64::from(a[k]);
    away(b, 0) * away(c, 1) < away(b, 1) * away(c, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{BakeSettings, LayeredSettings};

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
            let ground = |t| ClassedTriangle { corners: corners(t), class: FaceClass::ground(0) };
            let triangles: Vec<ClassedTriangle> = numbers.iter().map(ground).collect();
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
        let surfaces = [FaceClass::ground(0), FaceClass::ground(1), FaceClass::STEEP];
        let triangles: Vec<ClassedTriangle> = numbers
            .iter()
            .zip(surfaces)
            .map(|(n, class)| ClassedTriangle { corners: n.map(|p| points[p as usize]), class })
            .collect();
        let lone = lone_edges(&triangles, Points { numbers: &numbers, points: &points });
        assert_eq!(lone, [[0, 1], [0, 3], [1, 2], [2, 3]]);
    }

    /// The ends of edges are the same with any gap; the edges themselves count unless ground goes on beyond all.
    #[test]
    fn where_any_gap_is_none_only_ends_are_found() {
        let points = [[0, 0, 0], [9_000, 0, 0], [9_000, 9_000, 0], [500, 500, 500]];
        let (numbers, corners) = ([[0, 1, 2]], [points[0], points[1], points[2]]);
        let triangles = [ClassedTriangle { corners, class: FaceClass::ground(0) }];
        for (gap_distance_m, goes_on) in [(0.01, false), (0.5, true)] {
            let method = LayeredSettings::default().into();
            let settings = BakeSettings { method, gap_distance_m, ..BakeSettings::default() };
            let settings = settings.resolve().unwrap();
            let scales = Scales::new(&triangles, &settings.agent, &settings.layered).unwrap();
            assert_eq!(scales.passes_any_gap(), goes_on);
            let points = Points { numbers: &numbers, points: &points };
            let (ledges, is_end) = find_ledges(&triangles, points, &scales);
            assert_eq!(ledges.is_empty(), goes_on);
            assert_eq!(is_end, [true, true, true, false]);
        }
    }
}
