//! Stairs: straight flights of many shapes, open flights whose treads are apart in plan, and winding
//! ones, each with rises below the step, which connect, and above it, which do not.

use crate::draft::{self, Draft, ProceduralScene, SceneNameError};
use crate::grid::{sin_cos_deg, tan_deg};
use crate::outline::triangulate;
use crate::soup::{Place, Soup};
use crate::truth::Truth;
use crate::variant::Variant;

/// How a flight is made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StairsShape {
    /// A solid block with upright risers.
    Plain,
    /// Treads stand out over the riser below them by this much.
    Nosed {
        /// How far, in metres.
        overhang_m: f64,
    },
    /// Risers lean by this angle; positive: over the tread below, negative: away from it.
    Leaning {
        /// The angle from the vertical, in degrees, from -20 to 20.
        lean_deg: f64,
    },
    /// One solid mesh of treads, stringers a little higher than the treads, and side walls.
    Walled,
    /// Thin treads held by a wall on one side, with nothing between them.
    Open {
        /// The gap in plan between one tread and the next, in metres.
        gap_m: f64,
    },
}

/// A straight flight from the floor to a landing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StairsParams {
    /// Number of risers, the one up to the landing counted; at least 1.
    pub steps: u32,
    /// Height of a step, in metres.
    pub rise_m: f64,
    /// From the front of a tread to the front of the next, in metres.
    pub tread_m: f64,
    /// Clear width, in metres.
    pub width_m: f64,
    /// Length of the landing, in metres.
    pub landing_m: f64,
    /// How the flight is made.
    pub shape: StairsShape,
}

impl Default for StairsParams {
    fn default() -> Self {
        Self {
            steps: 10,
            rise_m: 0.17,
            tread_m: 0.28,
            width_m: 1.6,
            landing_m: 2.0,
            shape: StairsShape::Plain,
        }
    }
}

impl StairsParams {
    /// A flight with treads deep enough that its incline stays below 45°.
    fn with_rise(steps: u32, rise_m: f64, shape: StairsShape) -> Self {
        Self { steps, rise_m, tread_m: (1.1 * rise_m).max(0.28), shape, ..Self::default() }
    }

    /// From the first riser to the end of the landing.
    fn length_m(&self) -> f64 {
        self.landing_x() + self.landing_m
    }

    /// Where the landing begins.
    fn landing_x(&self) -> f64 {
        f64::from(self.steps - 1) * self.tread_m
    }

    fn landing_y(&self) -> f64 {
        f64::from(self.steps) * self.rise_m
    }
}

const STRINGER_M: f64 = 0.06;
const SIDE_WALL_M: f64 = 0.15;
const TREAD_THICKNESS_M: f64 = 0.05;
/// Free floor around a flight.
const MARGIN_M: f64 = 2.0;

/// One flight on a floor of its own, in any variant. Its only pair leads from the floor to the
/// landing.
pub fn flight(params: &StairsParams, variant: &Variant) -> Result<ProceduralScene, SceneNameError> {
    let bad = |field, value, advice| Err(SceneNameError::BadVariant { field, value, advice });
    if !(1..=100_000).contains(&params.steps) {
        return bad("steps", f64::from(params.steps), "give from 1 to 100000 steps");
    }
    for (field, value) in [
        ("rise_m", params.rise_m),
        ("tread_m", params.tread_m),
        ("width_m", params.width_m),
        ("landing_m", params.landing_m),
    ] {
        if !(value > 0.0 && value <= 1000.0) {
            return bad(field, value, "give a length above 0, up to 1000 m");
        }
    }
    let spare = params.tread_m - set_back(params).abs();
    if spare.is_nan() || spare <= 0.0 {
        return bad("tread_m", params.tread_m, "give treads deeper than their overhang or gap");
    }
    draft::check(variant)?;
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    soup.block(
        [-MARGIN_M, -0.3, -MARGIN_M],
        [params.length_m() + MARGIN_M, 0.0, params.width_m + MARGIN_M],
    );
    add_flight(&mut soup, &mut truth, params, &Place::new([0.0; 3], 0.0));
    Ok(draft::finish(Draft { soup, truth }, variant))
}

/// How far a riser's foot lies behind (positive) or in front of (negative) its upper end, or the
/// gap between open treads.
fn set_back(params: &StairsParams) -> f64 {
    match params.shape {
        StairsShape::Plain | StairsShape::Walled => 0.0,
        StairsShape::Nosed { overhang_m } => overhang_m,
        StairsShape::Leaning { lean_deg } => params.rise_m * tan_deg(lean_deg),
        StairsShape::Open { gap_m } => gap_m,
    }
}

