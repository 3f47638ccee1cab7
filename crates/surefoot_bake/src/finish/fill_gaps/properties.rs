//! What must hold for fillers whatever the ground looks like: random plates, some with holes, at
//! random heights and angles.

use super::tests::{filled, rectangle};
use crate::ids::SurfaceEdgeId;
use crate::surface::{
    Face, FaceOrigin, Plane, WalkableSurface, lattice_from_plan, plan_m, plan_units,
};
use glam::{DVec2, DVec3};
use proptest::prelude::*;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::overlay::{Overlayer, SetOperation};
use surefoot_geom::polygon::{Contour, contour_area2};
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

const REACH_M: f64 = 0.3;
const AGENT_HEIGHT_M: f64 = 1.8;

/// Overlaps up to this wide are rounding, in metres: a dozen lattice units.
const ROUNDING_M: f64 = 2e-4;

/// A plate: where, how large, how it is turned, how high, and whether it has a hole.
type Plate = ((f64, f64), (f64, f64), f64, usize, bool);

fn plate() -> impl Strategy<Value = Plate> {
    (
        (0.0..4.0_f64, 0.0..4.0_f64),
        (0.2..1.5_f64, 0.2..1.5_f64),
        0.0..std::f64::consts::TAU,
        0..5_usize,
        any::<bool>(),
    )
}

/// Plates as ground: later ones are cut where earlier ones of the same layer lie.
fn ground(plates: &[Plate]) -> WalkableSurface {
    const HEIGHTS_M: [f64; 5] = [0.0, 0.0, 0.1, 0.25, 3.0];
    let mut overlayer = Overlayer::new();
    let mut faces: Vec<Face> = Vec::new();
    for &((x, y), (width, depth), angle, height, hole) in plates {
        let turned = |p: [f64; 2]| {
            lattice_from_plan(DVec2::from(p).rotate(DVec2::from_angle(angle)) + DVec2::new(x, y))
        };
        let outline: Contour =
            rectangle([-width, -depth], [width, depth]).into_iter().map(turned).collect();
        let height_m = HEIGHTS_M[height];
        let near = |f: &&Face| (f.plane.height_at(outline[0]) - height_m).abs() < AGENT_HEIGHT_M;
        let mut taken: Vec<Contour> =
            faces.iter().filter(near).map(|f| f.polygon().contours[0].clone()).collect();
        if hole && width > 0.4 && depth > 0.4 {
            let inner = rectangle([-0.1, -0.3], [0.12, 0.2]);
            taken.push(inner.into_iter().map(turned).collect());
        }
        let origin = FaceOrigin {
            plane: Plane::through(DVec3::new(0.0, 0.0, height_m), DVec3::Z),
            kind: CellKind::Ground,
            area: AreaId(0),
            source: None,
        };
        for piece in overlayer.run(SetOperation::Difference, &[outline], &taken) {
            // Pieces that another plate has cut are ground; holes without area are none.
            faces.push(Face::from_polygon(&piece, |_, _| EdgeClass::Open, &origin));
        }
    }
    WalkableSurface {
        frame: Frame::with_up([0.0, 0.0, 1.0]).unwrap(),
        faces,
        area_names: vec!["ground".to_owned()],
    }
}

