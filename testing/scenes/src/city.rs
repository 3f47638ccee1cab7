//! Blocks of houses between streets: pavements behind kerbs, houses with entrance steps, rooms and
//! stairs, and parks with trees and a pond. Streets, pavements, grass and water carry tags.

use crate::draft::Draft;
use crate::furniture;
use crate::random::Random;
use crate::soup::{Place, Soup, circle};
use crate::truth::Truth;
use crate::walls::{Along, Opening, Wall, slab_around};
use crate::well::WellFlight;

const PITCH_M: f64 = 44.0;
const STREET_M: f64 = 8.0;
const KERB_M: f64 = 0.15;
const BLOCK_M: f64 = PITCH_M - STREET_M;
const STOREY_M: f64 = 3.0;
const SLAB_M: f64 = 0.25;
const WALL_M: f64 = 0.25;
const HOUSE_M: f64 = 13.0;
/// The ground floor lies two steps above the pavement.
const PLINTH_M: f64 = 0.3;
const WELL: [[f64; 2]; 2] = [[0.25, 3.5], [1.45, 7.92]];

/// What leads through it.
const FLIGHT: WellFlight = WellFlight { well: WELL, storey_m: STOREY_M, steps: 18, tread_m: 0.26 };

pub(crate) fn draft(blocks: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "city");
    let n = blocks as usize;
    let side = PITCH_M * n as f64 + STREET_M;
    // One slab of street for each block, and the last streets along the far sides.
    soup.set_tag(Some("street"));
    let tile = |k: usize| if k < n { PITCH_M * k as f64 } else { side };
    for i in 0..n {
        for j in 0..n {
            let end = |k: usize| if k + 1 == n { side } else { tile(k + 1) };
            soup.block([tile(i), -0.4, tile(j)], [end(i), 0.0, end(j)]);
        }
    }
    for i in 0..n {
        for j in 0..n {
            let corner = [STREET_M + PITCH_M * i as f64, 0.0, STREET_M + PITCH_M * j as f64];
            soup.set_tag(Some("pavement"));
            soup.block(corner, [corner[0] + BLOCK_M, KERB_M, corner[2] + BLOCK_M]);
            soup.set_tag(None);
            lamps(&mut soup, corner);
            if random.below(5) == 0 && n > 1 {
                park(&mut soup, &mut random, corner);
                continue;
            }
            for (k, (x, z)) in
                [(2.0, 2.0), (21.0, 2.0), (21.0, 21.0), (2.0, 21.0)].iter().enumerate()
            {
                // The entrance of every house looks outwards, the two in front to -Z.
                let back = k >= 2;
                let at = [corner[0] + x, KERB_M, corner[2] + z];
                let place = if back {
                    Place::new([at[0] + HOUSE_M, at[1], at[2] + HOUSE_M], 180.0)
                } else {
                    Place::new(at, 0.0)
                };
                let storeys = 2 + random.below(3) as u32;
                house(&mut soup, &mut random, &place, storeys);
                if truth.pairs.len() < 200 {
                    answers(&mut truth, &place, storeys, corner);
                }
            }
        }
    }
    let middle = 0.5 * STREET_M;
    let far = side - middle;
    truth.pair([middle, 0.0, middle], [far, 0.0, far], true, "through the streets");
    truth.free_points.extend([[middle, 0.0, middle], [far, 0.0, far]]);
    Draft { soup, truth }
}

fn answers(truth: &mut Truth, place: &Place, storeys: u32, corner: [f64; 3]) {
    let street = [corner[0] + 10.0, 0.0, corner[2] - 2.0];
    let floor = |storey: u32| PLINTH_M + STOREY_M * f64::from(storey);
    let room = |storey: u32| place.apply([11.5, floor(storey), 1.5]);
    truth.pair(street, room(0), true, "from the street into a house");
    truth.pair(room(0), room(storeys - 1), true, format!("up {} flights", storeys - 1));
    let roof = place.apply([11.5, floor(storeys), 1.5]);
    truth.pair(street, roof, false, "onto a roof");
    truth.free_points.extend([street, room(0), room(storeys - 1), roof]);
}

/// Lamp posts and bollards along the kerb.
fn lamps(soup: &mut Soup, [x, _, z]: [f64; 3]) {
    for k in 0..3 {
        let along = 6.0 + 12.0 * f64::from(k);
        for (px, pz) in [(x + along, z + 0.5), (x + along, z + BLOCK_M - 0.5)] {
            soup.pillar([px, KERB_M, pz], 0.08, 8, 4.5);
            soup.ball([px, KERB_M + 4.7, pz], 0.25, 4, 6);
        }
        for px in [x + 0.4, x + BLOCK_M - 0.4] {
            soup.pillar([px, KERB_M, z + along], 0.1, 6, 0.9);
        }
    }
}

