//! Where a picture is taken from.
//!
//! A camera maps points to samples and to a *nearness* that is linear over the screen and grows
//! towards the eye: the reciprocal of the depth in perspective, the negated depth otherwise.

use glam::DVec3;

/// A camera over a grid of samples.
#[derive(Clone, Debug)]
pub(crate) struct Camera {
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    lens: Lens,
    /// Samples across and down.
    pub(crate) size: [usize; 2],
    /// Samples per unit of the lens's plane, and where its middle lies.
    scale: f64,
    middle: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Lens {
    Orthographic,
    Perspective,
}

/// A point seen through a camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Position in samples, y down.
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Grows towards the eye.
    pub(crate) near: f64,
}

impl Camera {
    /// Looks straight down (canonical Z is up, Y is up the page) at a box, with a margin in samples.
    pub(crate) fn from_above(low: DVec3, high: DVec3, size: [usize; 2], margin: f64) -> Self {
        let middle = (low + high) * 0.5;
        let mut camera = Self {
            eye: DVec3::new(middle.x, middle.y, high.z + 1.0),
            right: DVec3::X,
            up: DVec3::Y,
            forward: DVec3::NEG_Z,
            lens: Lens::Orthographic,
            size,
            scale: 1.0,
            middle: [0.0; 2],
        };
        camera.fit(low, high, margin);
        camera
    }

    /// Looks at a box along a direction without perspective.
    pub(crate) fn along(
        direction: DVec3,
        low: DVec3,
        high: DVec3,
        size: [usize; 2],
        margin: f64,
    ) -> Self {
        let away = (high - low).length() + 1.0;
        Self::looking(Lens::Orthographic, direction, away, [low, high], size, margin)
    }

    /// Looks at a box along a direction with perspective, from far enough to see all of it.
    pub(crate) fn towards(
        direction: DVec3,
        low: DVec3,
        high: DVec3,
        size: [usize; 2],
        margin: f64,
    ) -> Self {
        // Far enough for a calm perspective.
        let away = (high - low).length().max(1e-3) * 1.6;
        Self::looking(Lens::Perspective, direction, away, [low, high], size, margin)
    }

    /// Looks at the middle of a box along a direction, from so far away.
    fn looking(
        lens: Lens,
        direction: DVec3,
        away: f64,
        [low, high]: [DVec3; 2],
        size: [usize; 2],
        margin: f64,
    ) -> Self {
        let (right, up, forward) = axes(direction);
        let eye = (low + high) * 0.5 - forward * away;
        let mut camera = Self { eye, right, up, forward, lens, size, scale: 1.0, middle: [0.0; 2] };
        camera.fit(low, high, margin);
        camera
    }

    /// Chooses scale and middle so that the box fills the samples up to the margin.
    fn fit(&mut self, low: DVec3, high: DVec3, margin: f64) {
        let corners = (0..8).map(|corner| {
            let pick = |k: usize, a: f64, b: f64| if corner >> k & 1 == 0 { a } else { b };
            DVec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
        });
        self.fit_points(corners, margin);
    }

    /// Chooses scale and middle so that the points fill the samples up to the margin.
    pub(crate) fn fit_points(&mut self, points: impl Iterator<Item = DVec3>, margin: f64) {
        let mut least = [f64::INFINITY; 2];
        let mut most = [f64::NEG_INFINITY; 2];
        for p in points {
            let seen = self.plane(p);
            for k in 0..2 {
                least[k] = least[k].min(seen[k]);
                most[k] = most[k].max(seen[k]);
            }
        }
        if !(least[0] <= most[0] && least[1] <= most[1]) {
            return;
        }
        let room: [f64; 2] = std::array::from_fn(|k| (self.size[k] as f64 - 2.0 * margin).max(1.0));
        self.scale =
            (0..2).map(|k| room[k] / (most[k] - least[k]).max(1e-6)).fold(f64::INFINITY, f64::min);
        self.middle = std::array::from_fn(|k| (least[k] + most[k]) * 0.5);
    }

