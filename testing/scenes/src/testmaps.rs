//! Four maps of several layers and growing complexity, after the test maps of Oliva 2012, §8.2: a
//! bridge over its own ground, a courtyard with a gallery, a wide field with many obstacles, and a
//! tower. The second but last has the largest ground, as in the source.

use crate::draft::Draft;
use crate::grid::{sin_cos_deg, tan_deg};
use crate::random::Random;
use crate::soup::{Place, Soup, circle};
use crate::truth::Truth;

/// Copies of one map side by side.
fn copies(
    count: u32,
    pitch: [f64; 2],
    mut one: impl FnMut(&mut Soup, &mut Truth, &Place),
) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let per_row = f64::from(count).sqrt().ceil() as u32;
    for k in 0..count {
        let offset = [f64::from(k % per_row) * pitch[0], 0.0, f64::from(k / per_row) * pitch[1]];
        one(&mut soup, &mut truth, &Place::new(offset, 0.0));
    }
    Draft { soup, truth }
}

/// A deck of four corners over the plan from (x0, z0) to (x1, z1), rising along X.
fn ramp_x(soup: &mut Soup, x: [f64; 2], y: [f64; 2], z: [f64; 2], thickness_m: f64) {
    soup.slab(
        [[x[0], y[0], z[1]], [x[1], y[1], z[1]], [x[1], y[1], z[0]], [x[0], y[0], z[0]]],
        thickness_m,
    );
}

/// A deck rising along Z.
fn ramp_z(soup: &mut Soup, x: [f64; 2], z: [f64; 2], y: [f64; 2], thickness_m: f64) {
    soup.slab(
        [[x[0], y[1], z[1]], [x[1], y[1], z[1]], [x[1], y[0], z[0]], [x[0], y[0], z[0]]],
        thickness_m,
    );
}

/// A bridge with a ramp at either end, over ground that goes on below.
pub(crate) fn draft_0(count: u32, _seed: u64) -> Draft {
    copies(count, [34.0, 24.0], |soup, truth, place| {
        soup.at(*place, |soup| {
            soup.block([0.0, -0.5, 0.0], [30.0, 0.0, 20.0]);
            ramp_x(soup, [3.0, 10.0], [0.0, 3.0], [8.0, 11.0], 0.3);
            soup.block([10.0, 2.7, 8.0], [20.0, 3.0, 11.0]);
            ramp_x(soup, [20.0, 27.0], [3.0, 0.0], [8.0, 11.0], 0.3);
            for (x, z) in [(12.0, 8.5), (18.0, 8.5), (12.0, 10.5), (18.0, 10.5)] {
                soup.pillar([x, 0.0, z], 0.25, 16, 2.7);
            }
            soup.block([6.0, 0.0, 2.0], [9.0, 2.5, 5.0]);
            soup.block([22.0, 0.0, 14.0], [25.0, 2.5, 17.5]);
            soup.prism(&circle([8.0, 15.0], 2.0, 5, 10.0), 0.0, 2.5);
            soup.prism(&circle([22.0, 4.0], 2.2, 7, 33.0), 0.0, 2.5);
        });
        let over = place.apply([15.0, 3.0, 9.5]);
        let (under, side) = (place.apply([15.0, 0.0, 9.5]), place.apply([15.0, 0.0, 18.0]));
        truth.pair(under, over, true, "from under the bridge onto it");
        truth.pair(under, side, true, "out from under the bridge").path_length_m = Some(8.5);
        truth.free_points.extend([over, under, side]);
        truth.blocked_points.push(place.apply([5.0, 0.0, 9.5]));
    })
}

