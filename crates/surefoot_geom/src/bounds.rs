//! The smallest box around something, in the user's frame.

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub low: [f64; 3],
    /// The greatest coordinates.
    pub high: [f64; 3],
}

impl Bounds {
    /// The box around nothing.
    pub const EMPTY: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    /// Whether it is the box around nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low[0] > self.high[0]
    }

    /// Makes room for a point.
    pub fn add_point(&mut self, point: [f64; 3]) {
        self.add(&Self { low: point, high: point });
    }

    /// Makes room for another box.
    pub fn add(&mut self, other: &Self) {
        for k in 0..3 {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_grows_around_points() {
        let mut bounds = Bounds::EMPTY;
        assert!(bounds.is_empty());
        bounds.add_point([1.0, -2.0, 3.0]);
        bounds.add_point([0.0, 5.0, 3.0]);
        bounds.add(&Bounds::EMPTY);
        assert_eq!(bounds, Bounds { low: [0.0, -2.0, 3.0], high: [1.0, 5.0, 3.0] });
    }
}
