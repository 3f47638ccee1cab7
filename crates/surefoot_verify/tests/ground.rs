//! The definition of ground on scenes small enough to work out by hand.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use surefoot_mesh::{Agent, Frame, NavMeshData};
use surefoot_scene::{Scene, SceneBuilder};
use surefoot_verify::{Ground, Reason, VerifySettings, verify, verify_until};

/// Y up, as the scenes are.
const UP: [f64; 3] = [0.0, 1.0, 0.0];

struct Draft(SceneBuilder);

impl Draft {
    fn new() -> Self {
        Self(SceneBuilder::new())
    }

    fn quad(&mut self, [a, b, c, d]: [[f64; 3]; 4]) -> &mut Self {
        self.0.triangle([a, b, c]);
        self.0.triangle([a, c, d]);
        self
    }

    /// A sheet at a height that faces up.
    fn floor(&mut self, x: [f64; 2], z: [f64; 2], y: f64) -> &mut Self {
        self.quad([[x[0], y, z[0]], [x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]]])
    }

    /// A closed box.
    fn block(&mut self, low: [f64; 3], high: [f64; 3]) -> &mut Self {
        let ([a, b, c], [d, e, f]) = (low, high);
        self.floor([a, d], [c, f], e);
        self.quad([[a, b, c], [d, b, c], [d, b, f], [a, b, f]]);
        self.quad([[a, b, f], [d, b, f], [d, e, f], [a, e, f]]);
        self.quad([[d, b, c], [a, b, c], [a, e, c], [d, e, c]]);
        self.quad([[d, b, f], [d, b, c], [d, e, c], [d, e, f]]);
        self.quad([[a, b, c], [a, b, f], [a, e, f], [a, e, c]])
    }

    fn ground(self) -> Ground {
        ground_of(&self.0.finish())
    }
}

fn ground_of(scene: &Scene) -> Ground {
    let settings = VerifySettings::default();
    Ground::new(scene, Frame::with_up(UP).unwrap(), &Agent::default(), &settings)
}

fn reason(ground: &Ground, at: [f64; 3]) -> Option<Reason> {
    ground.stands(at, 0.01).err().map(|e| e.0)
}

/// A floor of 10 m by 10 m.
fn room() -> Draft {
    let mut draft = Draft::new();
    draft.floor([0.0, 10.0], [0.0, 10.0], 0.0);
    draft
}

#[test]
fn a_ledge_keeps_the_radius_away() {
    let ground = room().ground();
    assert_eq!(reason(&ground, [5.0, 0.0, 5.0]), None);
    assert_eq!(reason(&ground, [0.305, 0.0, 5.0]), None);
    assert_eq!(reason(&ground, [0.295, 0.0, 5.0]), Some(Reason::Ledge));
    assert_eq!(reason(&ground, [-0.1, 0.0, 5.0]), Some(Reason::NoGround));
    assert_eq!(reason(&ground, [5.0, 0.1, 5.0]), Some(Reason::NoGround));
    assert!(ground.is_ground([0.01, 0.0, 5.0], 0.01).is_ok());
}

#[test]
fn walls_keep_the_radius_away_thick_or_thin() {
    let mut draft = room();
    draft.block([4.0, 0.0, 0.0], [4.2, 2.5, 10.0]);
    let thick = draft.ground();
    let mut draft = room();
    draft.quad([[4.0, 0.0, 10.0], [4.0, 0.0, 0.0], [4.0, 2.5, 0.0], [4.0, 2.5, 10.0]]);
    let thin = draft.ground();
    for ground in [&thick, &thin] {
        assert_eq!(reason(ground, [3.695, 0.0, 5.0]), None);
        assert!(reason(ground, [3.705, 0.0, 5.0]).is_some());
    }
    assert_eq!(reason(&thin, [3.705, 0.0, 5.0]), Some(Reason::Wall));
    assert_eq!(reason(&thin, [4.295, 0.0, 5.0]), Some(Reason::Wall));
    assert_eq!(reason(&thin, [4.305, 0.0, 5.0]), None);
    // Inside the thick one, and on top of it, where it is too narrow.
    assert_eq!(reason(&thick, [4.1, 0.0, 5.0]), Some(Reason::HeadRoom));
    assert_eq!(reason(&thick, [4.1, 2.5, 5.0]), Some(Reason::Ledge));
}

