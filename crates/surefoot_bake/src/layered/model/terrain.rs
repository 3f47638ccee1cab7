//! The fine depth maps over the sliced scene: what most questions are asked of.

use crate::layered::model::face::Sought;
use crate::layered::model::fine_map::{FineMap, FinePlace, PixelKind};
use crate::layered::model::line::PixelLine;
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;
use crate::layered::model::triangle_plane::{height_over_middle, rise, slope};
use crate::view::{StageView, ViewFace};
use glam::DVec3;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{AreaId, CellKind};

/// The fine depth maps, and the scene that they were made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terrain<'a> {
    pub(crate) map: &'a FineMap,
    pub(crate) slices: &'a Slices,
    pub(crate) scales: &'a Scales,
}

impl<'a> Terrain<'a> {
    pub(crate) const fn new(map: &'a FineMap, slices: &'a Slices, scales: &'a Scales) -> Self {
        Self { map, slices, scales }
    }

    /// The height of a pixel's ground.
    #[inline]
    pub(crate) fn height(&self, pixel: u32) -> i64 {
        i64::from(self.map.heights[pixel as usize])
    }

    #[inline]
    pub(crate) fn kind(&self, pixel: u32) -> PixelKind {
        self.map.kinds[pixel as usize]
    }

    /// The column that a pixel lies in.
    #[inline]
    pub(crate) fn column_of(&self, pixel: u32) -> u32 {
        self.map.shape.columns[self.scales.split(pixel).0 as usize]
    }

    /// Where a pixel lies.
    #[inline]
    pub(crate) fn place(&self, pixel: u32) -> FinePlace {
        self.map.place(pixel, self.scales)
    }

    /// The middle of a pixel, in lattice units.
    pub(crate) fn middle(&self, pixel: u32) -> [i64; 2] {
        self.place(pixel).middle(self.scales)
    }

    /// The pixels of all layers at a place.
    #[inline]
    pub(crate) fn pixels_at(&self, place: FinePlace) -> impl Iterator<Item = u32> + Clone + use<> {
        self.map.pixels_at(place, self.scales)
    }

    /// Those of them that have ground.
    pub(crate) fn grounds_at(
        &self,
        place: FinePlace,
    ) -> impl Iterator<Item = u32> + Clone + use<'a> {
        let map = self.map;
        self.pixels_at(place).filter(move |&p| map.has_ground(p))
    }

    /// How much the ground of a pixel rises along each axis.
    pub(crate) fn slope(&self, pixel: u32) -> [f64; 2] {
        match self.map.bridge(pixel) {
            Some(bridge) => bridge.slope,
            None => slope(&self.slices.triangles[self.map.grounds[pixel as usize] as usize]),
        }
    }

    /// The same along one axis.
    #[inline]
    pub(crate) fn rise(&self, pixel: u32, axis: usize) -> f64 {
        match self.map.bridge(pixel) {
            Some(bridge) => bridge.slope[axis],
            None => rise(&self.slices.triangles[self.map.grounds[pixel as usize] as usize], axis),
        }
    }

    /// The height of a pixel's ground beside its middle, in lattice units.
    pub(crate) fn height_beside(&self, pixel: u32, away: [f64; 2]) -> f64 {
        self.map.height_with(pixel, self.slope(pixel), away)
    }

    /// The same, no higher or lower than a riser goes: its slope ends with it, and a pixel beyond its end
    /// that slope leads far off.
    pub(crate) fn height_within(&self, pixel: u32, away: [f64; 2]) -> f64 {
        let z = self.height_beside(pixel, away);
        if self.kind(pixel) != PixelKind::Steep {
            return z;
        }
        let triangle = &self.slices.triangles[self.map.grounds[pixel as usize] as usize];
        let [a, b, c] = triangle.corners.map(|p| f64::from(p[2]));
        z.clamp(a.min(b).min(c), a.max(b).max(c))
    }

    /// The line from the middle of a pixel to the next.
    pub(crate) fn line_from(&self, pixel: u32, direction: usize) -> PixelLine {
        let scales = self.scales;
        let (axis, sign) = (direction % 2, if direction < 2 { 1.0 } else { -1.0 });
        let (cell, within) = scales.split(pixel);
        let column = self.map.shape.columns[cell as usize];
        let last = if direction < 2 { scales.per_side - 1 } else { 0 };
        let leaves = within[axis] == last;
        let (corner, fine) = (scales.corner(column), i64::from(scales.fine));
        let middle = |k: usize| corner[k] + i64::from(within[k]) * fine + fine / 2;
        PixelLine {
            start: [middle(0), middle(1)],
            axis,
            sign,
            height: f64::from(self.map.heights[pixel as usize]),
            rise: self.rise(pixel, axis) * sign,
            column,
            within,
            next_column: if leaves { scales.columns_beside(column)[direction] } else { None },
        }
    }

    /// Whether nothing lies over a place between two heights.
    pub(crate) fn is_free(&self, place: FinePlace, [low, high]: [i64; 2]) -> bool {
        let (slices, scales) = (self.slices, self.scales);
        let Some((column, pixel)) = place.in_column(scales) else { return false };
        let between = Sought::between((low + 1) as f64, (high - 1) as f64);
        slices.faces_over(column, pixel, between).all(|face| {
            let triangle = &slices.triangles[face.triangle as usize];
            height_over_middle(triangle, column, pixel, scales)
                .is_none_or(|h| i64::from(h) <= low || i64::from(h) >= high)
        })
    }
}