/// The width of what two faces have in common in plan, in metres, and where.
fn overlap_m(a: &Face, b: &Face, overlayer: &mut Overlayer) -> Option<(f64, LatticePoint)> {
    let common =
        overlayer.run(SetOperation::Intersection, &a.polygon().contours, &b.polygon().contours);
    common
        .iter()
        .map(|p| {
            let outline = &p.contours[0];
            let around: f64 = (0..outline.len())
                .map(|i| {
                    plan_units(outline[i]).distance(plan_units(outline[(i + 1) % outline.len()]))
                })
                .sum();
            (contour_area2(outline) as f64 / around * M_PER_LATTICE, outline[0])
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

fn corners_of(surface: &WalkableSurface) -> Vec<(CellKind, Vec<(LatticePoint, u64)>)> {
    let mut all: Vec<_> = surface
        .faces
        .iter()
        .map(|f| {
            let mut corners: Vec<(LatticePoint, u64)> = f
                .loops
                .iter()
                .flatten()
                .map(|e| (e.from, (f.plane.height_at(e.from) * 1e6).round().to_bits()))
                .collect();
            corners.sort_unstable();
            (f.kind, corners)
        })
        .collect();
    all.sort_by(|a, b| (a.0 as u8, &a.1).cmp(&(b.0 as u8, &b.1)));
    all
}

/// How far the corners and middles of fillers lie from the ground at most, in plan, and where.
fn farthest_from_ground(surface: &WalkableSurface) -> (f64, DVec2) {
    let borders: Vec<(DVec2, DVec2)> = surface
        .faces
        .iter()
        .filter(|f| f.kind == CellKind::Ground)
        .flat_map(|f| f.edges().map(|(e, to)| (plan_m(e.from), plan_m(to))).collect::<Vec<_>>())
        .collect();
    let away_m = |at: DVec2| {
        borders
            .iter()
            .map(|&(a, b)| {
                let t = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                at.distance(a.lerp(b, t))
            })
            .fold(f64::INFINITY, f64::min)
    };
    let fillers = surface.faces.iter().filter(|f| f.kind == CellKind::Gap);
    fillers
        .flat_map(|face| {
            let mut points: Vec<DVec2> = face.loops[0].iter().map(|e| plan_m(e.from)).collect();
            points.push(points.iter().copied().sum::<DVec2>() / points.len() as f64);
            points
        })
        .map(|at| (away_m(at), at))
        .fold((0.0, DVec2::ZERO), |a, b| if b.0 > a.0 { b } else { a })
}

/// Whether the fillers between some plates lie beside the ground and each other, and leave it as it was.
fn beside_the_ground_and_each_other(plates: &[Plate]) -> Result<(), TestCaseError> {
    let before = ground(plates);
    let components = before.components().1;
    let surface = filled(before.clone(), REACH_M);
    prop_assert_eq!(surface.check_invariants(), Ok(()));
    prop_assert!(surface.components().1 <= components);
    // The ground is what it was.
    let area2 = |s: &WalkableSurface| -> i128 {
        s.faces.iter().filter(|f| f.kind == CellKind::Ground).map(Face::area2).sum()
    };
    prop_assert_eq!(area2(&before), area2(&surface));
    let mut overlayer = Overlayer::new();
    for (i, face) in surface.faces.iter().enumerate() {
        if face.kind != CellKind::Gap {
            continue;
        }
        // All turn the same way.
        prop_assert!(face.area2() > 0);
        for (j, other) in surface.faces.iter().enumerate() {
            if other.kind == CellKind::Gap && j <= i {
                continue;
            }
            if let Some((width_m, at)) = overlap_m(face, other, &mut overlayer) {
                let apart = (face.plane.height_at(at) - other.plane.height_at(at)).abs();
                prop_assert!(
                    width_m <= ROUNDING_M || apart >= 0.9 * AGENT_HEIGHT_M,
                    "{i} {:?} and {j} {:?} overlap by {width_m} m at {:?}",
                    face.kind,
                    other.kind,
                    plan_m(at)
                );
            }
        }
    }
    // No edge is used twice: a neighbour has one neighbour, its own.
    let all: Vec<_> = surface.faces.iter().flat_map(|f| f.loops.iter().flatten()).collect();
    for (i, twin) in all.iter().enumerate().filter_map(|(i, e)| Some((i, e.twin?))) {
        prop_assert_eq!(all[twin.index()].twin.map(SurfaceEdgeId::index), Some(i));
    }
    Ok(())
}

#[test]
fn a_filler_between_edges_that_meet_covers_no_corner_of_other_ground() {
    // The first plate's corner lies in the second one's hole, near the end of a filler that begins in
    // the hole's own corner.
    let plates = [
        (
            (1.24609176452417, 2.831223882940398),
            (1.4754059374179753, 0.645528405369508),
            4.450829649589353,
            0,
            false,
        ),
        (
            (0.43031069377412345, 1.8235768542169435),
            (0.853543529344465, 0.9008092006957618),
            5.247678380983638,
            0,
            true,
        ),
    ];
    beside_the_ground_and_each_other(&plates).unwrap();
}

#[test]
fn a_hole_with_a_speck_of_ground_in_it_is_not_filled_whole() {
    let plates = [
        (
            (3.622741507948354, 1.205724796697462),
            (1.3223253891282332, 1.4951309880759913),
            5.6530701261976315,
            0,
            false,
        ),
        (
            (3.0651011164571864, 3.7266187623878295),
            (0.762971539510553, 1.0602327612891238),
            4.93477513995936,
            0,
            false,
        ),
        (
            (3.8798719290490284, 3.3991039531828537),
            (0.7106185032523605, 0.5244731003827589),
            0.4888856128134732,
            0,
            true,
        ),
    ];
    beside_the_ground_and_each_other(&plates).unwrap();
}

proptest! {
    #[test]
    fn fillers_lie_beside_the_ground_and_each_other(plates in prop::collection::vec(plate(), 2..7)) {
        beside_the_ground_and_each_other(&plates)?;
    }

    #[test]
    fn no_point_of_a_filler_is_farther_from_ground_than_the_reach(
        plates in prop::collection::vec(plate(), 2..6),
    ) {
        // A point of a connection is within half its length of one of its ends; in a hole that fillers
        // leave between them, the ends may lie on fillers, which are as near to the ground again.
        let (away_m, at) = farthest_from_ground(&filled(ground(&plates), REACH_M));
        prop_assert!(away_m <= REACH_M + ROUNDING_M, "{at:?}: {away_m}");
    }

    #[test]
    fn between_two_plates_no_point_of_a_filler_is_farther_from_ground_than_half_the_reach(
        plates in prop::collection::vec(plate(), 2..=2),
    ) {
        let (away_m, at) = farthest_from_ground(&filled(ground(&plates), REACH_M));
        prop_assert!(away_m <= 0.5 * REACH_M + ROUNDING_M, "{at:?}: {away_m}");
    }

    #[test]
    fn the_order_of_the_faces_does_not_matter(
        plates in prop::collection::vec(plate(), 2..6),
        turn in 1..5_usize,
    ) {
        let surface = ground(&plates);
        let mut turned = surface.clone();
        let by = turn % turned.faces.len().max(1);
        turned.faces.rotate_left(by);
        turned.faces.reverse();
        prop_assert_eq!(corners_of(&filled(surface, REACH_M)), corners_of(&filled(turned, REACH_M)));
    }
}