    /// The position on the lens's plane.
    fn plane(&self, p: DVec3) -> [f64; 2] {
        let v = p - self.eye;
        let (x, y) = (v.dot(self.right), v.dot(self.up));
        match self.lens {
            Lens::Orthographic => [x, y],
            Lens::Perspective => {
                let z = v.dot(self.forward).max(1e-9);
                [x / z, y / z]
            }
        }
    }

    /// Where a point is seen; `None` behind the eye.
    pub(crate) fn see(&self, p: DVec3) -> Option<Seen> {
        let z = (p - self.eye).dot(self.forward);
        let near = match self.lens {
            Lens::Orthographic => -z,
            Lens::Perspective if z > 1e-6 => 1.0 / z,
            Lens::Perspective => return None,
        };
        let [x, y] = self.plane(p);
        Some(Seen {
            x: (x - self.middle[0]) * self.scale + self.size[0] as f64 * 0.5,
            y: self.size[1] as f64 * 0.5 - (y - self.middle[1]) * self.scale,
            near,
        })
    }

    /// The point at a position in samples with a nearness.
    pub(crate) fn point_at(&self, x: f64, y: f64, near: f64) -> DVec3 {
        let u = (x - self.size[0] as f64 * 0.5) / self.scale + self.middle[0];
        let v = (self.size[1] as f64 * 0.5 - y) / self.scale + self.middle[1];
        match self.lens {
            Lens::Orthographic => self.eye + self.right * u + self.up * v - self.forward * near,
            Lens::Perspective => (self.right * u + self.up * v + self.forward) / near + self.eye,
        }
    }

    /// From a point towards the eye, a unit vector.
    pub(crate) fn towards_eye(&self, p: DVec3) -> DVec3 {
        match self.lens {
            Lens::Orthographic => -self.forward,
            Lens::Perspective => (self.eye - p).normalize_or(-self.forward),
        }
    }

    /// How many samples a metre takes at a point.
    pub(crate) fn samples_per_m(&self, p: DVec3) -> f64 {
        match self.lens {
            Lens::Orthographic => self.scale,
            Lens::Perspective => self.scale / (p - self.eye).dot(self.forward).max(1e-6),
        }
    }
}

/// Right, up and forward of a direction that is not vertical; Y up the page where it is.
fn axes(direction: DVec3) -> (DVec3, DVec3, DVec3) {
    let forward = direction.normalize_or(DVec3::NEG_Z);
    let right = forward.cross(DVec3::Z).normalize_or(DVec3::X);
    (right, right.cross(forward), forward)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_fits_the_picture_and_points_come_back() {
        let (low, high) = (DVec3::new(-3.0, 2.0, 0.0), DVec3::new(9.0, 6.0, 2.5));
        for camera in [
            Camera::from_above(low, high, [400, 300], 10.0),
            Camera::towards(DVec3::new(1.0, 2.0, -1.5), low, high, [400, 300], 10.0),
            Camera::along(DVec3::new(1.0, -2.0, -1.5), low, high, [400, 300], 10.0),
        ] {
            let mut touched = false;
            for corner in [low, high, DVec3::new(low.x, high.y, low.z)] {
                let s = camera.see(corner).unwrap();
                assert!((9.9..390.1).contains(&s.x) && (9.9..290.1).contains(&s.y));
                touched |= s.x < 40.0 || s.x > 360.0;
                let back = camera.point_at(s.x, s.y, s.near);
                assert!((back - corner).length() < 1e-9, "{back} {corner}");
            }
            assert!(touched, "the box fills the picture");
        }
    }

    #[test]
    fn nearer_points_have_more_nearness() {
        let (low, high) = (DVec3::ZERO, DVec3::splat(4.0));
        for camera in [
            Camera::from_above(low, high, [64, 64], 2.0),
            Camera::towards(DVec3::new(0.2, 0.3, -1.0), low, high, [64, 64], 2.0),
        ] {
            let floor = camera.see(DVec3::new(2.0, 2.0, 0.0)).unwrap();
            let roof = camera.see(DVec3::new(2.0, 2.0, 4.0)).unwrap();
            assert!(roof.near > floor.near);
        }
    }
}
