//! A plate with 17 holes of many shapes and sizes (Vermeulen et al. 2018, table I: 399 vertices, 431
//! triangles). No hole is wider than 1 m anywhere, so a reach of 1 m fills them all.

use crate::draft::Draft;
use crate::grid::{sin_cos_deg, snap};
use crate::outline::{signed_area, triangulate};
use crate::soup::{Place, Soup, circle};
use crate::truth::{Truth, TruthAgent};

const PLATE_M: [f64; 2] = [13.0, 10.4];
const SPACING_M: f64 = 3.0;

type Outline = Vec<[f64; 2]>;

fn rectangle([width, depth]: [f64; 2]) -> Outline {
    let (x, z) = (0.5 * width, 0.5 * depth);
    vec![[-x, -z], [x, -z], [x, z], [-x, z]]
}

/// A slot with round ends.
fn stadium(length: f64, width: f64, points: usize) -> Outline {
    let half = points / 2;
    let (shift, radius) = (0.5 * (length - width), 0.5 * width);
    (0..points)
        .map(|i| {
            let (end, k) = (i / half, i % half);
            let (s, c) = sin_cos_deg(-90.0 + 180.0 * (end as f64 + k as f64 / (half - 1) as f64));
            [if end == 0 { shift } else { -shift } + radius * c, radius * s]
        })
        .collect()
}

fn star(points: usize, outer: f64, inner: f64) -> Outline {
    (0..2 * points)
        .map(|i| {
            let (s, c) = sin_cos_deg(180.0 * i as f64 / points as f64);
            let r = if i % 2 == 0 { outer } else { inner };
            [r * c, r * s]
        })
        .collect()
}

fn cross_shape(reach: f64, half: f64) -> Outline {
    let (a, b) = (reach, half);
    vec![
        [a, -b],
        [a, b],
        [b, b],
        [b, a],
        [-b, a],
        [-b, b],
        [-a, b],
        [-a, -b],
        [-b, -b],
        [-b, -a],
        [b, -a],
        [b, -b],
    ]
}

fn crescent(outer: f64, inner: f64, points: usize) -> Outline {
    let arc = |radius: f64, k: usize| {
        let (s, c) = sin_cos_deg(20.0 + 320.0 * k as f64 / (points - 1) as f64);
        [radius * c, radius * s]
    };
    (0..points).map(|k| arc(outer, k)).chain((0..points).rev().map(|k| arc(inner, k))).collect()
}

fn gear(teeth: usize, outer: f64, inner: f64) -> Outline {
    (0..4 * teeth)
        .map(|i| {
            let (s, c) = sin_cos_deg(90.0 * i as f64 / teeth as f64);
            let r = if i % 4 < 2 { outer } else { inner };
            [r * c, r * s]
        })
        .collect()
}

fn wave(length: f64, width: f64, points: usize) -> Outline {
    let line = |k: usize, side: f64| {
        let t = k as f64 / (points - 1) as f64;
        let (s, _) = sin_cos_deg(720.0 * t);
        [length * (t - 0.5), 0.3 * s + 0.5 * side * width]
    };
    (0..points).map(|k| line(k, -1.0)).chain((0..points).rev().map(|k| line(k, 1.0))).collect()
}

/// The holes around their own middles, 395 points in all.
fn shapes() -> [Outline; 17] {
    [
        circle([0.0; 2], 0.1, 16, 0.0),
        circle([0.0; 2], 0.225, 24, 4.0),
        circle([0.0; 2], 0.35, 32, 0.0),
        circle([0.0; 2], 0.49, 40, 0.0),
        rectangle([2.0, 0.08]),
        rectangle([0.22, 1.9]),
        rectangle([1.6, 0.48]),
        stadium(1.8, 0.3, 26),
        stadium(1.9, 0.9, 26),
        star(5, 0.9, 0.35),
        star(8, 0.49, 0.3),
        cross_shape(0.9, 0.2),
        vec![[-0.9, -0.9], [0.9, -0.9], [0.9, -0.3], [-0.3, -0.3], [-0.3, 0.9], [-0.9, 0.9]],
        crescent(0.95, 0.6, 20),
        gear(12, 0.49, 0.38),
        vec![[-0.5, -0.4], [0.6, -0.4], [0.1, 0.5]],
        wave(2.0, 0.25, 42),
    ]
}

pub(crate) fn draft(plates: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth =
        Truth { agent: TruthAgent { radius_m: 0.0, ..TruthAgent::default() }, ..Truth::default() };
    let outline = vec![[0.0, 0.0], [PLATE_M[0], 0.0], PLATE_M, [0.0, PLATE_M[1]]];
    // Five columns and four rows; the last three places stay empty.
    let holes: Vec<Outline> = shapes()
        .into_iter()
        .enumerate()
        .map(|(k, shape)| {
            let (x, z) = (1.3 + 2.6 * (k % 5) as f64, 1.3 + 2.6 * (k / 5) as f64);
            shape.into_iter().map(|p| [snap(p[0] + x), snap(p[1] + z)]).collect()
        })
        .collect();
    let triangles = triangulate(&outline, &holes);
    let points: Outline = outline.iter().copied().chain(holes.iter().flatten().copied()).collect();
    let per_row = f64::from(plates).sqrt().ceil() as u32;
    for k in 0..plates {
        let offset = [
            f64::from(k % per_row) * (PLATE_M[0] + SPACING_M),
            0.0,
            f64::from(k / per_row) * (PLATE_M[1] + SPACING_M),
        ];
        let place = Place::new(offset, 0.0);
        soup.at(place, |soup| {
            for t in &triangles {
                // Counter-clockwise in x and z is clockwise seen from above.
                let [a, b, c] = t.map(|i| [points[i][0], 0.0, points[i][1]]);
                soup.triangle([c, b, a]);
            }
        });
        for (hole, middle) in holes.iter().zip([2.6, 5.2].iter().cycle()) {
            truth.free_points.push(place.apply([*middle, 0.0, 0.1]));
            // The middle of a convex hole is inside it.
            if hole.len() <= 4 {
                let m = hole.iter().fold([0.0; 2], |m, p| [m[0] + p[0], m[1] + p[1]]);
                let n = hole.len() as f64;
                truth.blocked_points.push(place.apply([m[0] / n, 0.0, m[1] / n]));
            }
        }
    }
    let cut: f64 = holes.iter().map(|h| signed_area(h).abs()).sum();
    truth.ground_area_m2 = Some(f64::from(plates) * (PLATE_M[0] * PLATE_M[1] - cut));
    truth.eroded_area_m2 = truth.ground_area_m2;
    Draft { soup, truth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plate_is_as_large_as_the_sources() {
        let draft = draft(1, 0);
        assert_eq!(4 + shapes().iter().map(Vec::len).sum::<usize>(), 399);
        assert_eq!(draft.soup.len(), 431);
    }
}
