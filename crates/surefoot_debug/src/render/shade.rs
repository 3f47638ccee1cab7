//! Light: a sun with shadows, a sky, and less light in corners.
//!
//! In: what every sample sees. Out: a colour for every sample. Shadows follow the shadow-map
//! method, corners are darkened by screen-space ambient occlusion with sixteen looks around each
//! sample; both are worked out from the buffers alone.

use super::camera::Camera;
use super::raster::{Buffer, NOTHING, Sides, rasterize};
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_8;

/// Turns that spread evenly, however many there are.
const GOLDEN_ANGLE_RAD: f64 = 2.399_963;

/// A colour on a linear scale, with room above one.
pub(crate) type Light = [f32; 3];

/// The sun's shadow map.
pub(crate) struct Sun {
    direction: DVec3,
    camera: Camera,
    buffer: Buffer,
    /// How far behind a surface a shadow begins, in nearness (metres here).
    slack: f64,
}

impl Sun {
    /// Light that falls along a direction onto triangles within a box.
    pub(crate) fn new(
        direction: DVec3,
        low: DVec3,
        high: DVec3,
        triangles: &[[DVec3; 3]],
        cut_z: f64,
    ) -> Self {
        let direction = direction.normalize_or(DVec3::NEG_Z);
        let camera = Camera::along(direction, low, high, [2048, 2048], 4.0);
        // What the sun sees from behind is a ceiling that the picture leaves out as well.
        let buffer = rasterize(&camera, triangles, Sides::Front, cut_z);
        let slack = 3.0 / camera.samples_per_m(low).max(1e-6);
        Self { direction, camera, buffer, slack }
    }

    /// How much sun reaches a point, from 0 to 1.
    fn reaches(&self, p: DVec3, normal: DVec3) -> f32 {
        let Some(seen) = self.camera.see(p + normal * self.slack) else { return 1.0 };
        let mut lit = 0.0;
        for (dx, dy) in [(-0.7, -0.4), (0.4, -0.7), (0.7, 0.4), (-0.4, 0.7), (0.0, 0.0)] {
            let (x, y) = (seen.x + dx * 1.6, seen.y + dy * 1.6);
            let inside = x >= 0.0
                && y >= 0.0
                && (x as usize) < self.buffer.size[0]
                && (y as usize) < self.buffer.size[1];
            if !inside {
                lit += 0.2;
                continue;
            }
            let i = y as usize * self.buffer.size[0] + x as usize;
            if f64::from(self.buffer.near[i]) <= seen.near + self.slack {
                lit += 0.2;
            }
        }
        lit
    }
}

/// A surface's colour under sun and sky, before shadows in corners.
pub(crate) fn light(sun: &Sun, colour: Light, p: DVec3, normal: DVec3) -> Light {
    let facing = (-sun.direction.dot(normal)).max(0.0) as f32;
    let sky = 0.5 + 0.5 * normal.z as f32;
    let lit = if facing > 0.0 { sun.reaches(p, normal) * facing } else { 0.0 };
    let warm = [1.0, 0.97, 0.91];
    let cool = [0.86, 0.93, 1.0];
    std::array::from_fn(|k| colour[k] * (warm[k] * 0.55 * lit + cool[k] * (0.34 + 0.27 * sky)))
}

/// How open the surroundings are, from 0 (closed) to 1, on a grid coarser than the samples.
pub(crate) struct Openness {
    stride: usize,
    width: usize,
    values: Vec<f32>,
}

impl Openness {
    /// The value for a sample.
    pub(crate) fn at(&self, x: usize, y: usize) -> f32 {
        self.values[y / self.stride * self.width + x / self.stride]
    }
}

