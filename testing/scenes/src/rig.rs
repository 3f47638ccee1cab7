//! An offshore platform after Saupin et al. 2013, §6.2.2: 40 m by 52 m by 48 m and 119,601 triangles
//! at the default size. Decks over each other on four legs, open stairs at their side, tanks, pipes
//! that pass through each other and through the decks, railings, cables and a crane.

use crate::draft::Draft;
use crate::furniture::railing;
use crate::grid::sin_cos_deg;
use crate::random::Random;
use crate::soup::{Soup, circle};
use crate::top_up::top_up;
use crate::truth::Truth;

const TRIANGLES: f64 = 119_601.0;
const DEFAULT_DECKS: f64 = 8.0;
const WIDTH_M: f64 = 40.0;
const DEPTH_M: f64 = 50.0;
const STOREY_M: f64 = 4.6;
const STEPS: u32 = 23;
const TREAD_M: f64 = 0.3;
/// Stairs run along X outside the deck's edge at z = 0, between two balconies.
const STAIRS_X: [f64; 2] = [12.0, 12.0 + TREAD_M * 22.0];
const STAIRS_Z: [f64; 2] = [-1.6, 0.0];
const BALCONY_M: f64 = 2.0;

pub(crate) fn draft(decks: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "rig");
    let top = STOREY_M * f64::from(decks - 1);
    for (x, z) in [(4.0, 6.0), (36.0, 6.0), (4.0, 44.0), (36.0, 44.0)] {
        soup.pillar([x, -8.0, z], 1.2, 40, top + 8.0 - 0.1);
    }
    for (z, lean) in [(6.0, 1.0), (44.0, -1.0)] {
        soup.bar([4.0, -7.0, z], [36.0, -1.0, z], 0.35, 20);
        soup.bar([36.0, -7.0, z], [4.0, -1.0, z + 0.01 * lean], 0.35, 20);
    }
    for deck in 0..decks {
        let y = STOREY_M * f64::from(deck);
        soup.block([0.0, y - 0.3, 0.0], [WIDTH_M, y, DEPTH_M]);
        balconies(&mut soup, y, deck > 0, deck + 1 < decks);
        if deck + 1 < decks {
            stairs(&mut soup, y);
            machinery(&mut soup, &mut random, y);
        }
    }
    crane(&mut soup, top);
    helipad(&mut soup, top);
    let target = (TRIANGLES * f64::from(decks) / DEFAULT_DECKS).round() as usize;
    // Nuts and grit on the decks.
    top_up(&mut soup, target, &mut random, |random| {
        let deck = random.below(decks as usize) as f64;
        [random.between(0.5, WIDTH_M - 0.5), STOREY_M * deck, random.between(0.5, DEPTH_M - 0.5)]
    });
    let spot = |deck: u32| [20.0, STOREY_M * f64::from(deck), 1.5];
    for deck in 1..decks {
        truth.pair(spot(0), spot(deck), true, format!("up the stairs to deck {deck}"));
        truth.free_points.push(spot(deck));
    }
    truth.free_points.push(spot(0));
    let pad = [30.0, top + HELIPAD_Y, 40.0];
    truth.pair(spot(decks - 1), pad, false, "onto the helipad, which has no stairs");
    truth.free_points.push(pad);
    Draft { soup, truth }
}

/// Balconies at the foot and the head of the stairs, and railings around the deck.
fn balconies(soup: &mut Soup, y: f64, arrives: bool, leaves: bool) {
    let [z0, z1] = STAIRS_Z;
    let (foot, head) =
        ([STAIRS_X[0] - BALCONY_M, STAIRS_X[0]], [STAIRS_X[1], STAIRS_X[1] + BALCONY_M]);
    let mut open = Vec::new();
    if leaves {
        soup.block([foot[0], y - 0.3, z0], [foot[1], y, z1]);
        railing(soup, [foot[0], y, z0 + 0.05], [foot[1], y, z0 + 0.05], 5);
        open.push(foot);
    }
    if arrives {
        soup.block([head[0], y - 0.3, z0], [head[1], y, z1]);
        railing(soup, [head[0], y, z0 + 0.05], [head[1], y, z0 + 0.05], 5);
        open.push(head);
    }
    let mut x = 0.05;
    for [from, to] in open {
        railing(soup, [x, y, 0.05], [from, y, 0.05], 5);
        x = to;
    }
    railing(soup, [x, y, 0.05], [WIDTH_M - 0.05, y, 0.05], 5);
    railing(soup, [0.05, y, DEPTH_M - 0.05], [WIDTH_M - 0.05, y, DEPTH_M - 0.05], 5);
    for x in [0.05, WIDTH_M - 0.05] {
        railing(soup, [x, y, 0.05], [x, y, DEPTH_M - 0.05], 5);
    }
}

