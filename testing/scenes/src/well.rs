//! Flights through the wells of storeys.

use crate::soup::Soup;

/// A flight along +Z beside the outer wall, through the well above it.
pub(crate) struct WellFlight {
    /// The well's corners in plan, x and z.
    pub(crate) well: [[f64; 2]; 2],
    pub(crate) storey_m: f64,
    pub(crate) steps: u32,
    pub(crate) tread_m: f64,
}

impl WellFlight {
    /// Raises it from a floor at a height.
    pub(crate) fn raise(&self, soup: &mut Soup, y: f64) {
        let rise = self.storey_m / f64::from(self.steps);
        let [low, high] = self.well;
        let mut profile = Vec::new();
        for i in 0..self.steps - 1 {
            let (z, py) = (low[1] + f64::from(i) * self.tread_m, y + f64::from(i) * rise);
            profile.extend([[z, py], [z, py + rise]]);
        }
        let top = y + self.storey_m - rise;
        profile.extend([[high[1], top], [high[1], top - 0.25], [low[1] + self.tread_m, y]]);
        soup.extrude(&profile, |[z, py], far| [if far { high[0] } else { low[0] }, py, z]);
    }
}
