//! A jetty of planks, each narrower than the agent, between two quays: the agent stands on several of
//! them at once, or nowhere.

use crate::draft::Draft;
use crate::soup::Soup;
use crate::truth::{Truth, TruthEdge};

const PLANK_M: [f64; 3] = [0.3, 0.04, 1.6];
const SLOT_M: f64 = 0.02;
const QUAY_M: [f64; 3] = [1.5, 0.5, 3.0];

pub(crate) fn draft(planks: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let radius = truth.agent.radius_m;
    let length = f64::from(planks) * (PLANK_M[0] + SLOT_M) + SLOT_M;
    let side = 0.5 * (QUAY_M[2] - PLANK_M[2]);
    for x in [-QUAY_M[0], length] {
        soup.block([x, -QUAY_M[1], 0.0], [x + QUAY_M[0], 0.0, QUAY_M[2]]);
    }
    for k in 0..planks {
        let x = SLOT_M + f64::from(k) * (PLANK_M[0] + SLOT_M);
        soup.block([x, -PLANK_M[1], side], [x + PLANK_M[0], 0.0, side + PLANK_M[2]]);
    }
    let middle = 0.5 * QUAY_M[2];
    let (from, to) = ([-0.7, 0.0, middle], [length + 0.7, 0.0, middle]);
    for (reach_m, connected) in [(0.0, false), (0.015, false), (0.05, true)] {
        let pair = truth.pair(from, to, connected, "along the jetty");
        pair.gap_reach_m = reach_m;
        pair.path_length_m = connected.then_some(length + 1.4);
    }
    let edge = |x: f64, free_side: f64| TruthEdge {
        a: [x, 0.0, 0.0],
        b: [x, 0.0, QUAY_M[2]],
        free_side: [free_side, 0.0, 0.0],
        what: "the far side of a quay".to_owned(),
    };
    truth.edges.extend([edge(-QUAY_M[0], 1.0), edge(length + QUAY_M[0], -1.0)]);
    truth.free_points.extend([from, to]);
    truth.eroded_points.push([SLOT_M + 0.5 * PLANK_M[0], 0.0, middle]);
    truth.blocked_points.push([0.5 * SLOT_M, 0.0, middle]);
    let quay = QUAY_M[0] * QUAY_M[2];
    truth.ground_area_m2 = Some(2.0 * quay + f64::from(planks) * PLANK_M[0] * PLANK_M[2]);
    // No plank is as wide as the agent, so the quays alone carry it.
    let eroded = (QUAY_M[0] - 2.0 * radius) * (QUAY_M[2] - 2.0 * radius);
    truth.eroded_area_m2 = Some(2.0 * eroded);
    Draft { soup, truth }
}
