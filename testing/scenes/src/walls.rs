//! Straight walls with doors and windows, and the slabs between storeys, as boxes that abut without
//! overlapping.

use crate::soup::Soup;

/// The horizontal axis along which something runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    /// Along +X.
    X,
    /// Along +Z.
    Z,
}

impl Along {
    /// A point from its coordinate along the axis and across it.
    pub(crate) fn point(self, along: f64, y: f64, across: f64) -> [f64; 3] {
        match self {
            Self::X => [along, y, across],
            Self::Z => [across, y, along],
        }
    }

    /// A box between two corners given along, up and across.
    pub(crate) fn block(self, soup: &mut Soup, low: [f64; 3], high: [f64; 3]) {
        soup.block(self.point(low[0], low[1], low[2]), self.point(high[0], high[1], high[2]));
    }
}

/// A hole in a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// Its middle, along the wall's axis.
    pub(crate) at: f64,
    /// Clear width, in metres.
    pub(crate) width_m: f64,
    /// Height of its lower edge over the wall's base; zero for a door.
    pub(crate) sill_m: f64,
    /// Height of its upper edge over the wall's base.
    pub(crate) head_m: f64,
}

impl Opening {
    /// A doorway.
    pub(crate) fn door(at: f64, width_m: f64) -> Self {
        Self { at, width_m, sill_m: 0.0, head_m: 2.1 }
    }

    /// A window.
    pub(crate) fn window(at: f64, width_m: f64) -> Self {
        Self { at, width_m, sill_m: 0.9, head_m: 2.1 }
    }
}

/// An upright wall along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall {
    /// The axis it runs along.
    pub(crate) along: Along,
    /// Where it begins and ends along the axis.
    pub(crate) span: [f64; 2],
    /// Its two faces, across the axis.
    pub(crate) faces: [f64; 2],
    /// Its lower and upper end.
    pub(crate) heights: [f64; 2],
}

impl Wall {
    /// Builds the wall around its openings, which must not overlap and come in order.
    pub(crate) fn raise(&self, soup: &mut Soup, openings: &[Opening]) {
        let [base, top] = self.heights;
        let mut piece = |from: f64, to: f64, low: f64, high: f64| {
            if to > from && high > low {
                let [near, far] = self.faces;
                self.along.block(soup, [from, low, near], [to, high, far]);
            }
        };
        let mut from = self.span[0];
        for o in openings {
            let (left, right) = (o.at - 0.5 * o.width_m, o.at + 0.5 * o.width_m);
            piece(from, left, base, top);
            piece(left, right, base, base + o.sill_m);
            piece(left, right, base + o.head_m, top);
            from = right;
        }
        piece(from, self.span[1], base, top);
    }
}

/// A horizontal slab with a rectangular well, as up to four boxes around it. Rectangles are
/// `[[low x, low z], [high x, high z]]`.
pub(crate) fn slab_around(
    soup: &mut Soup,
    [low, high]: [[f64; 2]; 2],
    [well_low, well_high]: [[f64; 2]; 2],
    [bottom, top]: [f64; 2],
) {
    let mut piece = |x0: f64, x1: f64, z0: f64, z1: f64| {
        if x1 > x0 && z1 > z0 {
            soup.block([x0, bottom, z0], [x1, top, z1]);
        }
    };
    piece(low[0], high[0], low[1], well_low[1]);
    piece(low[0], well_low[0], well_low[1], well_high[1]);
    piece(well_high[0], high[0], well_low[1], well_high[1]);
    piece(low[0], high[0], well_high[1], high[1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soup::{signed_volume, unmatched_edges};

    #[test]
    fn openings_are_left_out_of_the_wall() {
        for along in [Along::X, Along::Z] {
            let mut soup = Soup::new();
            let wall = Wall { along, span: [0.0, 10.0], faces: [1.0, 1.5], heights: [2.0, 5.0] };
            wall.raise(&mut soup, &[Opening::door(2.0, 1.0), Opening::window(6.0, 2.0)]);
            assert_eq!(unmatched_edges(&soup.triangles), 0);
            let volume = signed_volume(&soup.triangles) / 6.0;
            assert!((volume - 0.5 * (30.0 - 2.1 - 2.4)).abs() < 1e-4, "{volume}");
        }
    }

    #[test]
    fn a_well_is_left_out_of_the_slab() {
        let mut soup = Soup::new();
        slab_around(&mut soup, [[0.0; 2], [6.0, 5.0]], [[1.0, 1.0], [3.0, 4.0]], [2.8, 3.0]);
        let volume = signed_volume(&soup.triangles) / 6.0;
        assert!((volume - 0.2 * 24.0).abs() < 1e-4, "{volume}");
    }
}