/// Puts a flight on the floor: its first riser at x = 0, rising along +X, its clear width from z = 0
/// to the width. Adds the pair from the floor to the landing.
fn add_flight(soup: &mut Soup, truth: &mut Truth, params: &StairsParams, place: &Place) {
    soup.at(*place, |soup| match params.shape {
        StairsShape::Open { gap_m } => open_flight(soup, params, gap_m),
        StairsShape::Walled => walled_flight(soup, params),
        _ => {
            let profile = solid_profile(params);
            soup.extrude(&profile, |[x, y], far| [x, y, if far { params.width_m } else { 0.0 }]);
        }
    });
    let (run, rise) = (params.landing_x(), params.landing_y());
    let z = 0.5 * params.width_m;
    let on_landing = 0.5 * params.landing_m;
    let connected = params.rise_m <= truth.agent.max_step_m;
    let (from, to) = ([-1.0, 0.0, z], [run + on_landing, rise, z]);
    let what = format!("{:?}, {} steps of {:.3} m", params.shape, params.steps, params.rise_m);
    let pair = truth.pair(place.apply(from), place.apply(to), connected, what);
    if connected {
        pair.path_length_m = Some(1.0 + (run * run + rise * rise).sqrt() + on_landing);
    }
    truth.free_points.extend([place.apply(from), place.apply(to)]);
}

/// The side view of a solid flight, in x and y.
fn solid_profile(params: &StairsParams) -> Vec<[f64; 2]> {
    let back = set_back(params);
    let mut profile = Vec::new();
    for i in 0..params.steps {
        let (x, y) = (f64::from(i) * params.tread_m, f64::from(i) * params.rise_m);
        profile.push([x + back, y]);
        if matches!(params.shape, StairsShape::Nosed { .. }) {
            let lip = y + params.rise_m - 0.25 * params.rise_m.min(0.16);
            profile.extend([[x + back, lip], [x, lip]]);
        }
        profile.push([x, y + params.rise_m]);
    }
    let end = params.length_m();
    profile.extend([[end, params.landing_y()], [end, 0.0]]);
    profile
}

fn open_flight(soup: &mut Soup, params: &StairsParams, gap_m: f64) {
    for i in 1..params.steps {
        let (x, y) = (f64::from(i - 1) * params.tread_m, f64::from(i) * params.rise_m);
        soup.block(
            [x, y - TREAD_THICKNESS_M, 0.0],
            [x + params.tread_m - gap_m, y, params.width_m],
        );
    }
    let (x, y) = (params.landing_x(), params.landing_y());
    let thickness = TREAD_THICKNESS_M.max(0.2_f64.min(0.5 * params.rise_m));
    soup.block([x, y - thickness, 0.0], [params.length_m(), y, params.width_m]);
    soup.block([-0.5, 0.0, -0.25], [params.length_m(), y + 1.0, 0.0]);
}

/// A band of a walled flight: its far end across, and its upper line from front to back.
struct Band {
    until_z: f64,
    line: Vec<[f64; 2]>,
}

/// What a walled flight has side by side: a wall, a stringer, the treads, a stringer and a wall.
fn bands_of(params: &StairsParams) -> [Band; 5] {
    let (run, rise, end) = (params.landing_x(), params.landing_y(), params.length_m());
    let raised = |by: f64| {
        let mut line = vec![[0.0, params.rise_m + by]];
        if run > 0.0 {
            line.push([run, rise + by]);
        }
        line.push([end, rise + by]);
        line
    };
    let mut treads = Vec::new();
    for i in 0..params.steps {
        let (x, y) = (f64::from(i) * params.tread_m, f64::from(i) * params.rise_m);
        if i > 0 {
            treads.push([x, y]);
        }
        treads.push([x, y + params.rise_m]);
    }
    treads.push([end, rise]);
    let inner = params.width_m;
    [
        Band { until_z: -STRINGER_M, line: raised(1.0) },
        Band { until_z: 0.0, line: raised(0.08) },
        Band { until_z: inner, line: treads },
        Band { until_z: inner + STRINGER_M, line: raised(0.08) },
        Band { until_z: inner + STRINGER_M + SIDE_WALL_M, line: raised(1.0) },
    ]
}

