//! Rays against triangles.
//!
//! The test is that of Woop, Benthin and Wald, "Watertight ray/triangle intersection" (2013), in
//! `f64`, with signs that are exact for the sheared coordinates, so that it needs no second
//! precision to fall back to.

use glam::DVec3;

/// Where a ray met a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The triangle's index in the input.
    pub id: u32,
    /// The ray's parameter: the point is `origin + t direction`.
    pub t: f64,
}

/// A ray made ready for the watertight triangle test.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
    /// The axes in the order in which the ray looks along the last one.
    axes: [usize; 3],
    shear: DVec3,
}

impl Ray {
    /// A ray; `None` unless it is finite and has a direction.
    #[must_use]
    pub fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let size = direction.abs();
        if !(origin.is_finite() && direction.is_finite() && size.max_element() > 0.0) {
            return None;
        }
        let z = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let shear = DVec3::new(direction[x] / direction[z], direction[y] / direction[z], {
            1.0 / direction[z]
        });
        shear.is_finite().then_some(Self { origin, direction, axes: [x, y, z], shear })
    }

    /// The direction it was made with.
    #[must_use]
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// Where the ray is at a parameter.
    #[must_use]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }

    /// The parameter `t` ≥ 0 at which the ray meets a triangle, from either side; edges and corners
    /// belong to it. A triangle seen edge-on is not met.
    #[must_use]
    pub fn meet(&self, corners: &[DVec3; 3]) -> Option<f64> {
        let [x, y, z] = self.axes;
        // Each corner's position beside the ray depends on that corner alone, and the signs below
        // are exact for those positions: two triangles that share an edge see it alike.
        let [a, b, c] = corners.map(|p| {
            let p = p - self.origin;
            DVec3::new(p[x] - self.shear.x * p[z], p[y] - self.shear.y * p[z], self.shear.z * p[z])
        });
        let (u, v, w) = (turn(c, b), turn(a, c), turn(b, a));
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let sum = u + v + w;
        if sum.abs() <= 0.0 || sum.is_nan() {
            return None;
        }
        let t = (u / sum) * a.z + (v / sum) * b.z + (w / sum) * c.z;
        (t >= 0.0).then_some(t)
    }
}

/// The cross product of two plan vectors, with an exact sign.
pub(super) fn turn(p: DVec3, q: DVec3) -> f64 {
    let (left, right) = (p.x * q.y, p.y * q.x);
    let difference = left - right;
    // Rounding keeps order: products that differ after rounding differ the same way before it.
    if difference.abs() > 0.0 {
        return difference;
    }
    p.x.mul_add(q.y, -left) - p.y.mul_add(q.x, -right)
}