/// A walled courtyard with arched gates and a gallery all around, reached by two ramps.
pub(crate) fn draft_1(count: u32, _seed: u64) -> Draft {
    copies(count, [44.0, 44.0], |soup, truth, place| {
        soup.at(*place, |soup| {
            soup.block([0.0, -0.5, 0.0], [40.0, 0.0, 40.0]);
            // Four wings 6 m deep, their tops the gallery at 4 m, each with three arches through it.
            for side in 0..4 {
                let middle = place.apply([20.0, 0.0, 20.0]);
                soup.at(Place::new(middle, 90.0 * f64::from(side)), wing);
            }
            // Both ramps lie in the court and end at the gallery.
            ramp_x(soup, [14.0, 24.0], [4.0, 0.0], [14.5, 17.0], 0.3);
            ramp_z(soup, [22.5, 25.5], [18.0, 26.0], [0.0, 4.0], 0.3);
            soup.prism(&circle([18.0, 22.5], 1.5, 12, 0.0), 0.0, 0.3);
            soup.pillar([18.0, 0.3, 22.5], 0.4, 16, 1.2);
        });
        let gallery = place.apply([11.0, 4.0, 20.0]);
        let court = place.apply([16.0, 0.0, 19.0]);
        let outside = place.apply([2.0, 0.0, 20.0]);
        truth.pair(court, outside, true, "through the arches");
        truth.pair(court, gallery, true, "up a ramp to the gallery");
        truth.free_points.extend([gallery, court, outside]);
        truth.blocked_points.push(place.apply([9.0, 0.0, 9.0]));
    })
}

/// One wing of the court along X, with three arches; the court's middle is the origin. Its far
/// corner belongs to the next wing, so that the four abut.
fn wing(soup: &mut Soup) {
    const HALF_ARCH_M: f64 = 1.4;
    let mut profile = vec![[-12.0, 4.0], [-12.0, 0.0]];
    for centre in [-3.5, 0.0, 3.5] {
        profile.push([centre - HALF_ARCH_M, 0.0]);
        profile.extend((0..=10).map(|k| {
            let (s, c) = sin_cos_deg(180.0 - 18.0 * f64::from(k));
            [centre + HALF_ARCH_M * c, 1.6 + HALF_ARCH_M * s]
        }));
        profile.push([centre + HALF_ARCH_M, 0.0]);
    }
    profile.extend([[6.0, 0.0], [6.0, 4.0]]);
    soup.extrude(&profile, |[x, y], far| [x, y, if far { -6.0 } else { -12.0 }]);
}

/// A wide field of obstacles with a cave, a bridge and a mound.
pub(crate) fn draft_2(count: u32, seed: u64) -> Draft {
    let mut random = Random::new(seed, "testmap-2");
    copies(count, [124.0, 124.0], |soup, truth, place| {
        soup.at(*place, |soup| field(soup, &mut random));
        let (a, b) = (place.apply([2.0, 0.0, 2.0]), place.apply([118.0, 0.0, 118.0]));
        truth.pair(a, b, true, "across the field");
        let cave = place.apply([60.0, 0.0, 60.0]);
        truth.pair(a, cave, true, "into the cave");
        let over = place.apply([60.0, 4.0, 60.0]);
        truth.pair(cave, over, true, "from the cave onto its roof");
        truth.free_points.extend([a, b, cave, over]);
    })
}

fn field(soup: &mut Soup, random: &mut Random) {
    soup.block([0.0, -1.0, 0.0], [120.0, 0.0, 120.0]);
    // The cave: a roof on thick walls, open on two sides, with a ramp up to the roof.
    soup.block([50.0, 3.4, 50.0], [70.0, 4.0, 70.0]);
    soup.block([50.0, 0.0, 50.0], [52.0, 3.4, 70.0]);
    soup.block([68.0, 0.0, 50.0], [70.0, 3.4, 70.0]);
    ramp_x(soup, [40.0, 50.0], [0.0, 4.0], [57.0, 63.0], 0.4);
    // A bridge from the roof to a mound with walkable sides.
    soup.block([70.0, 3.6, 58.0], [90.0, 4.0, 62.0]);
    let run = 4.0 / tan_deg(30.0);
    let ring = |grow: f64, y: f64| {
        let (x, z) = ([90.0 - grow, 102.0 + grow], [54.0 - grow, 66.0 + grow]);
        [[x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]], [x[0], y, z[0]]]
    };
    soup.hexahedron(ring(run, 0.0), ring(0.0, 4.0));
    // Obstacles in the outer cells of a grid; the cells around the cave and the mound stay free.
    for i in 0..15 {
        for j in 0..15 {
            let (x, z) = (4.0 + 8.0 * f64::from(i), 4.0 + 8.0 * f64::from(j));
            let corner = (i == 0 && j == 0) || (i == 14 && j == 14);
            if corner || (34.0..114.0).contains(&x) && (40.0..80.0).contains(&z) {
                continue;
            }
            let (dx, dz) = (random.between(-1.2, 1.2), random.between(-1.2, 1.2));
            let (x, z) = (x + dx, z + dz);
            let angle = random.between(0.0, 90.0);
            match random.below(4) {
                0 => soup.pillar([x, 0.0, z], random.between(0.3, 1.6), 12, 3.0),
                1 => soup.prism(&circle([x, z], random.between(0.8, 2.2), 4, angle), 0.0, 2.2),
                2 => {
                    let (s, c) = sin_cos_deg(angle);
                    let at = |u: f64, v: f64| [x + u * c - v * s, z + u * s + v * c];
                    let l = [
                        at(-2.0, -2.0),
                        at(2.0, -2.0),
                        at(2.0, -1.6),
                        at(-1.6, -1.6),
                        at(-1.6, 2.0),
                        at(-2.0, 2.0),
                    ];
                    soup.prism(&l, 0.0, 2.2);
                }
                _ => {
                    let sides = 3 + random.below(6);
                    soup.prism(&circle([x, z], random.between(0.8, 2.0), sides, angle), 0.0, 2.2);
                }
            }
        }
    }
}