/// Treads of grating that meet in plan, with nothing between them but the beams at their sides.
fn stairs(soup: &mut Soup, y: f64) {
    let rise = STOREY_M / f64::from(STEPS);
    let [z0, z1] = [STAIRS_Z[0] + 0.1, STAIRS_Z[1] - 0.1];
    for i in 0..STEPS - 1 {
        let (x, top) = (STAIRS_X[0] + f64::from(i) * TREAD_M, y + f64::from(i + 1) * rise);
        soup.block([x, top - 0.04, z0], [x + TREAD_M, top, z1]);
    }
    for z in [z0 - 0.06, z1] {
        let beam = [
            [STAIRS_X[0], y],
            [STAIRS_X[0] + TREAD_M, y],
            [STAIRS_X[1], y + STOREY_M - 0.3],
            [STAIRS_X[1], y + STOREY_M],
            [STAIRS_X[0], y + rise],
        ];
        soup.extrude(&beam, |[x, py], far| [x, py, if far { z + 0.06 } else { z }]);
        let rail = z + 0.03;
        railing(soup, [STAIRS_X[0], y + rise, rail], [STAIRS_X[1], y + STOREY_M, rail], 5);
    }
}

/// Tanks, pumps and pipes behind a gangway of four metres along the stairs.
fn machinery(soup: &mut Soup, random: &mut Random, y: f64) {
    let mut feet = Vec::new();
    for i in 0..5 {
        for j in 0..4 {
            let at = [
                5.0 + 7.5 * f64::from(i) + random.between(-0.8, 0.8),
                9.0 + 11.0 * f64::from(j) + random.between(-1.5, 1.5),
            ];
            let reach = random.between(0.5, 1.3);
            match random.below(3) {
                0 => {
                    soup.pillar([at[0], y, at[1]], reach, 24, 2.4);
                    soup.ball([at[0], y + 2.4, at[1]], reach, 8, 24);
                }
                1 => {
                    soup.block(
                        [at[0] - reach, y, at[1] - 0.7],
                        [at[0] + reach, y + 1.3, at[1] + 0.7],
                    );
                    soup.bar(
                        [at[0] - reach, y + 1.6, at[1]],
                        [at[0] + reach, y + 1.6, at[1]],
                        0.45,
                        24,
                    );
                }
                _ => soup.prism(&circle(at, reach, 8, 22.5), y, y + 2.0),
            }
            feet.push([at[0], y + 1.2, at[1]]);
        }
    }
    // Pipes from one machine to another, up, across under the deck above, and down again.
    for (k, &from) in feet.iter().enumerate() {
        let to = feet[(k * 7 + 3) % feet.len()];
        let high = y + STOREY_M - 0.6 - 0.15 * (k % 4) as f64;
        let radius = random.between(0.06, 0.16);
        let bends =
            [from, [from[0], high, from[2]], [to[0], high, from[2]], [to[0], high, to[2]], to];
        for pair in bends.windows(2) {
            soup.bar(pair[0], pair[1], radius, 10);
        }
        for bend in &bends[1..4] {
            soup.ball(*bend, radius * 1.25, 6, 10);
        }
    }
}

/// A lattice jib on a round tower, with cables.
fn crane(soup: &mut Soup, top: f64) {
    let foot = [8.0, top, 30.0];
    soup.pillar(foot, 0.9, 32, 4.0);
    soup.block([6.5, top + 4.0, 28.5], [9.5, top + 6.2, 31.5]);
    let node = |k: usize, corner: usize| {
        let (s, c) = sin_cos_deg(35.0);
        let out = 1.4 * k as f64;
        let across = if corner.is_multiple_of(2) { -0.5 } else { 0.5 };
        let up = if corner < 2 { 0.0 } else { 0.9 };
        [9.5 + out * c - up * s, top + 4.6 + out * s * 0.35 + up * c, 30.0 + across]
    };
    for k in 0..16 {
        for corner in 0..4 {
            soup.bar(node(k, corner), node(k + 1, corner), 0.06, 5);
            soup.bar(node(k, corner), node(k + 1, (corner + 1) % 4), 0.03, 6);
            soup.bar(node(k, corner), node(k, [1, 3, 0, 2][corner]), 0.03, 6);
        }
    }
    let tip = node(16, 0);
    soup.bar(tip, [tip[0], top + 1.0, tip[2]], 0.02, 6);
    soup.bar(node(16, 2), [8.0, top + 8.0, 30.0], 0.03, 6);
    soup.bar([8.0, top + 6.2, 30.0], [8.0, top + 8.0, 30.0], 0.15, 12);
}

const HELIPAD_Y: f64 = 3.5;

fn helipad(soup: &mut Soup, top: f64) {
    let y = top + HELIPAD_Y;
    soup.prism(&circle([30.0, 40.0], 8.0, 48, 0.0), y - 0.3, y);
    for k in 0..8 {
        let (s, c) = sin_cos_deg(45.0 * f64::from(k) + 22.5);
        soup.pillar([30.0 + 6.5 * c, top, 40.0 + 6.5 * s], 0.2, 12, HELIPAD_Y - 0.3);
    }
}
