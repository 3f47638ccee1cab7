//! The partition of a single polygon, for those who have one and no scene.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::finish::partition::by_shape::partition_counted;
use crate::finish::partition::quality::PartitionQuality;
use crate::ids::CellEdgeId;
use crate::settings::PartitionSettings;
use crate::surface::{Face, FaceOrigin, Plane, WalkableSurface};
use glam::DVec3;
use surefoot_geom::Frame;
use surefoot_geom::polygon::{Contour, Polygon};
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// A polygon with holes in convex cells.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonPartition {
    /// The cells, counter-clockwise.
    pub cells: Vec<Contour>,
    /// For every edge of every cell, the cell and the edge on its other side.
    pub neighbours: Vec<Vec<Option<(u32, u32)>>>,
    /// Notches that had to be split; zero for the ways that do not look at notches.
    pub notches: usize,
    /// Portals beyond the first that a notch needed, since it saw nothing but another portal.
    pub second_portals: usize,
}

impl PolygonPartition {
    /// Its shapes in numbers.
    #[must_use]
    pub fn quality(&self) -> PartitionQuality {
        let twins = self.neighbours.iter().flatten().flatten().count();
        PartitionQuality::of_outlines(self.cells.iter().cloned(), twins / 2)
    }
}

/// Cuts a polygon with holes into convex cells that share full edges.
///
/// New corners lie on the polygon's edges or up to 1.5 lattice units inwards; all else is exact. Corners
/// that bend a border by less than 1.5 units may be left out.
pub fn partition_polygon(
    polygon: &Polygon,
    settings: &PartitionSettings,
) -> Result<PolygonPartition, BakeError> {
    let origin = FaceOrigin {
        plane: Plane::through(DVec3::ZERO, DVec3::Z),
        kind: CellKind::Ground,
        area: AreaId(0),
        source: None,
    };
    let surface = WalkableSurface {
        frame: Frame::with_up([0.0, 0.0, 1.0]).map_err(crate::settings::SettingsError::from)?,
        faces: vec![Face::from_polygon(polygon, |_, _| EdgeClass::Open, &origin)],
        area_names: vec![String::new()],
    };
    let (partitioned, counts) = partition_counted(surface, settings, &mut StageContext::new())?;
    let mut place = Vec::new();
    for (c, cell) in partitioned.cells.iter().enumerate() {
        place.extend((0..cell.edges.len()).map(|e| (c as u32, e as u32)));
    }
    let neighbour = |twin: CellEdgeId| place[twin.index()];
    Ok(PolygonPartition {
        cells: partitioned.cells.iter().map(|c| c.edges.iter().map(|e| e.from).collect()).collect(),
        neighbours: (partitioned.cells.iter())
            .map(|c| c.edges.iter().map(|e| e.twin.map(neighbour)).collect())
            .collect(),
        notches: counts.notches,
        second_portals: counts.second,
    })
}
