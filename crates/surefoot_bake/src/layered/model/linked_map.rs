//! Linked depth maps: where the agent can go from pixel to pixel, and where ground ends between them.

use crate::layered::model::fine_map::{FineMap, NO_PIXEL, PixelKind, STEPS};
use crate::layered::model::probe::Probe;
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;
use crate::layered::model::terrain::Terrain;
use crate::view::{StageView, ViewEdge};
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::EdgeClass;

/// Where ground ends between a pixel's middle and the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    pub(crate) pixel: u32,
    pub(crate) direction: u8,
    /// How far from the pixel's middle, in lattice units.
    pub(crate) reach: f32,
    pub(crate) class: EdgeClass,
}

impl Stop {
    /// The place, seen from the pixel's middle, in lattice units.
    pub(crate) fn point(&self, middle: [i64; 2]) -> [i32; 2] {
        let away = STEPS[usize::from(self.direction)].map(|d| d as f64 * f64::from(self.reach));
        [0, 1].map(|k| (middle[k] as f64 + away[k]).round() as i32)
    }
}

/// Linked depth maps.
#[derive(Debug)]
pub(crate) struct LinkedMap {
    pub(crate) map: FineMap,
    /// The pixel in each direction, or [`NO_PIXEL`].
    pub(crate) links: Vec<[u32; 4]>,
    /// Sorted by pixel and direction.
    pub(crate) stops: Vec<Stop>,
    /// A bit for each direction in which the ground breaks.
    pub(crate) broken: Vec<u8>,
    /// Points of the boundary between the lines from pixel to pixel.
    pub(crate) corners: Vec<CornerPoint>,
}

impl LinkedMap {
    /// Whether the ground breaks beside a pixel.
    pub(crate) fn is_broken(&self, pixel: u32) -> bool {
        self.broken[pixel as usize] != 0
    }

    /// Whether the ground breaks between a pixel and the one in a direction.
    pub(crate) fn breaks(&self, pixel: u32, direction: usize) -> bool {
        self.broken[pixel as usize] & 1 << direction != 0
    }

    /// How far from a pixel's middle the ground breaks towards the linked one to the east or north, in lattice units:
    /// where the ground of the upper one ends, or a tread before a bridge. Most breaks lie on ground that the radius
    /// takes, so this is not found before it is asked for.
    pub(crate) fn break_reach(&self, pixel: u32, direction: usize, probe: &mut Probe<'_>) -> f64 {
        let (terrain, scales) = (probe.terrain, probe.terrain.scales);
        let other = self.links[pixel as usize][direction];
        let is_bridge = |p: u32| terrain.kind(p) == PixelKind::Bridge;
        let upper_first = match [pixel, other].map(is_bridge) {
            [true, false] => false,
            [false, true] => true,
            _ => terrain.height(pixel) > terrain.height(other),
        };
        let (upper, towards) =
            if upper_first { (pixel, direction) } else { (other, direction + 2) };
        let whole = f64::from(scales.fine);
        let end = match scales.passes_any_gap() {
            true => whole,
            false => probe.walk_unbroken(&terrain.line_from(upper, towards)).end(scales),
        };
        if upper_first { end } else { whole - end }
    }

    /// The map over the scene that it was made of.
    pub(crate) const fn terrain<'a>(
        &'a self,
        slices: &'a Slices,
        scales: &'a Scales,
    ) -> Terrain<'a> {
        Terrain { map: &self.map, slices, scales }
    }

    /// What a person would look at: the pixels, and lines from their middles to where ground ends or breaks.
    pub(crate) fn view(&self, frame: &Frame, slices: &Slices, scales: &Scales) -> StageView {
        let terrain = self.terrain(slices, scales);
        let mut view = terrain.view(frame);
        let line = |pixel: u32, direction: usize, reach: f64, class: EdgeClass| {
            let at = |away: f64| {
                let middle = terrain.middle(pixel);
                let away = STEPS[direction].map(|d| d as f64 * away);
                let [x, y] = [0, 1].map(|k| middle[k] as f64 + away[k]);
                let z = terrain.height_beside(pixel, away);
                frame.user_from_canonical([x, y, z].map(|v| v * M_PER_LATTICE))
            };
            ViewEdge { from: at(0.0), to: at(reach), class }
        };
        view.edges.extend(self.stops.iter().map(|stop| {
            line(stop.pixel, usize::from(stop.direction), f64::from(stop.reach), stop.class)
        }));
        let half = 0.5 * f64::from(scales.fine);
        for (pixel, links) in (0..).zip(&self.links) {
            let breaks = (0..4).filter(|&d| links[d] != NO_PIXEL && self.breaks(pixel, d));
            view.edges.extend(breaks.map(|d| line(pixel, d, half, EdgeClass::Inner)));
        }
        view
    }
}

/// A point of a boundary, and a pixel beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CornerPoint {
    pub(crate) pixel: u32,
    pub(crate) at: [i32; 2],
    /// Whether something stands there; otherwise the ground ends.
    pub(crate) blocked: bool,
}

impl CornerPoint {
    pub(crate) fn class(&self) -> EdgeClass {
        if self.blocked { EdgeClass::Blocked } else { EdgeClass::Open }
    }
}