/// Looks around every `stride`-th sample, `radius_m` far.
pub(crate) fn openness(
    camera: &Camera,
    buffer: &Buffer,
    normal_of: impl Fn(u32) -> DVec3 + Sync,
    radius_m: f64,
    stride: usize,
) -> Openness {
    let size = buffer.size;
    let [width, height] = size.map(|s| s.div_ceil(stride).max(1));
    // Looks are turned from place to place in a pattern of 4 × 4 that the blur evens out.
    let looks: Vec<[[f64; 2]; 16]> = (0..16)
        .map(|turn| {
            std::array::from_fn(|k| {
                let angle = f64::from(turn) * FRAC_PI_8 + k as f64 * GOLDEN_ANGLE_RAD;
                let r = (k as f64 + 0.5) / 16.0;
                [r * angle.cos(), r * angle.sin()]
            })
        })
        .collect();
    let sample = |x: usize, y: usize| {
        (y * stride).min(size[1].saturating_sub(1)) * size[0]
            + (x * stride).min(size[0].saturating_sub(1))
    };
    let mut raw = vec![1.0_f32; width * height];
    raw.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let i = sample(x, y);
            let Some(&triangle) = buffer.triangle.get(i).filter(|&&t| t != NOTHING) else {
                continue;
            };
            let (sx, sy) = ((x * stride) as f64 + 0.5, (y * stride) as f64 + 0.5);
            let p = camera.point_at(sx, sy, f64::from(buffer.near[i]));
            let mut n = normal_of(triangle);
            if n.dot(camera.towards_eye(p)) < 0.0 {
                n = -n;
            }
            let reach = (camera.samples_per_m(p) * radius_m).clamp(2.0, 160.0);
            let mut closed = 0.0;
            for look in &looks[(x & 3) * 4 + (y & 3)] {
                let (qx, qy) = (sx + reach * look[0], sy + reach * look[1]);
                if qx < 0.0 || qy < 0.0 || qx >= size[0] as f64 || qy >= size[1] as f64 {
                    continue;
                }
                let j = qy as usize * size[0] + qx as usize;
                if buffer.triangle[j] == NOTHING {
                    continue;
                }
                let v = camera.point_at(qx, qy, f64::from(buffer.near[j])) - p;
                let d = v.length();
                let rise = v.dot(n) / d.max(1e-9);
                if rise > 0.08 && d < radius_m * 2.0 {
                    closed += rise.min(0.8) * (1.0 - d / (radius_m * 2.0));
                }
            }
            *out = (1.0 - closed / 16.0 * 2.2).clamp(0.25, 1.0) as f32;
        }
    });
    // Even out over 4 × 4 places of about the same nearness.
    let mut values = vec![1.0_f32; width * height];
    values.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let Some(&near) = buffer.near.get(sample(x, y)) else { continue };
            let (mut sum, mut n) = (0.0, 0.0);
            for j in y.saturating_sub(2)..(y + 2).min(height) {
                for i in x.saturating_sub(2)..(x + 2).min(width) {
                    if (buffer.near[sample(i, j)] - near).abs() <= near.abs() * 0.01 + 1e-6 {
                        sum += raw[j * width + i];
                        n += 1.0;
                    }
                }
            }
            *out = if n > 0.0 { sum / n } else { raw[y * width + x] };
        }
    });
    Openness { stride, width, values }
}

/// A linear colour from sRGB.
pub(crate) fn from_srgb(colour: [u8; 3]) -> Light {
    colour.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// sRGB from a linear colour.
pub(crate) fn to_srgb(light: Light) -> [u8; 3] {
    light.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let s = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (s * 255.0).round() as u8
    })
}

/// Lays a colour over another.
pub(crate) fn over(below: Light, above: Light, share: f32) -> Light {
    std::array::from_fn(|k| below[k] + (above[k] - below[k]) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_survive_the_way_to_linear_and_back() {
        for c in 0..=255_u8 {
            assert_eq!(to_srgb(from_srgb([c; 3])), [c; 3]);
        }
    }

    #[test]
    fn a_roof_keeps_the_sun_off_the_floor() {
        let at = |z: f64, s: f64| {
            [DVec3::new(-s, -s, z), DVec3::new(3.0 * s, -s, z), DVec3::new(-s, 3.0 * s, z)]
        };
        let triangles = [at(0.0, 10.0), at(3.0, 1.0)];
        let (low, high) = (DVec3::new(-10.0, -10.0, 0.0), DVec3::new(10.0, 10.0, 3.0));
        let sun = Sun::new(DVec3::NEG_Z, low, high, &triangles, f64::INFINITY);
        let under = light(&sun, [1.0; 3], DVec3::new(-0.5, -0.5, 0.0), DVec3::Z);
        let beside = light(&sun, [1.0; 3], DVec3::new(-6.0, -6.0, 0.0), DVec3::Z);
        assert!(under[0] < beside[0] * 0.7);
    }
}
