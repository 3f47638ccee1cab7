//! A mesh from polygons that share vertices: for tests, and for meshes made by other tools.
//!
//! In go points of the user's frame and polygons of point indices; out comes [`NavMeshData`] in
//! which polygons are neighbours where they share an edge. Points that fall on the same lattice
//! point at the same height are one. Polygons may turn either way.

use crate::agent::Agent;
use crate::build_info::TagRules;
use crate::data::{AreaId, CellKind, EdgeClass, NO_EDGE, NavMeshData, VertexId};
use crate::validate::MAX_EDGES;
use glam::DVec3;
use surefoot_geom::polygon::contour_area2;
use surefoot_geom::{Frame, FrameError, LatticePoint, LatticeRangeError};
use thiserror::Error;

/// What keeps polygons from being a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FromPolygonsError {
    /// The up direction is none.
    #[error(transparent)]
    Up(#[from] FrameError),
    /// A point is not finite or beyond the lattice.
    #[error("point {point}: {source}")]
    Range {
        /// Which point.
        point: usize,
        /// What is wrong with it.
        source: LatticeRangeError,
    },
    /// A height is not finite.
    #[error("point {point} is not finite")]
    NotFinite {
        /// Which point.
        point: usize,
    },
    /// A polygon refers to a point that does not exist.
    #[error("polygon {polygon} refers to point {point}, but there are only {points} points")]
    NoSuchPoint {
        /// Which polygon.
        polygon: usize,
        /// The point it names.
        point: u32,
        /// How many there are.
        points: usize,
    },
    /// A polygon has no area in plan.
    #[error("polygon {polygon} has no area seen from above; leave it out")]
    NoArea {
        /// Which polygon.
        polygon: usize,
    },
    /// Two polygons use the same edge in the same direction, so they overlap.
    #[error("polygons {first} and {second} lie on the same side of a common edge; remove one")]
    EdgeUsedTwice {
        /// The one.
        first: usize,
        /// The other.
        second: usize,
    },
    /// There is too much of it.
    #[error("the polygons have more than {limit} corners in all")]
    TooMany {
        /// How many there may be.
        limit: usize,
    },
}

impl NavMeshData {
    /// A mesh from polygons, each a list of indices into `points`, with `up` in the points' frame.
    /// Edges that are not shared are open; all ground is of one area type. Neighbouring corners of
    /// a polygon that fall on the same lattice point become one.
    pub fn from_polygons(
        points: &[[f32; 3]],
        polygons: &[Vec<u32>],
        agent: Agent,
        up: [f64; 3],
    ) -> Result<Self, FromPolygonsError> {
        let frame = Frame::with_up(up)?;
        let canonical: Vec<DVec3> = points
            .iter()
            .map(|p| DVec3::from(frame.canonical_from_user(p.map(f64::from))))
            .collect();
        if let Some(point) = canonical.iter().position(|p| !p.is_finite()) {
            return Err(FromPolygonsError::NotFinite { point });
        }
        // Whole metres keep round coordinates round.
        let origin = canonical.iter().copied().reduce(DVec3::min).unwrap_or(DVec3::ZERO).floor();
        let frame = frame.moved_to(origin.to_array());
        let Welded { vertex_of_point, points: vertex_points, heights_m: vertex_heights_m } =
            weld(&canonical, origin)?;
        let mut data = Self {
            agent,
            frame,
            convex_distance_m: 0.0,
            vertex_points,
            vertex_heights_m,
            cell_first_edges: vec![0],
            cell_kinds: Vec::new(),
            cell_areas: Vec::new(),
            edge_vertices: Vec::new(),
            edge_twins: Vec::new(),
            edge_classes: Vec::new(),
            links: Vec::new(),
            area_names: vec!["ground".to_owned()],
            build: None,
            tag_rules: TagRules::default(),
        };
        let limit = MAX_EDGES;
        for (polygon, corners) in polygons.iter().enumerate() {
            let first = data.edge_vertices.len();
            if first + corners.len() > limit {
                return Err(FromPolygonsError::TooMany { limit });
            }
            for &point in corners {
                let &vertex =
                    vertex_of_point.get(point as usize).ok_or(FromPolygonsError::NoSuchPoint {
                        polygon,
                        point,
                        points: points.len(),
                    })?;
                let at = |v: VertexId| data.vertex_points[v.index()];
                if data.edge_vertices[first..].last().is_none_or(|&v| at(v) != at(vertex)) {
                    data.edge_vertices.push(vertex);
                }
            }
            let at = |v: &VertexId| data.vertex_points[v.index()];
            while data.edge_vertices.len() > first + 1
                && data.edge_vertices.last().map(at) == data.edge_vertices.get(first).map(at)
            {
                data.edge_vertices.pop();
            }
            let outline: Vec<LatticePoint> = data.edge_vertices[first..].iter().map(at).collect();
            match contour_area2(&outline) {
                0 => return Err(FromPolygonsError::NoArea { polygon }),
                area2 if area2 < 0 => data.edge_vertices[first..].reverse(),
                _ => {}
            }
            data.cell_kinds.push(CellKind::Ground);
            data.cell_areas.push(AreaId(0));
            data.cell_first_edges.push(data.edge_vertices.len() as u32);
        }
        data.pair_twins()?;
        Ok(data)
    }

