//! A surface in cells.

use crate::context::StageContext;
use crate::finish::partition::cell::Cell;
use crate::finish::partition::quality::PartitionQuality;
use crate::ids::CellEdgeId;
use crate::surface::{loop_area2, plan_m};
use crate::view::{FaceLook, StageView};
use glam::DVec3;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::{DisjointSets, Frame};

/// Connected cells smaller than this are no ground for anybody, in m².
const SPECK_M2: f64 = 1e-3;

/// Cells that tile a surface.
#[derive(Debug)]
pub(crate) struct PartitionedSurface {
    pub(crate) frame: Frame,
    pub(crate) cells: Vec<Cell>,
    pub(crate) area_names: Vec<String>,
}

impl PartitionedSurface {
    /// The cells with their portals and borders.
    pub(crate) fn view(&self) -> StageView {
        let mut view = StageView::in_frame(&self.frame);
        for (number, cell) in (0..).zip(&self.cells) {
            let corners: Vec<DVec3> =
                cell.edges.iter().map(|e| plan_m(e.from).extend(e.height_m)).collect();
            let look = FaceLook { kind: cell.kind, area: cell.area, component: Some(number) };
            view.add_face(&self.frame, &corners, look);
            for (k, edge) in cell.edges.iter().enumerate() {
                let ends = [corners[k], corners[(k + 1) % corners.len()]];
                view.add_edge(&self.frame, ends, edge.class);
            }
        }
        view
    }

    /// Drops connected cells of less than an area, at least specks. Faces that hang together in one
    /// point fall apart here: nobody walks through a point.
    pub(crate) fn drop_small(&mut self, least_m2: f64, context: &mut StageContext<'_>) {
        let mut firsts = Vec::with_capacity(self.cells.len());
        let mut count = 0_u32;
        for cell in &self.cells {
            firsts.push(count);
            count += cell.edges.len() as u32;
        }
        let cell_of = |edge: CellEdgeId| firsts.partition_point(|&f| f <= edge.number()) as u32 - 1;
        let mut sets = DisjointSets::new(self.cells.len());
        for (c, cell) in self.cells.iter().enumerate() {
            for twin in cell.edges.iter().filter_map(|e| e.twin) {
                sets.join(c as u32, cell_of(twin));
            }
        }
        let (component_of, components) = sets.number();
        let mut area2 = vec![0_i128; components as usize];
        for (cell, &c) in self.cells.iter().zip(&component_of) {
            area2[c as usize] += loop_area2(cell.edges.iter().map(|e| e.from));
        }
        let least2 = least_m2.max(SPECK_M2) * 2.0 * LATTICE_PER_M * LATTICE_PER_M;
        let keep: Vec<bool> =
            component_of.iter().map(|&c| area2[c as usize] as f64 >= least2).collect();
        context.count("specks", area2.iter().filter(|a| (**a as f64) < least2).count());
        if keep.iter().all(|k| *k) {
            return;
        }
        if !keep.contains(&true) {
            let largest2 = area2.iter().max().map_or(0.0, |&a| a as f64);
            context.all_dropped(largest2 / (2.0 * LATTICE_PER_M * LATTICE_PER_M));
        }
        let mut renumbered = vec![None; count as usize];
        let mut next = 0;
        for (c, cell) in self.cells.iter().enumerate().filter(|(c, _)| keep[*c]) {
            for i in 0..cell.edges.len() as u32 {
                renumbered[(firsts[c] + i) as usize] = Some(CellEdgeId::new(next));
                next += 1;
            }
        }
        let mut flags = keep.iter();
        self.cells.retain(|_| flags.next().copied().unwrap_or(true));
        for e in self.cells.iter_mut().flat_map(|c| &mut c.edges) {
            e.twin = e.twin.and_then(|twin| renumbered[twin.index()]);
        }
    }

    pub(super) fn count_quality(&self, context: &mut StageContext<'_>) {
        let outlines = self.cells.iter().map(|c| c.edges.iter().map(|e| e.from).collect());
        let twins = self.cells.iter().flat_map(|c| &c.edges).filter(|e| e.twin.is_some()).count();
        let quality = PartitionQuality::of_outlines(outlines, twins / 2);
        context.count("cells", quality.cells);
        context.count("portals", quality.portals);
        context.count("ill_conditioned_cells", quality.ill_conditioned);
        // Counts are whole numbers: thousandths of a degree and square centimetres.
        let whole = |v: f64| v.round() as usize;
        context.count("smallest_angle_mdeg", whole(quality.smallest_angle_rad.to_degrees() * 1e3));
        context.count(
            "mean_smallest_angle_mdeg",
            whole(quality.mean_smallest_angle_rad.to_degrees() * 1e3),
        );
        context.count("small_cells_cm2", whole(quality.small_area_m2 * 1e4));
    }
}
