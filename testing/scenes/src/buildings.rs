//! A very large site of low buildings after Saupin et al. 2013, §6.2.3: 423 m by 549 m by 16 m and
//! 1,121,127 triangles at the default size. One building a lot, up to five storeys, with windows,
//! inner walls, stairs and balconies; paths, hedges and gravel between them.

use crate::draft::Draft;
use crate::random::Random;
use crate::soup::{Place, Soup};
use crate::top_up::top_up;
use crate::truth::Truth;
use crate::walls::{Along, Opening, Wall, slab_around};
use crate::well::WellFlight;

const TRIANGLES: f64 = 1_121_127.0;
const DEFAULT_LOTS: f64 = 24.0;
const LOT_M: [f64; 2] = [423.15 / DEFAULT_LOTS, 548.85 / DEFAULT_LOTS];
const STOREY_M: f64 = 3.1;
const SLAB_M: f64 = 0.3;
const WALL_M: f64 = 0.3;
/// A building's outer size along X and Z, and where it stands on its lot.
const SIZE_M: [f64; 2] = [11.0, 15.0];
const SETBACK_M: [f64; 2] = [3.0, 4.0];
/// Most buildings are low.
const STOREYS: [u32; 20] = [5, 4, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const WELL: [[f64; 2]; 2] = [[0.3, 4.0], [1.7, 9.1]];

/// What leads through it.
const FLIGHT: WellFlight = WellFlight { well: WELL, storey_m: STOREY_M, steps: 18, tread_m: 0.3 };

pub(crate) fn draft(lots: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "buildings");
    let n = lots as usize;
    let site = LOT_M.map(|m| m * n as f64);
    soup.set_tag(Some("grass"));
    soup.block([0.0, -0.5, 0.0], [site[0], 0.0, site[1]]);
    soup.set_tag(None);
    for i in 0..n {
        for j in 0..n {
            let corner = [LOT_M[0] * i as f64, 0.0, LOT_M[1] * j as f64];
            let place = Place::new([corner[0] + SETBACK_M[0], 0.0, corner[2] + SETBACK_M[1]], 0.0);
            let storeys = STOREYS[random.below(STOREYS.len())];
            soup.at(place, |soup| building(soup, storeys));
            hedge(&mut soup, corner);
            if truth.pairs.len() < 100 {
                answers(&mut truth, &place, storeys);
            }
        }
    }
    let target = (TRIANGLES * f64::from(lots * lots) / (DEFAULT_LOTS * DEFAULT_LOTS)).round();
    // Gravel on the strip before each row of buildings.
    top_up(&mut soup, target as usize, &mut random, |random| {
        let row = random.below(n) as f64;
        [random.between(0.5, site[0] - 0.5), 0.0, row * LOT_M[1] + random.between(0.6, 2.2)]
    });
    let (a, b) = ([0.5, 0.0, 0.5], [site[0] - 0.8, 0.0, site[1] - 0.5]);
    truth.pair(a, b, true, "from one end of the site to the other");
    truth.free_points.extend([a, b]);
    Draft { soup, truth }
}

fn answers(truth: &mut Truth, place: &Place, storeys: u32) {
    let room = |storey: u32| place.apply([9.0, 0.2 + STOREY_M * f64::from(storey), 2.5]);
    let outside = place.apply([5.5, 0.0, -1.2]);
    truth.pair(outside, room(0), true, "in by the door");
    if storeys > 1 {
        truth.pair(room(0), room(storeys - 1), true, format!("up {} flights", storeys - 1));
    }
    let roof = place.apply([9.0, 0.2 + STOREY_M * f64::from(storeys), 2.5]);
    truth.pair(outside, roof, false, "onto the roof");
    truth.free_points.extend([outside, room(0), room(storeys - 1), roof]);
}

/// A row of bushes along the lot's far side, with gaps.
fn hedge(soup: &mut Soup, [x, _, z]: [f64; 3]) {
    for k in 0..3 {
        let at = [x + 2.5 + 5.0 * f64::from(k), 0.5, z + LOT_M[1] - 1.2];
        soup.ball(at, 0.6, 5, 8);
    }
}

fn building(soup: &mut Soup, storeys: u32) {
    let size = [[0.0; 2], SIZE_M];
    soup.block([0.0, 0.0, 0.0], [SIZE_M[0], 0.2, SIZE_M[1]]);
    for storey in 0..storeys {
        let y = 0.2 + STOREY_M * f64::from(storey);
        let heights = [y, y + STOREY_M - SLAB_M];
        let windows = |at: &[f64]| -> Vec<Opening> {
            at.iter().map(|&at| Opening::window(at, 1.2)).collect()
        };
        let mut front = windows(&[1.8, 3.7, 7.3, 9.2]);
        let middle = if storey == 0 {
            Opening::door(5.5, 1.2)
        } else {
            Opening { at: 5.5, width_m: 1.0, sill_m: 0.0, head_m: 2.1 }
        };
        front.insert(2, middle);
        let back = windows(&[1.8, 3.7, 5.5, 7.3, 9.2]);
        for (openings, near) in [(&front, 0.0), (&back, SIZE_M[1] - WALL_M)] {
            Wall { along: Along::X, span: [0.0, SIZE_M[0]], faces: [near, near + WALL_M], heights }
                .raise(soup, openings);
        }
        for near in [0.0, SIZE_M[0] - WALL_M] {
            let span = [WALL_M, SIZE_M[1] - WALL_M];
            Wall { along: Along::Z, span, faces: [near, near + WALL_M], heights }
                .raise(soup, &windows(&[2.0, 11.4, 13.4]));
        }
        let inside = [WALL_M, SIZE_M[0] - WALL_M];
        Wall { along: Along::X, span: inside, faces: [10.3, 10.45], heights }
            .raise(soup, &[Opening::door(3.0, 1.0), Opening::door(8.5, 1.0)]);
        Wall { along: Along::Z, span: [10.45, SIZE_M[1] - WALL_M], faces: [5.4, 5.55], heights }
            .raise(soup, &[Opening::door(12.5, 1.0)]);
        let top = y + STOREY_M;
        if storey + 1 < storeys {
            slab_around(soup, size, WELL, [top - SLAB_M, top]);
            FLIGHT.raise(soup, y);
        } else {
            soup.block([0.0, top - SLAB_M, 0.0], [SIZE_M[0], top, SIZE_M[1]]);
        }
        if storey > 0 {
            // A balcony outside the glass door, and a parapet around the well.
            soup.block([4.4, y - SLAB_M, -1.4], [6.6, y, 0.0]);
            soup.block([4.4, y, -1.4], [6.6, y + 1.0, -1.3]);
            for x in [4.4, 6.5] {
                soup.block([x, y, -1.3], [x + 0.1, y + 1.0, 0.0]);
            }
            let [low, high] = WELL;
            soup.block([high[0], y, low[1]], [high[0] + 0.1, y + 1.0, high[1]]);
            if storey + 1 == storeys {
                soup.block([low[0], y, low[1] - 0.1], [high[0] + 0.1, y + 1.0, low[1]]);
            }
        }
    }
}