/// Treads, stringers and side walls as one closed mesh without inner faces: bands side by side, the
/// upright faces between two bands only where one stands higher.
fn walled_flight(soup: &mut Soup, params: &StairsParams) {
    let bands = bands_of(params);
    let end = params.length_m();
    let first_z = -STRINGER_M - SIDE_WALL_M;
    let mut faces = Vec::new();
    // A face in a plane across or along, from an outline; `flip` when it looks the other way.
    let mut face = |outline: &[[f64; 2]], flip: bool, map: &dyn Fn([f64; 2]) -> [f64; 3]| {
        for t in triangulate(outline, &[]) {
            let [a, b, c] = t.map(|i| map(outline[i]));
            faces.push(if flip { [c, b, a] } else { [a, b, c] });
        }
    };
    let mut from_z = first_z;
    let mut below: Vec<[f64; 2]> = vec![[0.0, 0.0], [end, 0.0]];
    let mut front = vec![[first_z, 0.0]];
    let mut back = vec![[first_z, 0.0]];
    let mut floor_front = vec![[0.0, first_z]];
    let mut floor_back = vec![[end, first_z]];
    for band in &bands {
        let (low, high) = (&band.line[0], &band.line[band.line.len() - 1]);
        for (skyline, y) in [(&mut front, low[1]), (&mut back, high[1])] {
            skyline.extend([[from_z, y], [band.until_z, y]]);
        }
        floor_front.push([0.0, band.until_z]);
        floor_back.push([end, band.until_z]);
        // The upright face towards the band before.
        let rises = band.line[0][1] > below[0][1];
        let outline: Vec<[f64; 2]> =
            below.iter().copied().chain(band.line.iter().rev().copied()).collect();
        let z = from_z;
        face(&outline, rises, &|[x, y]| [x, y, z]);
        for pair in band.line.windows(2) {
            let [[x0, y0], [x1, y1]] = [pair[0], pair[1]];
            let strip = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let until = band.until_z;
            face(&strip, true, &|[u, v]| {
                let z = if v > 0.5 { until } else { z };
                if u > 0.5 { [x1, y1, z] } else { [x0, y0, z] }
            });
        }
        below.clone_from(&band.line);
        from_z = band.until_z;
    }
    let last: Vec<[f64; 2]> =
        [[0.0, 0.0], [end, 0.0]].into_iter().chain(below.iter().rev().copied()).collect();
    face(&last, false, &|[x, y]| [x, y, from_z]);
    for skyline in [&mut front, &mut back] {
        skyline.push([from_z, 0.0]);
    }
    // The outer ends of the skylines and of the floor share the corners of every band.
    let feet = |outline: &mut Vec<[f64; 2]>| {
        outline.extend(bands[..bands.len() - 1].iter().rev().map(|b| [b.until_z, 0.0]));
        outline.dedup();
    };
    feet(&mut front);
    feet(&mut back);
    face(&front, false, &|[z, y]| [0.0, y, z]);
    face(&back, true, &|[z, y]| [end, y, z]);
    floor_back.reverse();
    floor_front.extend(floor_back);
    face(&floor_front, false, &|[x, z]| [x, 0.0, z]);
    soup.solid(faces);
}

/// Flights side by side: one row for each kind, one column for each rise.
fn lay_out(
    kinds: &[StairsShape],
    rises_m: &[f64],
    steps: u32,
    choose: impl Fn(StairsShape, f64) -> bool,
) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let row_m = 1.6 + 2.0 * MARGIN_M;
    let mut x = MARGIN_M;
    for &rise_m in rises_m {
        for (k, &shape) in kinds.iter().enumerate() {
            if choose(shape, rise_m) {
                let params = StairsParams::with_rise(steps, rise_m, shape);
                let place = Place::new([x, 0.0, MARGIN_M + row_m * k as f64], 0.0);
                add_flight(&mut soup, &mut truth, &params, &place);
            }
        }
        x += StairsParams::with_rise(steps, rise_m, StairsShape::Plain).length_m() + 2.0 * MARGIN_M;
    }
    soup.block([0.0, -0.3, 0.0], [x, 0.0, row_m * kinds.len() as f64]);
    Draft { soup, truth }
}

pub(crate) fn draft_straight(steps: u32, _seed: u64) -> Draft {
    let kinds = [
        StairsShape::Plain,
        StairsShape::Nosed { overhang_m: 0.03 },
        StairsShape::Leaning { lean_deg: 15.0 },
        StairsShape::Leaning { lean_deg: -15.0 },
        StairsShape::Walled,
    ];
    lay_out(&kinds, &[0.17, 0.38, 0.42], steps, |_, _| true)
}