/// A tower of six storeys with an open shaft, wound around by a ramp, under a roof without access.
pub(crate) fn draft_3(count: u32, seed: u64) -> Draft {
    const STOREYS: u32 = 6;
    const STOREY_M: f64 = 4.0;
    let mut random = Random::new(seed, "testmap-3");
    copies(count, [44.0, 44.0], |soup, truth, place| {
        soup.at(*place, |soup| {
            soup.block([0.0, -0.5, 0.0], [40.0, 0.0, 40.0]);
            for storey in 1..=STOREYS {
                let top = STOREY_M * f64::from(storey);
                let roof = storey == STOREYS;
                // A ring of four slabs around the shaft, which the roof closes.
                let shaft =
                    if roof { [[19.0, 19.0], [19.0, 19.0]] } else { [[16.0; 2], [24.0; 2]] };
                crate::walls::slab_around(soup, [[8.0; 2], [32.0; 2]], shaft, [top - 0.3, top]);
                for (x, z) in [(9.0, 9.0), (31.0, 9.0), (9.0, 31.0), (31.0, 31.0)] {
                    soup.pillar([x, top - STOREY_M, z], 0.4, 16, STOREY_M - 0.3);
                }
                if !roof {
                    for _ in 0..6 {
                        let (x, z) = (random.between(10.0, 14.0), random.between(11.0, 29.0));
                        let sides = 3 + random.below(6);
                        let reach = random.between(0.3, 0.7);
                        let outline = circle([x, z], reach, sides, random.between(0.0, 90.0));
                        soup.prism(&outline, top, top + 1.2);
                    }
                }
            }
            // One straight ramp a storey along each side in turn, outside the slabs, with landings
            // at the corners.
            for storey in 0..STOREYS - 1 {
                let y = STOREY_M * f64::from(storey);
                let centre = place.apply([20.0, y, 20.0]);
                soup.at(Place::new(centre, -90.0 * f64::from(storey % 4)), |soup| {
                    ramp_x(soup, [-9.0, 9.0], [0.0, STOREY_M], [-15.0, -12.5], 0.3);
                    soup.block([9.0, STOREY_M - 0.3, -15.0], [15.0, STOREY_M, -12.0]);
                    if storey > 0 {
                        soup.block([-12.0, -0.3, -15.0], [-9.0, 0.0, -12.0]);
                    }
                });
            }
        });
        let ground = place.apply([2.0, 0.0, 20.0]);
        for storey in 1..STOREYS {
            let y = STOREY_M * f64::from(storey);
            let spot = place.apply([28.0, y, 20.0]);
            truth.pair(ground, spot, true, format!("up to storey {storey}"));
            truth.free_points.push(spot);
        }
        let roof = place.apply([20.0, STOREY_M * f64::from(STOREYS), 20.0]);
        truth.pair(ground, roof, false, "onto the roof, which no ramp reaches");
        truth.free_points.extend([ground, roof]);
        truth.blocked_points.push(place.apply([20.0, STOREY_M, 20.0]));
    })
}
