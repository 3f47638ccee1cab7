//! The scenes' answers against the definition of ground itself, tried point by point.

mod oracle;

use oracle::Oracle;
use surefoot_testing_scenes::{Pair, ProceduralScene, Variant, build, list};

fn scene(name: &str, size: u32, rotate_deg: f64) -> ProceduralScene {
    build(name, &Variant { size: Some(size), rotate_deg, ..Variant::default() }).unwrap()
}

#[track_caller]
fn close(what: &str, got: f64, want: f64, share: f64) {
    assert!((got - want).abs() <= share * want, "{what}: sampled {got:.3}, stated {want:.3}");
}

fn check_areas(cases: &[(&str, u32, f64, f64)]) {
    for &(name, size, angle, cell_m) in cases {
        let built = scene(name, size, angle);
        let truth = &built.truth;
        let directions = if truth.eroded_area_m2.is_some() { 60 } else { 0 };
        let [ground, eroded] = Oracle::new(&built).areas(cell_m, directions);
        let what = format!("{name} at {angle}°");
        close(&format!("ground of {what}"), ground, truth.ground_area_m2.unwrap(), 0.004);
        if let Some(want) = truth.eroded_area_m2 {
            close(&format!("eroded ground of {what}"), eroded, want, 0.003);
        }
    }
}

#[test]
fn areas_of_rooms_are_those_that_sampling_finds() {
    check_areas(&[
        ("doorways", 4, 0.0, 0.08),
        ("doorways", 4, 17.3, 0.08),
        ("overhang", 1, 0.0, 0.06),
        ("overhang", 1, 71.9, 0.06),
        ("spiral-maze", 2, 0.0, 0.06),
    ]);
}

#[test]
fn areas_of_floors_are_those_that_sampling_finds() {
    check_areas(&[
        ("pillars", 3, 33.0, 0.06),
        ("maze", 6, 0.0, 0.05),
        ("maze", 6, 45.0, 0.05),
        ("holes", 1, 0.0, 0.07),
        ("grates", 60, 0.0, 0.011),
        ("cube", 2, 12.0, 0.1),
        ("terrain", 128, 0.0, 0.4),
    ]);
}

/// What a walk on a grid says about a pair: from the goal first when there should be no way, since
/// what cannot be reached is small.
fn walked(oracle: &Oracle, pair: &Pair, pace_m: f64) -> Option<bool> {
    const PLACES: usize = 40_000;
    let (a, b) = if pair.connected { (pair.from, pair.to) } else { (pair.to, pair.from) };
    oracle
        .connected(a, b, pace_m, 10, PLACES)
        .or_else(|| oracle.connected(b, a, pace_m, 10, PLACES))
}

/// All pairs of the stairs, and a few houses of a city.
const MOST_PAIRS: usize = 15;

fn check_pairs(cases: &[(&str, u32, f64, f64)]) {
    for &(name, size, pace_m, bridge_m) in cases {
        let built = scene(name, size, 0.0);
        let mut oracle = Oracle::new(&built);
        oracle.bridge_m = bridge_m;
        let mut decided = 0;
        for pair in built.truth.pairs.iter().filter(|p| p.gap_reach_m == 0.0).take(MOST_PAIRS) {
            let got = walked(&oracle, pair, pace_m);
            assert_eq!(got, Some(pair.connected), "{name}: {}", pair.what);
            decided += 1;
        }
        assert!(decided > 0, "{name} has no pair");
    }
}

#[test]
fn stairs_connect_as_stated() {
    check_pairs(&[
        ("stairs", 4, 0.25, 0.11),
        ("open-stairs", 4, 0.25, 0.11),
        ("spiral-stairs", 20, 0.2, 0.0),
        ("kerbs", 1, 0.3, 0.0),
        ("overhang", 1, 0.2, 0.0),
    ]);
}

#[test]
fn buildings_connect_as_stated() {
    check_pairs(&[
        ("floors", 2, 0.3, 0.0),
        ("terrace-house", 1, 0.2, 0.0),
        ("town-house", 1, 0.3, 0.0),
        ("buildings", 2, 0.35, 0.0),
        ("city", 1, 0.35, 0.0),
    ]);
}

#[test]
fn large_works_connect_as_stated() {
    check_pairs(&[("station", 8, 0.35, 0.0), ("rig", 3, 0.35, 0.0)]);
}

