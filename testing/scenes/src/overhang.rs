//! Head room that ends above open floor (the third test case of Sanchez 2021, §3.2): a ramp that
//! can be walked on and under, a leaning wall, and two beams one centimetre too low and high enough.

use crate::draft::Draft;
use crate::grid::tan_deg;
use crate::soup::{Place, Soup};
use crate::truth::{Truth, TruthEdge};

/// The three bays of one row lie along X.
const ROW: [f64; 2] = [24.0, 6.0];

pub(crate) fn draft(rows: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let depth = ROW[1] * f64::from(rows);
    soup.block([0.0, -0.5, 0.0], [ROW[0], 0.0, depth]);
    let mut area = ROW[0] * depth;
    for row in 0..rows {
        let z = ROW[1] * f64::from(row);
        area += ramp(&mut soup, &mut truth, &Place::new([0.0, 0.0, z], 0.0));
        area += leaning_wall(&mut soup, &mut truth, &Place::new([8.0, 0.0, z], 0.0));
        let beams = Place::new([16.0, 0.0, z], 0.0);
        for (x, clear_m) in [(1.5, -0.01), (5.5, 0.01)] {
            area += beam(&mut soup, &mut truth, &beams, x, clear_m);
        }
    }
    truth.ground_area_m2 = Some(area);
    Draft { soup, truth }
}

fn edge(truth: &mut Truth, place: &Place, x: f64, z: [f64; 2], side: f64, what: &str) {
    truth.edges.push(TruthEdge {
        a: place.apply([x, 0.0, z[0]]),
        b: place.apply([x, 0.0, z[1]]),
        free_side: place.direction([side, 0.0, 0.0]),
        what: what.to_owned(),
    });
    let middle = 0.5 * (z[0] + z[1]);
    let radius = truth.agent.radius_m;
    truth.free_points.push(place.apply([x + side * (radius + 0.01), 0.0, middle]));
    truth.eroded_points.push(place.apply([x + side * (radius - 0.01), 0.0, middle]));
    truth.eroded_points.push(place.apply([x + side * 0.01, 0.0, middle]));
    truth.blocked_points.push(place.apply([x - side * 0.01, 0.0, middle]));
}

/// A ramp of 30° from the floor to nowhere. Returns the ground it adds.
fn ramp(soup: &mut Soup, truth: &mut Truth, place: &Place) -> f64 {
    const THICKNESS_M: f64 = 0.2;
    let (foot, end, z) = (1.0, 7.0, [2.0, 4.0]);
    let slope = tan_deg(30.0);
    let top = |x: f64, z: f64| [x, (x - foot) * slope, z];
    let deck = [top(foot, z[1]), top(end, z[1]), top(end, z[0]), top(foot, z[0])];
    soup.at(*place, |soup| soup.slab(deck, THICKNESS_M));
    let x = foot + (truth.agent.height_m + THICKNESS_M) / slope;
    edge(truth, place, x, z, 1.0, "head room under a ramp of 30°");
    let path = x + truth.agent.radius_m + 0.01;
    truth
        .pair(
            place.apply([path, 0.0, 1.0]),
            place.apply([path, 0.0, 5.0]),
            true,
            "straight on under the ramp, with one centimetre to spare",
        )
        .path_length_m = Some(4.0);
    let up = top(6.0, 3.0);
    truth
        .pair(place.apply([0.5, 0.0, 3.0]), place.apply(up), true, "from the floor onto the ramp")
        .path_length_m = Some(0.5 + (25.0 + up[1] * up[1]).sqrt());
    // The ramp covers as much as it takes, and the floor goes on under its high end.
    (end - x) * (z[1] - z[0])
}

/// A thick wall that leans over the floor by 30°. Returns the ground it adds.
fn leaning_wall(soup: &mut Soup, truth: &mut Truth, place: &Place) -> f64 {
    const HEIGHT_M: f64 = 3.0;
    const THICKNESS_M: f64 = 0.3;
    let (foot, z) = (2.0, [1.0, 5.0]);
    let lean = 1.0 / tan_deg(60.0);
    let ring = |y: f64| {
        let (near, far) = (foot - THICKNESS_M + y * lean, foot + y * lean);
        [[near, y, z[1]], [far, y, z[1]], [far, y, z[0]], [near, y, z[0]]]
    };
    soup.at(*place, |soup| soup.hexahedron(ring(0.0), ring(HEIGHT_M)));
    let front = foot + truth.agent.height_m * lean;
    // Behind, the steep face is stepped over until it stands higher than the step.
    let back = foot - THICKNESS_M + truth.agent.max_step_m * lean;
    edge(truth, place, front, z, 1.0, "head room under a wall that leans over by 30°");
    edge(truth, place, back, z, -1.0, "a slope of 60° that rises above the step");
    (THICKNESS_M - (front - back)) * (z[1] - z[0])
}

/// A beam on two posts, with its underside at the agent's height plus `clear_m`. Returns the ground
/// it adds.
fn beam(soup: &mut Soup, truth: &mut Truth, place: &Place, x: f64, clear_m: f64) -> f64 {
    const WIDTH_M: f64 = 0.4;
    const POST_M: f64 = 0.2;
    let z = [1.0, 5.0];
    let low = truth.agent.height_m + clear_m;
    let high = low + 0.3;
    soup.at(*place, |soup| {
        soup.block([x, low, z[0]], [x + WIDTH_M, high, z[1]]);
        for foot in [z[0] - POST_M, z[1]] {
            soup.block([x, 0.0, foot], [x + WIDTH_M, high, foot + POST_M]);
        }
    });
    let middle = 0.5 * (z[0] + z[1]);
    if clear_m < 0.0 {
        let whole = [z[0] - POST_M, z[1] + POST_M];
        edge(truth, place, x, whole, -1.0, "a beam 1 cm too low");
        edge(truth, place, x + WIDTH_M, whole, 1.0, "a beam 1 cm too low");
        return 0.0;
    }
    truth.free_points.push(place.apply([x + 0.5 * WIDTH_M, 0.0, middle]));
    truth
        .pair(
            place.apply([x - 1.0, 0.0, middle]),
            place.apply([x + 1.0 + WIDTH_M, 0.0, middle]),
            true,
            "under a beam with 1 cm to spare",
        )
        .path_length_m = Some(2.0 + WIDTH_M);
    WIDTH_M * (z[1] - z[0])
}