#[test]
fn a_needle_between_the_walks_is_found() {
    for k in 0..40 {
        let mut draft = room();
        let turn = f64::from(k) * 0.157;
        let at = [5.0 + 0.27 * turn.cos(), 5.0 + 0.27 * turn.sin()];
        draft.block([at[0], 0.0, at[1]], [at[0] + 0.004, 2.0, at[1] + 0.004]);
        assert!(reason(&draft.ground(), [5.0, 0.0, 5.0]).is_some(), "pole {k}");
        let mut draft = room();
        draft.block([at[0], 1.0, at[1]], [at[0] + 0.004, 1.004, at[1] + 0.004]);
        assert!(reason(&draft.ground(), [5.0, 0.0, 5.0]).is_some(), "crumb in the air {k}");
    }
}

#[test]
fn holes_count_and_cracks_do_not() {
    let split = |gap_m: f64| {
        let mut draft = Draft::new();
        draft.floor([0.0, 5.0], [0.0, 10.0], 0.0).floor([5.0 + gap_m, 10.0], [0.0, 10.0], 0.0);
        draft.ground()
    };
    for x in [4.75, 4.9, 5.2] {
        assert_eq!(reason(&split(0.005), [x, 0.0, 5.0]), None, "a crack, from {x}");
        assert_eq!(reason(&split(0.03), [x, 0.0, 5.0]), Some(Reason::Ledge), "a slit, from {x}");
    }
    // A wall without thickness in a crack still is a wall.
    let mut draft = Draft::new();
    draft.floor([0.0, 5.0], [0.0, 10.0], 0.0).floor([5.008, 10.0], [0.0, 10.0], 0.0);
    draft.quad([[5.004, 0.0, 10.0], [5.004, 0.0, 0.0], [5.004, 2.5, 0.0], [5.004, 2.5, 10.0]]);
    assert!(reason(&draft.ground(), [4.8, 0.0, 5.0]).is_some());
}

#[test]
fn head_room_and_steps_end_where_the_agent_says() {
    let under = |clear_m: f64| {
        let mut draft = room();
        draft.block([4.0, clear_m, 0.0], [6.0, clear_m + 0.5, 10.0]);
        draft.ground()
    };
    assert_eq!(reason(&under(1.81), [5.0, 0.0, 5.0]), None);
    assert_eq!(reason(&under(1.79), [5.0, 0.0, 5.0]), Some(Reason::HeadRoom));
    assert!(reason(&under(1.79), [3.8, 0.0, 5.0]).is_some());
    let kerb = |high_m: f64| {
        let mut draft = room();
        draft.block([4.0, 0.0, 0.0], [8.0, high_m, 10.0]);
        draft.ground()
    };
    assert_eq!(reason(&kerb(0.39), [3.9, 0.0, 5.0]), None);
    assert_eq!(reason(&kerb(0.39), [4.1, 0.39, 5.0]), None);
    assert!(reason(&kerb(0.41), [3.9, 0.0, 5.0]).is_some());
    assert!(reason(&kerb(0.41), [4.1, 0.41, 5.0]).is_some());
    assert_eq!(reason(&kerb(0.41), [4.31, 0.41, 5.0]), None);
    // The floor under the block is covered by its top.
    assert_eq!(reason(&kerb(0.39), [5.0, 0.0, 5.0]), Some(Reason::Covered));
}

#[test]
fn what_stands_on_the_floor_is_solid_and_what_is_stepped_over_is_not() {
    let mut draft = room();
    draft.block([2.0, 0.0, 2.0], [6.0, 3.0, 6.0]);
    let ground = draft.ground();
    assert_eq!(reason(&ground, [4.0, 0.0, 4.0]), Some(Reason::HeadRoom));
    assert_eq!(reason(&ground, [4.0, 3.0, 4.0]), None);
    // A rug is neither an obstacle nor a pocket.
    let mut draft = room();
    draft.block([2.0, 0.0, 2.0], [6.0, 0.0005, 6.0]).floor([0.0, 10.0], [0.0, 10.0], 4.0);
    assert_eq!(reason(&draft.ground(), [4.0, 0.0005, 4.0]), None);
    // A floor that is drawn from both sides is one sheet.
    let mut draft = room();
    draft.quad([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 0.0, 10.0], [0.0, 0.0, 10.0]]);
    assert_eq!(reason(&draft.ground(), [4.0, 0.0, 4.0]), None);
}

