//! What stands in rooms: small solids that make a building real, and full of triangles.

use crate::soup::{Place, Soup};

/// A table of the given size, its middle at the origin.
fn table(soup: &mut Soup, [length, width]: [f64; 2]) {
    let (x, z) = (0.5 * length, 0.5 * width);
    soup.block([-x, 0.71, -z], [x, 0.75, z]);
    for (sx, sz) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let (cx, cz): (f64, f64) = (sx * (x - 0.06), sz * (z - 0.06));
        soup.block([cx - 0.03, 0.0, cz - 0.03], [cx + 0.03, 0.71, cz + 0.03]);
    }
}

/// A chair at the origin that looks along -Z.
fn chair(soup: &mut Soup) {
    soup.block([-0.22, 0.42, -0.22], [0.22, 0.46, 0.22]);
    soup.block([-0.22, 0.46, 0.18], [0.22, 0.95, 0.22]);
    for (x, z) in [(-0.19, -0.19), (-0.19, 0.19), (0.19, -0.19), (0.19, 0.19)] {
        soup.block([x - 0.02, 0.0, z - 0.02], [x + 0.02, 0.42, z + 0.02]);
    }
}

/// A table with chairs around it, at a place; it keeps within 1.4 m of its middle.
pub(crate) fn dining_group(soup: &mut Soup, at: [f64; 3], angle_deg: f64) {
    soup.at(Place::new(at, angle_deg), |soup| table(soup, [1.6, 0.9]));
    for (x, z, turn) in [(-0.4, 0.6, 0.0), (0.4, 0.6, 0.0), (-0.4, -0.6, 180.0), (0.4, -0.6, 180.0)]
    {
        let seat = Place::new(at, angle_deg).apply([x, 0.0, z]);
        soup.at(Place::new(seat, angle_deg + turn), chair);
    }
}

/// A shelf against a wall behind it (towards -Z), with its middle at the place.
pub(crate) fn shelf(soup: &mut Soup, at: [f64; 3], angle_deg: f64, width_m: f64) {
    soup.at(Place::new(at, angle_deg), |soup| {
        let x = 0.5 * width_m;
        soup.block([-x, 0.0, -0.15], [-x + 0.03, 2.0, 0.15]);
        soup.block([x - 0.03, 0.0, -0.15], [x, 2.0, 0.15]);
        for k in 0..6 {
            let y = 0.05 + 0.38 * f64::from(k);
            soup.block([-x + 0.03, y, -0.15], [x - 0.03, y + 0.03, 0.15]);
        }
    });
}

/// A round pot with a ball of leaves.
pub(crate) fn plant(soup: &mut Soup, at: [f64; 3]) {
    soup.pillar(at, 0.2, 16, 0.45);
    soup.ball([at[0], at[1] + 0.85, at[2]], 0.35, 8, 12);
}

/// A bed, its head towards -Z.
pub(crate) fn bed(soup: &mut Soup, at: [f64; 3], angle_deg: f64) {
    soup.at(Place::new(at, angle_deg), |soup| {
        soup.block([-0.8, 0.0, -1.0], [0.8, 0.5, 1.0]);
        soup.block([-0.85, 0.0, -1.08], [0.85, 1.0, -1.0]);
        for x in [-0.4, 0.4] {
            soup.block([x - 0.3, 0.5, -0.95], [x + 0.3, 0.62, -0.55]);
        }
    });
}

/// A sofa that looks along +Z.
pub(crate) fn sofa(soup: &mut Soup, at: [f64; 3], angle_deg: f64) {
    soup.at(Place::new(at, angle_deg), |soup| {
        soup.block([-1.0, 0.0, -0.4], [1.0, 0.45, 0.4]);
        soup.block([-1.0, 0.45, -0.4], [1.0, 0.85, -0.15]);
        for x in [-1.15, 1.0] {
            soup.block([x, 0.0, -0.4], [x + 0.15, 0.65, 0.4]);
        }
    });
}

/// A bench without a back along X.
pub(crate) fn bench(soup: &mut Soup, at: [f64; 3], length_m: f64) {
    soup.at(Place::new(at, 0.0), |soup| {
        let x = 0.5 * length_m;
        for k in 0..5 {
            let z = -0.25 + 0.1 * f64::from(k);
            soup.block([-x, 0.43, z], [x, 0.46, z + 0.08]);
        }
        for foot in [-x + 0.1, x - 0.16] {
            soup.block([foot, 0.0, -0.22], [foot + 0.06, 0.43, 0.22]);
        }
    });
}

/// A railing between two points of the ground: posts, a hand rail and a knee rail.
pub(crate) fn railing(soup: &mut Soup, from: [f64; 3], to: [f64; 3], sides: usize) {
    let d: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    let posts = (length / 1.5).ceil().max(1.0) as usize;
    let lift = |t: f64, y: f64| [from[0] + d[0] * t, from[1] + d[1] * t + y, from[2] + d[2] * t];
    for k in 0..=posts {
        let t = k as f64 / posts as f64;
        soup.bar(lift(t, 0.0), lift(t, 1.1), 0.02, sides);
    }
    for y in [0.55, 1.1] {
        soup.bar(lift(0.0, y), lift(1.0, y), 0.02, sides);
    }
}
