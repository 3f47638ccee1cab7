//! Bodies to be walked on all around: a cube, and a small planet with hills.

use crate::draft::Draft;
use crate::noise::fractal;
use crate::soup::Soup;
use crate::truth::Truth;

const EDGE_M: f64 = 10.0;
const PLANET_RADIUS_M: f64 = 30.0;

/// The six sides of a cube of n cells per edge: corners of cells as whole numbers from 0 to n, so
/// that sides share the corners of their common edges exactly.
fn cube_cells(n: usize, mut cell: impl FnMut([[usize; 3]; 4])) {
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            for i in 0..n {
                for j in 0..n {
                    let corner = |a: usize, b: usize| {
                        let mut c = [0; 3];
                        (c[axis], c[u], c[v]) = (if far { n } else { 0 }, i + a, j + b);
                        c
                    };
                    let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if !far {
                        quad.reverse();
                    }
                    cell(quad);
                }
            }
        }
    }
}

pub(crate) fn draft_cube(cells: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let n = cells as usize;
    cube_cells(n, |quad| {
        soup.quad(quad.map(|c| c.map(|k| EDGE_M * (k as f64 / n as f64 - 0.5))));
    });
    let eroded = EDGE_M - 2.0 * truth.agent.radius_m;
    let top = 0.5 * EDGE_M;
    truth.ground_area_m2 = Some(EDGE_M * EDGE_M);
    truth.eroded_area_m2 = Some(eroded * eroded);
    truth.free_points.push([0.0, top, 0.0]);
    truth.eroded_points.push([top - 0.1, top, 0.0]);
    truth
        .pair([-4.0, top, -4.0], [4.0, top, 4.0], true, "straight across the upper side")
        .path_length_m = Some(128.0_f64.sqrt());
    Draft { soup, truth }
}

pub(crate) fn draft_planet(cells: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let n = cells as usize;
    let point = |c: [usize; 3]| -> [f64; 3] {
        // Close to the tangent of 45° times t, which would give every cell the same angle.
        let p = c.map(|k| {
            let t = 2.0 * k as f64 / n as f64 - 1.0;
            t * (0.785 + 0.215 * t * t)
        });
        let length = p.iter().map(|v| v * v).sum::<f64>().sqrt();
        let up = p.map(|v| v / length);
        let hill = fractal(seed, up.map(|v| 4.0 * v + 9.0), 4);
        up.map(|v| v * (PLANET_RADIUS_M + 1.5 * hill))
    };
    cube_cells(n, |quad| {
        soup.quad(quad.map(point));
    });
    let pole = point([n / 2, n, n / 2]);
    if n.is_multiple_of(2) {
        truth.free_points.push(pole);
    }
    Draft { soup, truth }
}
