//! Triangles into samples: for every sample the nearest triangle, and how near it is.
//!
//! Corners are rounded to a sixteenth of a sample and edges are tested in whole numbers with the
//! top-left rule, so that neighbours leave no gap and share no sample. The picture is cut into
//! bands that are filled on several threads; a sample's winner depends on nearness and, for equal
//! nearness, on the triangle's number, never on the thread.

use super::camera::{Camera, Seen};
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::ByKey;

/// In a [`Buffer`]: nothing is seen here.
pub(crate) const NOTHING: u32 = u32::MAX;

const STEPS: f64 = 16.0;
const BAND_ROWS: usize = 32;

/// What is nearest at every sample.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) size: [usize; 2],
    /// The triangle, or [`NOTHING`].
    pub(crate) triangle: Vec<u32>,
    /// Its nearness; negative infinity where there is nothing.
    pub(crate) near: Vec<f32>,
}

/// Which sides of triangles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    Front,
    Both,
}

/// A triangle on the screen.
#[derive(Clone, Copy)]
struct Flat {
    id: u32,
    /// Corners in sixteenths of a sample, turning so that the inside lies on the positive side.
    x: [i64; 3],
    y: [i64; 3],
    /// Nearness as a plane over the screen: at the first corner, and per sample across and down.
    near: [f64; 3],
    rows: [usize; 2],
}

/// Draws triangles seen by a camera. Parts higher than `cut_z` are left out.
pub(crate) fn rasterize(
    camera: &Camera,
    corners: &[[DVec3; 3]],
    sides: Sides,
    cut_z: f64,
) -> Buffer {
    let size = camera.size;
    let flats: Vec<Flat> = corners
        .par_iter()
        .enumerate()
        .filter_map(|(id, t)| flatten(camera, id as u32, t, sides, cut_z))
        .collect();
    let crossed = |f: &Flat| corners[f.id as usize].iter().any(|p| p.z > cut_z);

    // Which triangles touch which band, in order of their numbers.
    let bands = size[1].div_ceil(BAND_ROWS).max(1);
    let over_bands = flats.iter().zip(0..).flat_map(|(f, i)| {
        (f.rows[0] / BAND_ROWS..=f.rows[1] / BAND_ROWS).map(move |band| (band, i))
    });
    let members = ByKey::<u32>::sort(bands, over_bands);

    let mut triangle = vec![NOTHING; size[0] * size[1]];
    let mut near = vec![f32::NEG_INFINITY; size[0] * size[1]];
    let chunk = size[0] * BAND_ROWS;
    if chunk > 0 {
        triangle.par_chunks_mut(chunk).zip(near.par_chunks_mut(chunk)).enumerate().for_each(
            |(band, (triangle, near))| {
                let top = band * BAND_ROWS;
                let mut part = Band { camera, width: size[0], top, triangle, near, cut_z };
                for &i in members.of(band) {
                    let flat = &flats[i as usize];
                    part.fill(flat, crossed(flat));
                }
            },
        );
    }
    Buffer { size, triangle, near }
}

/// Puts a triangle on the screen; `None` when nothing of it can be seen.
fn flatten(
    camera: &Camera,
    id: u32,
    corners: &[DVec3; 3],
    sides: Sides,
    cut_z: f64,
) -> Option<Flat> {
    if corners.iter().all(|p| p.z > cut_z) {
        return None;
    }
    let mut seen: [Seen; 3] =
        [camera.see(corners[0])?, camera.see(corners[1])?, camera.see(corners[2])?];
    // Far beyond the picture the whole numbers would overflow; a fitted camera never gets there.
    if seen.iter().any(|s| !(s.x.abs() < 1e6 && s.y.abs() < 1e6)) {
        return None;
    }
    let turn = |s: &[Seen; 3]| {
        (s[1].x - s[0].x) * (s[2].y - s[0].y) - (s[2].x - s[0].x) * (s[1].y - s[0].y)
    };
    // Rows run down the screen, so that a triangle seen from its front turns negatively.
    let mut area = turn(&seen);
    if area < 0.0 {
        seen.swap(1, 2);
        area = -area;
    } else if sides == Sides::Front {
        return None;
    }
    if area < 1e-12 {
        return None;
    }
    let low = seen.iter().fold(f64::INFINITY, |m, s| m.min(s.y)).floor();
    let high = seen.iter().fold(f64::NEG_INFINITY, |m, s| m.max(s.y)).ceil();
    if high < 0.0 || low >= camera.size[1] as f64 {
        return None;
    }
    let last_row = camera.size[1].checked_sub(1)?;
    let rows = [low.max(0.0) as usize, (high.max(0.0) as usize).min(last_row)];
    let (d1, d2) = (seen[1].near - seen[0].near, seen[2].near - seen[0].near);
    let across = (d1 * (seen[2].y - seen[0].y) - d2 * (seen[1].y - seen[0].y)) / area;
    let down = (d2 * (seen[1].x - seen[0].x) - d1 * (seen[2].x - seen[0].x)) / area;
    let base = seen[0].near - across * seen[0].x - down * seen[0].y;
    Some(Flat {
        id,
        x: seen.map(|s| (s.x * STEPS).round() as i64),
        y: seen.map(|s| (s.y * STEPS).round() as i64),
        near: [base, across, down],
        rows,
    })
}