pub(crate) fn draft_open(steps: u32, _seed: u64) -> Draft {
    let kinds = [0.02, 0.05, 0.08].map(|gap_m| StairsShape::Open { gap_m });
    lay_out(&kinds, &[0.17, 0.38, 0.42], steps, |_, _| true)
}

const COLUMN_RADIUS_M: f64 = 0.15;
const WINDING_RADIUS_M: f64 = 1.6;
const WINDING_STEP_DEG: f64 = 20.0;
/// Where the way up starts: distance from the column's middle, and the angle before the first tread.
const WINDING_FOOT: (f64, f64) = (0.9, -35.0);
/// Where it ends on the landing: outwards, and onwards from the landing's edge.
const WINDING_HEAD: [f64; 2] = [2.4, 0.7];

pub(crate) fn draft_spiral(steps: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let rises_m = [0.19, 0.36, 0.42];
    let pitch = 9.0;
    soup.block([0.0, -0.3, 0.0], [pitch * rises_m.len() as f64, 0.0, pitch]);
    for (k, &rise_m) in rises_m.iter().enumerate() {
        let place = Place::new([pitch * (k as f64 + 0.5), 0.0, 0.5 * pitch], 0.0);
        winding_flight(&mut soup, &mut truth, steps, rise_m, &place);
    }
    Draft { soup, truth }
}

/// Wedges around a column, each a little under the next, and a landing that leads outwards.
fn winding_flight(soup: &mut Soup, truth: &mut Truth, steps: u32, rise_m: f64, place: &Place) {
    let polar = |radius: f64, deg: f64| -> [f64; 2] {
        let (s, c) = sin_cos_deg(deg);
        [radius * c, -radius * s]
    };
    let top = f64::from(steps) * rise_m;
    let last_deg = f64::from(steps - 1) * WINDING_STEP_DEG;
    let along = |out_m: f64, on_m: f64| -> [f64; 2] {
        let (s, c) = sin_cos_deg(last_deg);
        [out_m * c - on_m * s, -(out_m * s + on_m * c)]
    };
    soup.at(*place, |soup| {
        soup.pillar([0.0; 3], COLUMN_RADIUS_M, 24, top + 1.0);
        for i in 0..steps - 1 {
            let from = f64::from(i) * WINDING_STEP_DEG;
            let until = from + WINDING_STEP_DEG + 1.0;
            let mut wedge = vec![polar(0.08, until), polar(0.08, from)];
            wedge.extend(
                (0..4).map(|k| polar(WINDING_RADIUS_M, from + (until - from) * f64::from(k) / 3.0)),
            );
            let y = f64::from(i + 1) * rise_m;
            soup.prism(&wedge, y - 0.06, y);
        }
        let landing = [along(0.08, 0.0), along(3.4, 0.0), along(3.4, 1.4), along(0.08, 1.4)];
        soup.prism(&landing, top - 0.06, top);
        for on_m in [0.1, 1.3] {
            let [x, z] = along(3.3, on_m);
            soup.pillar([x, 0.0, z], 0.06, 8, top - 0.06);
        }
    });
    let at = |[x, z]: [f64; 2], y: f64| place.apply([x, y, z]);
    let foot = at(polar(WINDING_FOOT.0, WINDING_FOOT.1), 0.0);
    let head = at(along(WINDING_HEAD[0], WINDING_HEAD[1]), top);
    let connected = rise_m <= truth.agent.max_step_m;
    let inner_m = COLUMN_RADIUS_M + truth.agent.radius_m;
    let pair = truth.pair(foot, head, connected, format!("{steps} winding steps of {rise_m:.3} m"));
    if connected && last_deg >= 180.0 {
        pair.path_length_m = Some(winding_length_m(inner_m, last_deg, top));
    }
    truth.free_points.extend([foot, head]);
    truth.blocked_points.push(at([0.0, 0.0], 0.0));
    if steps > 2 {
        // Too low to stand under the first wedges.
        truth.blocked_points.push(at(polar(0.9, 1.5 * WINDING_STEP_DEG), 0.0));
    }
}