#[test]
fn slopes_count_by_their_angle_and_short_steep_ones_are_stepped_over() {
    let ramp = |degrees: f64, rise_m: f64| {
        let run = rise_m / degrees.to_radians().tan();
        let mut draft = Draft::new();
        draft.floor([0.0, 5.0], [0.0, 10.0], 0.0).floor([5.0 + run, 15.0], [0.0, 10.0], rise_m);
        let (a, b) = (5.0, 5.0 + run);
        draft.quad([[a, 0.0, 0.0], [a, 0.0, 10.0], [b, rise_m, 10.0], [b, rise_m, 0.0]]);
        draft.ground()
    };
    assert_eq!(reason(&ramp(44.0, 3.0), [4.9, 0.0, 5.0]), None);
    assert!(reason(&ramp(47.0, 3.0), [4.9, 0.0, 5.0]).is_some());
    assert!(ramp(44.0, 3.0).is_ground([6.0, 1.0_f64.mul_add(0.9657, 0.0), 5.0], 0.01).is_ok());
    // A leaning riser of one step.
    assert_eq!(reason(&ramp(70.0, 0.35), [4.9, 0.0, 5.0]), None);
    assert!(reason(&ramp(70.0, 0.45), [4.9, 0.0, 5.0]).is_some());
}

#[test]
fn leaning_risers_of_a_solid_stair_on_the_floor_are_stepped_over() {
    let stair = |rise_m: f64| {
        let mut draft = room();
        // Two treads of a solid block; what shows of the floor under it is no ground.
        let mut at = (5.0, 0.0);
        for k in 1..=2 {
            let (y, z) = (at.1 + rise_m, [2.0, 8.0]);
            let (foot, head) = (at.0, at.0 + 0.1);
            draft.quad([[foot, at.1, z[0]], [foot, at.1, z[1]], [head, y, z[1]], [head, y, z[0]]]);
            at = (if k == 2 { 9.0 } else { 6.0 }, y);
            draft.floor([head, at.0], z, y);
        }
        draft.quad([[5.0, 0.0, 2.0], [9.0, 0.0, 2.0], [9.0, 0.0, 8.0], [5.0, 0.0, 8.0]]);
        draft.ground()
    };
    for x in [4.9, 5.0] {
        assert_eq!(reason(&stair(0.38), [x, 0.0, 5.0]), None, "before the stair, from {x}");
        assert!(reason(&stair(0.42), [x, 0.0, 5.0]).is_some());
    }
    assert_eq!(reason(&stair(0.38), [5.95, 0.38, 5.0]), None);
    assert_eq!(reason(&stair(0.38), [6.15, 0.76, 5.0]), None);
    assert!(reason(&stair(0.42), [5.95, 0.42, 5.0]).is_some());
}

#[test]
fn two_steps_within_one_pace_are_two_steps() {
    let car = |bumper_m: f64| {
        let mut draft = room();
        draft.block([4.0, 0.0, 2.0], [8.0, 0.36, 8.0]);
        draft.block([4.0 + bumper_m, 0.36, 2.0], [8.0, 0.56, 8.0]);
        draft.ground()
    };
    for at in [[3.9, 0.0, 5.0], [3.99, 0.0, 5.0], [4.1, 0.56, 5.0]] {
        assert_eq!(reason(&car(0.02), at), None, "{at:?}");
        // Without a tread between them it is one step, and too high.
        assert!(reason(&car(0.0), at).is_some(), "{at:?}");
    }
}

#[test]
fn a_riser_may_change_its_slope_and_must_lead_somewhere() {
    let riser = || {
        let (z, mut draft) = ([0.0, 10.0], Draft::new());
        draft.floor([0.0, 5.0], z, 0.0);
        for [a, b, c, d] in [[5.0, 0.0, 5.1, 0.12], [5.1, 0.12, 5.14, 0.3]] {
            draft.quad([[a, b, z[0]], [a, b, z[1]], [c, d, z[1]], [c, d, z[0]]]);
        }
        draft.floor([5.14, 9.0], z, 0.3);
        draft.ground()
    };
    assert_eq!(reason(&riser(), [4.9, 0.0, 5.0]), None);
    // At the edge of the floor a slope that leads to nothing is no ground.
    let mut draft = Draft::new();
    draft.floor([0.0, 5.0], [0.0, 10.0], 0.0);
    draft.quad([[5.0, 0.0, 0.0], [5.0, 0.0, 10.0], [5.1, 0.12, 10.0], [5.1, 0.12, 0.0]]);
    let lip = draft.ground();
    assert_eq!(reason(&lip, [4.8, 0.0, 5.0]), Some(Reason::Ledge));
    assert_eq!(reason(&lip, [4.69, 0.0, 5.0]), None);
}