struct Band<'a> {
    camera: &'a Camera,
    width: usize,
    top: usize,
    triangle: &'a mut [u32],
    near: &'a mut [f32],
    cut_z: f64,
}

impl Band<'_> {
    fn fill(&mut self, f: &Flat, crosses_cut: bool) {
        let steps = STEPS as i64;
        let rows = self.triangle.len() / self.width;
        let column = |v: i64| v.div_euclid(steps).clamp(0, self.width as i64 - 1) as usize;
        let x0 = column(f.x.iter().copied().min().unwrap_or(0));
        let x1 = column(f.x.iter().copied().max().unwrap_or(0));
        let y0 = f.rows[0].max(self.top);
        let y1 = f.rows[1].min(self.top + rows - 1);
        // An edge function is positive inside; samples lie at the middle of their squares.
        let mut at = [0_i64; 3];
        let mut step = [[0_i64; 2]; 3];
        for e in 0..3 {
            let (a, b) = (e, (e + 1) % 3);
            let (dx, dy) = (f.x[b] - f.x[a], f.y[b] - f.y[a]);
            let (px, py) =
                (x0 as i64 * steps + steps / 2 - f.x[a], y0 as i64 * steps + steps / 2 - f.y[a]);
            at[e] = dx * py - dy * px;
            step[e] = [-dy * steps, dx * steps];
            let top_left = dy < 0 || (dy == 0 && dx > 0);
            if !top_left {
                at[e] -= 1;
            }
        }
        for y in y0..=y1 {
            let row = (y - self.top) * self.width;
            let mut w = at;
            let near_row = f.near[0] + f.near[2] * (y as f64 + 0.5);
            for x in x0..=x1 {
                if w[0] | w[1] | w[2] >= 0 {
                    let near = near_row + f.near[1] * (x as f64 + 0.5);
                    let i = row + x;
                    if near as f32 > self.near[i]
                        && !(crosses_cut
                            && self.camera.point_at(x as f64 + 0.5, y as f64 + 0.5, near).z
                                > self.cut_z)
                    {
                        self.near[i] = near as f32;
                        self.triangle[i] = f.id;
                    }
                }
                for e in 0..3 {
                    w[e] += step[e][0];
                }
            }
            for e in 0..3 {
                at[e] += step[e][1];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(size: usize) -> Camera {
        Camera::from_above(DVec3::ZERO, DVec3::new(1.0, 1.0, 1.0), [size, size], 0.0)
    }

    #[test]
    fn two_halves_of_a_square_cover_every_sample_once() {
        let (a, b, c, d) = (
            DVec3::new(0.0, 0.0, 0.5),
            DVec3::new(1.0, 0.0, 0.5),
            DVec3::new(1.0, 1.0, 0.5),
            DVec3::new(0.0, 1.0, 0.5),
        );
        for size in [1, 7, 64, 100] {
            let counts = |t: &[[DVec3; 3]]| {
                rasterize(&camera(size), t, Sides::Front, f64::INFINITY)
                    .triangle
                    .iter()
                    .filter(|&&t| t != NOTHING)
                    .count()
            };
            let both = counts(&[[a, b, c], [a, c, d]]);
            assert_eq!(both, size * size);
            assert_eq!(counts(&[[a, b, c]]) + counts(&[[a, c, d]]), both);
        }
    }

    #[test]
    fn the_nearest_wins_and_backs_are_hidden() {
        let at =
            |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(3.0, 0.0, z), DVec3::new(0.0, 3.0, z)];
        let mut ceiling = at(0.9);
        ceiling.swap(1, 2);
        let triangles = [at(0.2), at(0.6), ceiling];
        let c = camera(9);
        let front = rasterize(&c, &triangles, Sides::Front, f64::INFINITY);
        assert!(front.triangle.iter().all(|&t| t == 1));
        let both = rasterize(&c, &triangles, Sides::Both, f64::INFINITY);
        assert!(both.triangle.iter().all(|&t| t == 2));
        let cut = rasterize(&c, &triangles, Sides::Both, 0.5);
        assert!(cut.triangle.iter().all(|&t| t == 0));
    }

    #[test]
    fn a_slope_is_cut_where_it_rises_above_the_height() {
        let slope =
            [DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 1.0), DVec3::new(0.0, 4.0, 0.0)];
        let b = rasterize(&camera(100), &[slope], Sides::Front, 0.25);
        let row = &b.triangle[99 * 100..];
        let seen = row.iter().filter(|&&t| t == 0).count();
        assert!((24..=26).contains(&seen), "{seen} of 100 samples");
    }
}