/// Length of the shortest way up a winding flight, within about a hundredth: a tangent to the circle
/// one agent's radius around the column, along the circle, and a tangent to the goal, rising evenly
/// with the angle between the first tread and the landing.
fn winding_length_m(inner_m: f64, last_deg: f64, top_m: f64) -> f64 {
    const PIECES: u32 = 2_000;
    let (start_m, start_deg) = WINDING_FOOT;
    let [out, on] = WINDING_HEAD;
    let goal_m = (out * out + on * on).sqrt();
    let goal_deg = last_deg + (on / out).atan().to_degrees();
    let tangent = |far_m: f64| (inner_m / far_m).acos().to_degrees();
    let (onto, off) = (start_deg + tangent(start_m), goal_deg - tangent(goal_m));
    // The way as a radius for every angle; on a tangent it is the circle's over a cosine.
    let point = |deg: f64| -> [f64; 3] {
        let beside = if deg < onto { onto - deg } else { (deg - off).max(0.0) };
        let radius = inner_m / beside.to_radians().cos();
        let (s, c) = deg.to_radians().sin_cos();
        [radius * c, top_m * (deg / last_deg).clamp(0.0, 1.0), radius * s]
    };
    let at = |k: u32| point(start_deg + (goal_deg - start_deg) * f64::from(k) / f64::from(PIECES));
    (0..PIECES)
        .map(|k| {
            let (p, q) = (at(k), at(k + 1));
            (0..3).map(|i| (p[i] - q[i]) * (p[i] - q[i])).sum::<f64>().sqrt()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soup::{signed_volume, unmatched_edges};

    #[test]
    fn every_flight_is_closed_and_faces_out() {
        for shape in [
            StairsShape::Plain,
            StairsShape::Nosed { overhang_m: 0.03 },
            StairsShape::Leaning { lean_deg: 15.0 },
            StairsShape::Leaning { lean_deg: -15.0 },
            StairsShape::Walled,
            StairsShape::Open { gap_m: 0.05 },
        ] {
            for steps in [1, 2, 3, 17] {
                let params = StairsParams { steps, shape, ..StairsParams::default() };
                let mut soup = Soup::new();
                let place = Place::new([0.0; 3], 0.0);
                add_flight(&mut soup, &mut Truth::default(), &params, &place);
                assert_eq!(unmatched_edges(&soup.triangles), 0, "{shape:?}, {steps} steps");
                assert!(signed_volume(&soup.triangles) > 0.0, "{shape:?}, {steps} steps");
            }
        }
    }

    #[test]
    fn a_walled_flight_has_the_volume_of_its_bands() {
        let params =
            StairsParams { steps: 4, shape: StairsShape::Walled, ..StairsParams::default() };
        let mut soup = Soup::new();
        walled_flight(&mut soup, &params);
        let (run, rise) = (params.landing_x(), params.landing_y());
        let treads: f64 = (1..4).map(|i| f64::from(i) * 0.17 * 0.28).sum::<f64>() + rise * 2.0;
        let under = |by: f64| run * (0.5 * (0.17 + rise) + by) + 2.0 * (rise + by);
        let want = 1.6 * treads + 2.0 * (STRINGER_M * under(0.08) + SIDE_WALL_M * under(1.0));
        let volume = signed_volume(&soup.triangles) / 6.0;
        assert!((volume - want).abs() < 1e-4, "{volume} {want}");
    }

    #[test]
    fn the_way_up_a_winding_flight_is_a_helix_with_two_tangents() {
        // Without height: two tangents and the arc between them.
        let (r, last): (f64, f64) = (0.45, 340.0);
        let goal = 2.5_f64;
        let tangents = (0.81 - r * r).sqrt() + (goal * goal - r * r).sqrt();
        let turned = 35.0 + last + (0.7_f64 / 2.4).atan().to_degrees();
        let arc = turned - (r / 0.9).acos().to_degrees() - (r / goal).acos().to_degrees();
        let flat = tangents + r * arc.to_radians();
        assert!((winding_length_m(r, last, 0.0) - flat).abs() < 1e-3);
        let up = winding_length_m(r, last, 3.42);
        assert!(up > (flat * flat + 3.42 * 3.42).sqrt() && up < flat + 3.42, "{up}");
    }

    #[test]
    fn impossible_flights_are_refused() {
        let variant = Variant::default();
        for params in [
            StairsParams { steps: 0, ..StairsParams::default() },
            StairsParams { rise_m: f64::NAN, ..StairsParams::default() },
            StairsParams {
                shape: StairsShape::Nosed { overhang_m: 0.5 },
                ..StairsParams::default()
            },
        ] {
            assert!(flight(&params, &variant).is_err(), "{params:?}");
        }
        assert!(flight(&StairsParams::default(), &variant).is_ok());
    }
}
