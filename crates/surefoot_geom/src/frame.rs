//! Between the user's frame and the canonical one.
//!
//! Geometry is worked on with Z up, in metres, around an origin near the scene. A [`Frame`] is the
//! rotation that takes the user's up there, and the origin. For an up along an axis the rotation is
//! a signed permutation, so it loses nothing. Only square roots are used, so a frame is the same on
//! every machine.

use glam::DVec3;
use thiserror::Error;

/// The canonical frame of one scene: Z up, metres, horizontal axes right-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The canonical axes, as unit vectors of the user's frame.
    axes: [DVec3; 3],
    /// The canonical origin, in rotated coordinates.
    origin: DVec3,
}

/// An up direction that is none.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("the up direction ({}, {}, {}) has no direction; give three finite numbers that are not all zero", up[0], up[1], up[2])]
pub struct FrameError {
    /// The direction given.
    pub up: [f64; 3],
}

impl Frame {
    /// A frame whose up is the given direction of the user's frame (any length), with its origin at
    /// the user's origin. Y up gives canonical (x, -z, y).
    pub fn with_up(up: [f64; 3]) -> Result<Self, FrameError> {
        let scale = up.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if !(scale > 0.0 && scale.is_finite() && up.iter().all(|c| c.is_finite())) {
            return Err(FrameError { up });
        }
        let z = (DVec3::from(up) / scale).normalize();
        // The helper axis is the user's X unless up is near it. For an up along an axis the cross
        // products have a single non-zero term, so the axes come out as exact unit vectors.
        let helper = if z.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let x = (helper - z * z.dot(helper)).normalize();
        let y = z.cross(x);
        Ok(Self { axes: [x, y, z], origin: DVec3::ZERO })
    }

    /// The same rotation around another origin, given in canonical coordinates of `self`.
    #[must_use]
    pub fn moved_to(mut self, origin_in_self: [f64; 3]) -> Self {
        self.origin += DVec3::from(origin_in_self);
        self
    }

    /// A point of the user's frame, in canonical coordinates.
    #[inline]
    #[must_use]
    pub fn canonical_from_user(&self, p: [f64; 3]) -> [f64; 3] {
        (self.turned(p) - self.origin).to_array()
    }

    /// A direction of the user's frame, in canonical coordinates.
    #[must_use]
    pub fn canonical_direction(&self, d: [f64; 3]) -> [f64; 3] {
        self.turned(d).to_array()
    }

    fn turned(&self, d: [f64; 3]) -> DVec3 {
        let d = DVec3::from(d);
        DVec3::new(d.dot(self.axes[0]), d.dot(self.axes[1]), d.dot(self.axes[2]))
    }

    /// A point in canonical coordinates, in the user's frame.
    #[must_use]
    pub fn user_from_canonical(&self, p: [f64; 3]) -> [f64; 3] {
        let p = DVec3::from(p) + self.origin;
        (self.axes[0] * p.x + self.axes[1] * p.y + self.axes[2] * p.z).to_array()
    }

    /// The up direction in the user's frame, a unit vector.
    #[must_use]
    pub fn up(&self) -> [f64; 3] {
        self.axes[2].to_array()
    }

    /// The canonical axes, as unit vectors of the user's frame.
    #[must_use]
    pub fn axes(&self) -> [[f64; 3]; 3] {
        self.axes.map(|a| a.to_array())
    }

    /// The canonical origin, in rotated coordinates.
    #[must_use]
    pub fn origin(&self) -> [f64; 3] {
        self.origin.to_array()
    }

    /// A frame from stored parts; `None` unless the axes are finite, of unit length, at right
    /// angles and right-handed (each within 1e-9) and the origin is finite.
    #[must_use]
    pub fn from_parts(axes: [[f64; 3]; 3], origin: [f64; 3]) -> Option<Self> {
        let axes = axes.map(DVec3::from);
        let origin = DVec3::from(origin);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let sound = origin.is_finite()
            && axes.iter().all(|a| close(a.length(), 1.0))
            && close(axes[0].dot(axes[1]), 0.0)
            && (axes[0].cross(axes[1]) - axes[2]).length() < 1e-9;
        sound.then_some(Self { axes, origin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A permutation rounds nothing, so the numbers are equal to the last bit.
    #[allow(clippy::float_cmp)]
    #[test]
    fn an_up_along_an_axis_is_a_signed_permutation() {
        for (up, point, want) in [
            ([0.0, 1.0, 0.0], [1.0, 2.0, 3.0], [1.0, -3.0, 2.0]),
            ([0.0, 0.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
            ([0.0, -1.0, 0.0], [1.0, 2.0, 3.0], [1.0, 3.0, -2.0]),
            ([1.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 3.0, 1.0]),
            ([-4.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, -3.0, -1.0]),
        ] {
            let f = Frame::with_up(up).unwrap();
            assert_eq!(f.canonical_from_user(point), want, "up {up:?}");
            assert_eq!(f.user_from_canonical(want), point);
        }
    }

    #[test]
    fn any_up_comes_back() {
        let f = Frame::with_up([0.3, -0.7, 0.2]).unwrap().moved_to([5.0, 6.0, 7.0]);
        let p = [12.5, -3.0, 99.0];
        let q = f.user_from_canonical(f.canonical_from_user(p));
        assert!(p.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(Frame::from_parts(f.axes(), f.origin()), Some(f));
    }

    #[test]
    fn no_direction_is_refused() {
        for up in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
            assert!(Frame::with_up(up).is_err());
        }
    }
}