fn park(soup: &mut Soup, random: &mut Random, [x, _, z]: [f64; 3]) {
    soup.set_tag(Some("grass"));
    soup.block([x + 3.0, KERB_M, z + 3.0], [x + BLOCK_M - 3.0, KERB_M + 0.05, z + BLOCK_M - 3.0]);
    let ground = KERB_M + 0.05;
    soup.set_tag(Some("water"));
    let pond = circle([x + 18.0, z + 18.0], 5.0, 24, 0.0);
    soup.prism(&pond, ground, ground + 0.02);
    soup.set_tag(None);
    for k in 0..24_u32 {
        let cell = [f64::from(k % 6), f64::from(k / 6)];
        // Two rows in front of the pond and two behind it.
        let row = if cell[1] < 2.0 { 5.0 + 4.0 * cell[1] } else { 19.0 + 4.0 * cell[1] };
        let at = [
            x + 5.5 + 5.0 * cell[0] + random.between(-1.0, 1.0),
            ground,
            z + row + random.between(-0.8, 0.8),
        ];
        soup.pillar(at, 0.15, 8, 2.2);
        soup.ball([at[0], at[1] + 3.2, at[2]], random.between(0.9, 1.4), 5, 8);
    }
    for along in [8.0, 18.0, 28.0] {
        furniture::bench(soup, [x + along, ground, z + 3.5], 1.8);
    }
}

/// A house in its own frame: from 0 to 13 m along X and Z, the entrance towards -Z.
fn house(soup: &mut Soup, random: &mut Random, place: &Place, storeys: u32) {
    soup.at(*place, |soup| {
        let size = [[0.0; 2], [HOUSE_M; 2]];
        soup.block([0.0, 0.0, 0.0], [HOUSE_M, PLINTH_M, HOUSE_M]);
        soup.block([5.5, 0.0, -0.4], [7.5, 0.5 * PLINTH_M, 0.0]);
        for storey in 0..storeys {
            let y = PLINTH_M + STOREY_M * f64::from(storey);
            let heights = [y, y + STOREY_M - SLAB_M];
            shell(soup, heights, storey == 0);
            Wall { along: Along::X, span: [WALL_M, HOUSE_M - WALL_M], faces: [9.1, 9.25], heights }
                .raise(soup, &[Opening::door(3.5, 1.0), Opening::door(9.5, 1.0)]);
            Wall { along: Along::Z, span: [9.25, HOUSE_M - WALL_M], faces: [6.4, 6.55], heights }
                .raise(soup, &[Opening::door(10.8, 1.0)]);
            let top = y + STOREY_M;
            if storey + 1 < storeys {
                slab_around(soup, size, WELL, [top - SLAB_M, top]);
                FLIGHT.raise(soup, y);
            } else {
                soup.block([0.0, top - SLAB_M, 0.0], [HOUSE_M, top, HOUSE_M]);
            }
            if storey > 0 {
                // A parapet along the open side of the well, and across its end on the top floor.
                let [low, high] = WELL;
                soup.block([high[0], y, low[1]], [high[0] + 0.1, y + 1.0, high[1]]);
                if storey + 1 == storeys {
                    soup.block([low[0], y, low[1] - 0.1], [high[0] + 0.1, y + 1.0, low[1]]);
                }
            }
        }
    });
    for storey in 0..storeys {
        let y = PLINTH_M + STOREY_M * f64::from(storey);
        let turn = random.between(0.0, 90.0);
        furniture::dining_group(soup, place.apply([7.0, y, 5.0]), turn);
        let bed = place.apply([10.0, y, 11.4]);
        soup.at(Place::new(bed, 0.0), |soup| {
            soup.block([-0.8, 0.0, -1.0], [0.8, 0.5, 1.0]);
        });
    }
}

fn shell(soup: &mut Soup, heights: [f64; 2], entrance: bool) {
    let windows =
        |at: &[f64]| -> Vec<Opening> { at.iter().map(|&at| Opening::window(at, 1.4)).collect() };
    let mut front = windows(&[2.5, 10.5]);
    front.insert(1, if entrance { Opening::door(6.5, 1.2) } else { Opening::window(6.5, 1.4) });
    let back = windows(&[2.5, 5.0, 10.5]);
    for (openings, near) in [(&front, 0.0), (&back, HOUSE_M - WALL_M)] {
        Wall { along: Along::X, span: [0.0, HOUSE_M], faces: [near, near + WALL_M], heights }
            .raise(soup, openings);
    }
    for near in [0.0, HOUSE_M - WALL_M] {
        let span = [WALL_M, HOUSE_M - WALL_M];
        Wall { along: Along::Z, span, faces: [near, near + WALL_M], heights }
            .raise(soup, &windows(&[2.2, 11.0]));
    }
}