    /// Makes edges that run between the same two vertices in opposite directions twins.
    fn pair_twins(&mut self) -> Result<(), FromPolygonsError> {
        let edges = self.edge_vertices.len();
        self.edge_twins = vec![NO_EDGE; edges];
        self.edge_classes = vec![EdgeClass::Open; edges];
        let mut keyed = Vec::with_capacity(edges);
        for (cell, run) in self.cell_first_edges.windows(2).enumerate() {
            for e in run[0]..run[1] {
                let next = if e + 1 == run[1] { run[0] } else { e + 1 };
                let (a, b) = (self.edge_vertices[e as usize], self.edge_vertices[next as usize]);
                keyed.push((a.min(b), a.max(b), a > b, e, cell));
            }
        }
        keyed.sort_unstable();
        for pair in keyed.windows(2) {
            let ((a, b, back, e, first), (c, d, other_back, t, second)) = (pair[0], pair[1]);
            if (a, b) != (c, d) {
                continue;
            }
            if back == other_back {
                return Err(FromPolygonsError::EdgeUsedTwice { first, second });
            }
            if first == second {
                continue;
            }
            for (e, t) in [(e, t), (t, e)] {
                self.edge_twins[e as usize] = t;
                self.edge_classes[e as usize] = EdgeClass::Inner;
            }
        }
        Ok(())
    }
}

/// Points of which equal ones are one vertex.
#[derive(Default)]
struct Welded {
    vertex_of_point: Vec<VertexId>,
    /// The vertices, in the order of their first points.
    points: Vec<LatticePoint>,
    heights_m: Vec<f32>,
}

/// Rounds points to the lattice and unites equal ones.
fn weld(canonical: &[DVec3], origin: DVec3) -> Result<Welded, FromPolygonsError> {
    let mut keyed = Vec::with_capacity(canonical.len());
    for (point, p) in canonical.iter().enumerate() {
        let p = *p - origin;
        let lattice = LatticePoint::from_m(p.x, p.y)
            .map_err(|source| FromPolygonsError::Range { point, source })?;
        let height = p.z as f32 + 0.0;
        keyed.push((lattice, height.to_bits(), point));
    }
    let mut order: Vec<usize> = (0..keyed.len()).collect();
    order.sort_unstable_by_key(|&i| keyed[i]);
    let mut first_of = vec![0; keyed.len()];
    let mut last: Option<usize> = None;
    for &i in &order {
        let same = last.filter(|&l| (keyed[l].0, keyed[l].1) == (keyed[i].0, keyed[i].1));
        first_of[i] = same.unwrap_or(i);
        last = Some(first_of[i]);
    }
    let mut welded = Welded::default();
    for i in 0..keyed.len() {
        if first_of[i] == i {
            welded.vertex_of_point.push(VertexId(welded.points.len() as u32));
            welded.points.push(keyed[i].0);
            welded.heights_m.push(f32::from_bits(keyed[i].1));
        } else {
            welded.vertex_of_point.push(welded.vertex_of_point[first_of[i]]);
        }
    }
    Ok(welded)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: [f64; 3] = [0.0, 1.0, 0.0];

    fn grid_points() -> Vec<[f32; 3]> {
        // Three by two points one metre apart, on the ground of a frame with Y up.
        (0..6).map(|i| [(i % 3) as f32, 0.0, (i / 3) as f32]).collect()
    }

    #[test]
    fn neighbours_share_edges_whichever_way_they_turn() {
        let polygons = [vec![0, 1, 4, 3], vec![1, 4, 5, 2]];
        let mesh = NavMeshData::from_polygons(&grid_points(), &polygons, Agent::default(), UP)
            .unwrap()
            .validate()
            .unwrap();
        assert_eq!((mesh.cell_count(), mesh.vertex_count(), mesh.triangle_count()), (2, 6, 4));
        assert_eq!(mesh.component_count(), 1);
        assert!((mesh.area_m2() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn split_vertices_are_welded() {
        let mut points = grid_points();
        points.extend([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]);
        let polygons = [vec![0, 1, 4, 3], vec![6, 2, 5, 7]];
        let data = NavMeshData::from_polygons(&points, &polygons, Agent::default(), UP).unwrap();
        assert_eq!(data.vertex_points.len(), 6);
        assert_eq!(data.validate().unwrap().component_count(), 1);
    }

    #[test]
    fn what_is_no_mesh_is_refused() {
        let points = grid_points();
        let build = |polygons: &[Vec<u32>]| {
            NavMeshData::from_polygons(&points, polygons, Agent::default(), UP).unwrap_err()
        };
        assert!(matches!(build(&[vec![0, 1, 9]]), FromPolygonsError::NoSuchPoint { point: 9, .. }));
        assert!(matches!(build(&[vec![0, 1, 2]]), FromPolygonsError::NoArea { polygon: 0 }));
        assert!(matches!(
            build(&[vec![0, 1, 4], vec![0, 1, 4, 3]]),
            FromPolygonsError::EdgeUsedTwice { .. }
        ));
        let bad = [[f32::NAN, 0.0, 0.0]];
        assert!(NavMeshData::from_polygons(&bad, &[], Agent::default(), UP).is_err());
        let far = [[0.0, 0.0, 0.0], [1.0e5, 0.0, 0.0]];
        assert!(matches!(
            NavMeshData::from_polygons(&far, &[], Agent::default(), UP),
            Err(FromPolygonsError::Range { point: 1, .. })
        ));
    }
}