#[test]
fn maps_connect_as_stated() {
    check_pairs(&[
        ("maze", 8, 0.25, 0.0),
        ("testmap-0", 1, 0.6, 0.0),
        ("testmap-1", 1, 0.6, 0.0),
        ("testmap-2", 1, 0.9, 0.0),
        ("testmap-3", 1, 0.7, 0.0),
        ("cube", 2, 0.5, 0.0),
    ]);
}

#[test]
fn the_spiral_alley_can_be_walked() {
    let built = scene("spiral-maze", 2, 0.0);
    let oracle = Oracle::new(&built);
    let pair = &built.truth.pairs[0];
    // The agent's middle has a lane of three centimetres.
    assert_eq!(oracle.connected(pair.to, pair.from, 0.02, 24, 100_000), Some(true));
}

#[test]
fn doors_are_as_wide_as_they_say() {
    for angle in [0.0, 17.3, 45.0, 71.9, -120.0] {
        let built = scene("doorways", 8, angle);
        let oracle = Oracle::new(&built);
        let doors: Vec<&Pair> =
            built.truth.pairs.iter().filter(|p| p.what.starts_with("door")).collect();
        assert_eq!(doors.len(), 8);
        for pair in doors {
            let along = [pair.to[0] - pair.from[0], pair.to[2] - pair.from[2]];
            let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
            let across = [-along[1] / length, along[0] / length];
            let middle = [0.5 * (pair.from[0] + pair.to[0]), 0.5 * (pair.from[2] + pair.to[2])];
            let free = |side: f64| {
                let mut reach = 0.0;
                let is_floor = |y: &f64| y.abs() < 0.01;
                while oracle
                    .ground(
                        middle[0] + side * reach * across[0],
                        middle[1] + side * reach * across[1],
                    )
                    .iter()
                    .any(is_floor)
                {
                    reach += 0.0005;
                    assert!(reach < 2.0, "no jamb beside {}", pair.what);
                }
                reach
            };
            let width = free(1.0) + free(-1.0);
            let stated: f64 = pair.what.split(' ').nth(1).unwrap().parse().unwrap();
            assert!((width - stated).abs() < 0.002, "{}: {width} at {angle}°", pair.what);
            assert_eq!(pair.connected, width > 2.0 * built.truth.agent.radius_m);
        }
    }
}

#[test]
fn points_are_free_eroded_or_blocked_as_stated() {
    for info in list() {
        let size = small_size(info.name);
        for angle in [0.0, 23.7] {
            let built = scene(info.name, size, angle);
            let mut oracle = Oracle::new(&built);
            if info.name.ends_with("stairs") {
                oracle.bridge_m = 0.11;
            }
            let truth = &built.truth;
            let is_ground = |p: [f64; 3]| {
                oracle.ground(p[0], p[2]).into_iter().find(|y| (y - p[1]).abs() < 0.02)
            };
            let stands =
                |p: [f64; 3]| is_ground(p).is_some_and(|y| oracle.stands([p[0], y, p[2]], 48));
            let name = format!("{} at {angle}°", info.name);
            for &p in truth.free_points.iter().take(60) {
                assert!(stands(p), "{name}: {p:?} should be free");
            }
            for &p in truth.eroded_points.iter().take(60) {
                assert!(is_ground(p).is_some(), "{name}: {p:?} should be ground");
                assert!(!stands(p), "{name}: {p:?} should be too near to something");
            }
            for &p in truth.blocked_points.iter().take(60) {
                assert!(is_ground(p).is_none(), "{name}: {p:?} should be blocked");
            }
            for pair in truth.pairs.iter().take(60) {
                for p in [pair.from, pair.to] {
                    assert!(stands(p), "{name}: {p:?} of \"{}\" should be free", pair.what);
                }
            }
            for edge in &truth.edges {
                let m: [f64; 3] = std::array::from_fn(|k| 0.5 * (edge.a[k] + edge.b[k]));
                let beside =
                    |d: f64| -> [f64; 3] { std::array::from_fn(|k| m[k] + d * edge.free_side[k]) };
                assert!(is_ground(beside(0.002)).is_some(), "{name}: {}", edge.what);
                assert!(is_ground(beside(-0.002)).is_none(), "{name}: {}", edge.what);
            }
        }
    }
}

/// A size that a point-by-point test can afford.
fn small_size(name: &str) -> u32 {
    match name {
        "spiral-stairs" => 18,
        "stairs" | "open-stairs" | "doorways" | "maze" => 8,
        "terrain" | "planet" => 32,
        "grates" => 100,
        "floors" | "rig" | "pillars" => 3,
        "buildings" => 2,
        "station" => 8,
        _ => list().iter().find(|s| s.name == name).map_or(1, |s| s.min_size),
    }
}