#[test]
fn any_direction_can_be_up() {
    let mut draft = Draft::new();
    draft.quad([[0.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 10.0, 10.0], [0.0, 0.0, 10.0]]);
    let scene = draft.0.finish();
    let settings = VerifySettings::default();
    let frame = Frame::with_up([1.0, 0.0, 0.0]).unwrap();
    let ground = Ground::new(&scene, frame, &Agent::default(), &settings);
    assert_eq!(reason(&ground, [0.0, 5.0, 5.0]), None);
    assert_eq!(reason(&ground, [0.0, 5.0, 0.29]), Some(Reason::Ledge));
    assert_eq!(reason(&ground_of(&scene), [0.0, 5.0, 5.0]), Some(Reason::NoGround));
}

/// A mesh of one rectangle.
fn rectangle(x: [f32; 2], z: [f32; 2]) -> NavMeshData {
    let points = [[x[0], 0.0, z[0]], [x[1], 0.0, z[0]], [x[1], 0.0, z[1]], [x[0], 0.0, z[1]]];
    NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), UP).unwrap()
}

#[test]
fn a_mesh_worked_out_by_hand_is_right_and_one_five_centimetres_off_is_not() {
    let scene = room().0.finish();
    let settings = VerifySettings { samples: 4000, ..VerifySettings::default() };
    let report = verify(&rectangle([0.3, 9.7], [0.3, 9.7]), &scene, &settings, &|_| {});
    assert!(report.passes(1.0, 1.0), "{report:?}");
    assert!(report.complete.counted > 3000);
    let report = verify(&rectangle([0.25, 9.7], [0.3, 9.7]), &scene, &settings, &|_| {});
    assert!(report.sound.value() < 1.0);
    let worst = report.unsound[0];
    assert_eq!(worst.reason, Reason::Ledge);
    assert!((worst.short_by_m - 0.05).abs() < 0.01 && worst.at[0] < 0.26, "{worst:?}");
    let report = verify(&rectangle([0.5, 9.7], [0.3, 9.7]), &scene, &settings, &|_| {});
    assert!(report.complete.value() < 0.995 && report.sound.value() >= 1.0);
    assert!(report.uncovered.iter().all(|u| u.at[0] < 0.5));
}

#[test]
fn small_patches_may_be_left_out_and_large_ones_may_not() {
    let mut draft = room();
    // After erosion 0.9 m by 0.9 m, and 1.4 m by 1.4 m.
    draft.floor([20.0, 21.5], [0.0, 1.5], 0.0);
    let small = draft.0.finish();
    let mut draft = room();
    draft.floor([20.0, 22.0], [0.0, 2.0], 0.0);
    let large = draft.0.finish();
    let settings = VerifySettings { samples: 4000, ..VerifySettings::default() };
    let mesh = rectangle([0.3, 9.7], [0.3, 9.7]);
    let report = verify(&mesh, &small, &settings, &|_| {});
    assert!(report.passes(1.0, 1.0) && report.left_out > 10, "{report:?}");
    let report = verify(&mesh, &large, &settings, &|_| {});
    assert!(report.complete.value() < 1.0);
    let reachable = VerifySettings { reachable_only: true, ..settings };
    assert!(verify(&mesh, &large, &reachable, &|_| {}).passes(1.0, 1.0));
}

#[test]
fn a_check_that_is_cancelled_ends_soon_and_without_a_report() {
    let scene = room().0.finish();
    let points = [[0.4, 0.0, 0.4], [0.4, 0.0, 9.6], [9.6, 0.0, 9.6], [9.6, 0.0, 0.4]];
    let cells = [vec![0, 1, 2, 3]];
    let mesh = NavMeshData::from_polygons(&points, &cells, Agent::default(), UP).unwrap();
    let settings = VerifySettings { samples: 50_000, ..VerifySettings::default() };
    let told = AtomicU64::new(0);
    let cancel = AtomicBool::new(false);
    let progress = |_| {
        told.fetch_add(1, Ordering::Relaxed);
        cancel.store(true, Ordering::Relaxed);
    };
    assert!(verify_until(&mesh, &scene, &settings, &progress, &cancel).is_none());
    let all = 2 * settings.samples / 256;
    assert!(told.load(Ordering::Relaxed) < all / 2, "the check went on");
    cancel.store(false, Ordering::Relaxed);
    let report = verify_until(&mesh, &scene, &settings, &|_| {}, &cancel);
    assert_eq!(report, Some(verify(&mesh, &scene, &settings, &|_| {})));
}