impl Terrain<'_> {
    /// What a person would look at: a square for every pixel with ground, coloured by layer; one for
    /// a whole cell where all its pixels lie on one triangle.
    pub(crate) fn view(&self, frame: &Frame) -> StageView {
        let (map, scales) = (self.map, self.scales);
        let is_shown = |p: u32| map.has_ground(p);
        let mut view = StageView { up: frame.up(), ..StageView::default() };
        let per_cell = scales.pixels_per_cell() as u32;
        for cell in 0..map.shape.len() as u32 {
            let pixels = cell * per_cell..(cell + 1) * per_cell;
            let first = pixels.start;
            let same = |p: u32| {
                map.grounds[p as usize] == map.grounds[first as usize]
                    && self.kind(p) == self.kind(first)
            };
            let whole = pixels.clone().all(|p| is_shown(p) && same(p));
            let squares = if whole { first..first + 1 } else { pixels };
            let side = i64::from(scales.fine) * if whole { i64::from(scales.per_side) } else { 1 };
            view.faces
                .extend(squares.filter(|&p| is_shown(p)).map(|p| self.square(p, side, frame)));
        }
        view
    }

    /// A square on a pixel's ground from the pixel's lower corner on, by layer.
    pub(crate) fn square(&self, pixel: u32, side: i64, frame: &Frame) -> ViewFace {
        let middle = self.middle(pixel);
        let low = middle.map(|v| v - i64::from(self.scales.fine) / 2);
        let at = |dx: i64, dy: i64| {
            let p = [low[0] + dx * side, low[1] + dy * side];
            let away = [(p[0] - middle[0]) as f64, (p[1] - middle[1]) as f64];
            let z = self.height_beside(pixel, away);
            let p = DVec3::new(p[0] as f64, p[1] as f64, z) * M_PER_LATTICE;
            frame.user_from_canonical(p.to_array())
        };
        let is_bridge = self.kind(pixel) == PixelKind::Bridge;
        ViewFace {
            loops: vec![vec![at(0, 0), at(1, 0), at(1, 1), at(0, 1)]],
            triangles: Vec::new(),
            kind: if is_bridge { CellKind::Ramp } else { CellKind::Ground },
            area: AreaId(self.map.areas[pixel as usize]),
            component: Some(self.map.layer_of(pixel, self.scales)),
        }
    }
}
