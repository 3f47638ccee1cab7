//! The distance from every pixel to the boundary of the ground.

use crate::layered::model::fine_map::NO_HEIGHT;
use crate::layered::model::linked_map::LinkedMap;
use crate::layered::model::terrain::Terrain;
use crate::view::StageView;
use surefoot_geom::Frame;
use surefoot_mesh::EdgeClass;

/// No point of a boundary.
pub(crate) const NOWHERE: [i32; 2] = [i32::MIN; 2];

/// The distance to the boundary.
#[derive(Debug)]
pub(crate) struct DistanceField {
    /// The nearest point of a boundary, in lattice units, or [`NOWHERE`] where none is near.
    pub(crate) nearest: Vec<[i32; 2]>,
    /// What lies there.
    pub(crate) classes: Vec<EdgeClass>,
    /// How far the contour keeps from the boundary, in lattice units.
    pub(crate) distance: f64,
    /// Whether the boundary is nearer than that.
    pub(crate) too_near: Vec<bool>,
}

impl DistanceField {
    /// Of all pixels, one after another, whether they are ground on which the agent fits.
    #[inline]
    pub(crate) fn kept<'a>(&'a self, linked: &'a LinkedMap) -> impl Iterator<Item = bool> + 'a {
        let pixels = linked.map.heights.iter().zip(&self.too_near);
        pixels.map(|(height, too_near)| (*height != NO_HEIGHT) & !too_near)
    }
}

impl DistanceField {
    /// What a person would look at: the pixels by how many fine cells away the boundary is, at most so many as it is
    /// measured.
    pub(crate) fn view(&self, frame: &Frame, terrain: Terrain<'_>) -> StageView {
        let mut view = StageView { up: frame.up(), ..StageView::default() };
        let fine = f64::from(terrain.scales.fine);
        for pixel in (0..terrain.map.len() as u32).filter(|&p| terrain.map.has_ground(p)) {
            let (middle, point) = (terrain.middle(pixel), self.nearest[pixel as usize]);
            let away = [0, 1].map(|k| (i64::from(point[k]) - middle[k]) as f64);
            let distance = match point == NOWHERE {
                true => self.distance + 1.5 * fine,
                false => away[0].hypot(away[1]),
            };
            let mut square = terrain.square(pixel, i64::from(terrain.scales.fine), frame);
            square.component = Some((distance / fine) as u32);
            view.faces.push(square);
        }
        view
    }
}
