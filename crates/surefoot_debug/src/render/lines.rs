//! Lines of a given width in samples, tested against what is already there.

use super::camera::Camera;
use super::raster::Buffer;
use super::shade::{Light, over};
use glam::DVec3;

/// How a line looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    pub(crate) colour: Light,
    /// Half the width, in samples.
    pub(crate) half_width: f64,
    /// How much of the colour is laid on where the line can be seen.
    pub(crate) share: f32,
    /// How much is laid on where something stands before it.
    pub(crate) hidden_share: f32,
}

/// Lines are gathered in a mask first, so that where the parts of one line meet nothing is laid on
/// twice.
pub(crate) struct LineMask {
    size: [usize; 2],
    mask: Vec<u8>,
    touched: Vec<u32>,
}

const SEEN: u8 = 2;
const HIDDEN: u8 = 1;

impl LineMask {
    pub(crate) fn new(size: [usize; 2]) -> Self {
        Self { size, mask: vec![0; size[0] * size[1]], touched: Vec::new() }
    }

    /// Adds a line with round ends. `slack_m` is how far behind a surface it may lie and be seen.
    pub(crate) fn add(
        &mut self,
        camera: &Camera,
        before: &Buffer,
        from: DVec3,
        to: DVec3,
        half_width: f64,
        slack_m: f64,
    ) {
        let lift = |p: DVec3| p + camera.towards_eye(p) * slack_m;
        let (Some(a), Some(b)) = (camera.see(lift(from)), camera.see(lift(to))) else { return };
        if ![a.x, a.y, b.x, b.y].iter().all(|c| c.abs() < 1e6) {
            return;
        }
        let [width, height] = self.size;
        if width == 0 || height == 0 {
            return;
        }
        let row = |y: f64| y.floor().clamp(0.0, height as f64 - 1.0) as usize;
        let column = |x: f64| x.floor().clamp(0.0, width as f64 - 1.0) as usize;
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let length2 = dx * dx + dy * dy;
        for y in row(a.y.min(b.y) - half_width)..=row(a.y.max(b.y) + half_width) {
            let sy = y as f64 + 0.5;
            // The part of the row that the line's strip can reach.
            let (mut low, mut high) = (a.x.min(b.x), a.x.max(b.x));
            if dy.abs() > 1e-9 {
                let reach = half_width * (1.0 + (dx / dy).abs());
                let at = a.x + dx * (sy - a.y) / dy;
                low = low.max(at - reach);
                high = high.min(at + reach);
            }
            if low - half_width > high + half_width {
                continue;
            }
            for x in column(low - half_width)..=column(high + half_width) {
                let sx = x as f64 + 0.5;
                let t = if length2 > 0.0 {
                    (((sx - a.x) * dx + (sy - a.y) * dy) / length2).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let (ex, ey) = (sx - a.x - dx * t, sy - a.y - dy * t);
                if ex * ex + ey * ey > half_width * half_width {
                    continue;
                }
                let i = y * width + x;
                let near = a.near + (b.near - a.near) * t;
                let state = if near as f32 >= before.near[i] { SEEN } else { HIDDEN };
                if self.mask[i] == 0 {
                    self.touched.push(i as u32);
                }
                self.mask[i] = self.mask[i].max(state);
            }
        }
    }

    /// Lays the gathered lines onto a picture and forgets them.
    pub(crate) fn lay(&mut self, picture: &mut [Light], pen: &Pen) {
        for i in self.touched.drain(..) {
            let i = i as usize;
            let share = if self.mask[i] == SEEN { pen.share } else { pen.hidden_share };
            picture[i] = over(picture[i], pen.colour, share);
            self.mask[i] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::{Sides, rasterize};
    use super::*;

    #[test]
    fn lines_are_as_wide_as_asked_and_hide_behind_things() {
        let camera = Camera::from_above(DVec3::ZERO, DVec3::splat(1.0), [100, 100], 0.0);
        let roof =
            [DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.5, 0.0, 1.0), DVec3::new(0.5, 1.0, 1.0)];
        let cover = [roof, [roof[0], roof[2], DVec3::new(0.0, 1.0, 1.0)]];
        let before = rasterize(&camera, &cover, Sides::Front, f64::INFINITY);
        let mut mask = LineMask::new([100, 100]);
        let (from, to) = (DVec3::new(0.1, 0.5, 0.5), DVec3::new(0.9, 0.5, 0.5));
        mask.add(&camera, &before, from, to, 3.0, 0.0);
        let mut picture = vec![[0.0; 3]; 100 * 100];
        let pen = Pen { colour: [1.0; 3], half_width: 3.0, share: 1.0, hidden_share: 0.25 };
        mask.lay(&mut picture, &pen);
        let column = |x: usize| {
            (0..100).map(|y| picture[y * 100 + x][0]).filter(|&v| v > 0.0).collect::<Vec<_>>()
        };
        assert_eq!(column(70), vec![1.0; 6]);
        assert_eq!(column(30), vec![0.25; 6]);
        assert!(column(5).is_empty());
    }
}
