//! Looks into why a scene gave no mesh, when a build has come to nothing.

use crate::diagnosis::{GroundDiagnosis, TriangleCount};
use crate::input::classify::{Classifier, FaceClass};
use glam::DVec3;
use surefoot_geom::Frame;
use surefoot_mesh::Agent;
use surefoot_scene::{Scene, TagRole};

/// Looks at a scene's triangles one by one.
pub(crate) fn diagnose(
    scene: &Scene,
    frame: &Frame,
    agent: &Agent,
    two_sided: bool,
) -> GroundDiagnosis {
    let ignored = scene.ignored();
    let mut out = GroundDiagnosis {
        non_finite: ignored.non_finite,
        zero_area: ignored.zero_area,
        ..GroundDiagnosis::default()
    };
    let classifier = Classifier::new(agent, two_sided);
    let from_both_sides = Classifier::new(agent, true);
    let axes = other_axes(frame.up());
    let mut along = [TriangleCount::default(); 6];
    for (t, &triangle) in scene.triangles().iter().enumerate() {
        let [a, b, c] = triangle.map(|p| DVec3::from(scene.point(p)));
        let doubled = (b - a).cross(c - a);
        let area_m2 = 0.5 * doubled.length();
        let normal = DVec3::from(frame.canonical_direction(doubled.to_array()));
        let class = classifier.facing(normal, 0);
        let role = scene.role(t);
        if role == TagRole::Obstacle {
            out.obstacles.add(area_m2);
            continue;
        }
        if class.is_ground() || role == TagRole::Ground && class != FaceClass::UPRIGHT {
            out.ground.add(area_m2);
        } else if class == FaceClass::STEEP {
            out.steep.add(area_m2);
        } else if class == FaceClass::UPRIGHT {
            out.upright.add(area_m2);
        } else {
            out.facing_down.add(area_m2);
            if from_both_sides.facing(normal, 0).is_ground() {
                out.ground_turned_over.add(area_m2);
            }
        }
        for (axis, along) in axes.iter().zip(&mut along) {
            let up = doubled.dot(DVec3::from(*axis));
            let across = (doubled.length_squared() - up * up).max(0.0).sqrt();
            if classifier.facing(DVec3::new(across, 0.0, up), 0).is_ground() {
                along.add(area_m2);
            }
        }
    }
    let by_area =
        |a: &(_, TriangleCount), b: &(_, TriangleCount)| a.1.area_m2.total_cmp(&b.1.area_m2);
    let best = axes.into_iter().zip(along).max_by(by_area);
    out.other_up = best.filter(|(_, ground)| ground.count > 0);
    out
}

/// The six axes less those that lie along a direction, which stand there as the others do, with no
/// length.
fn other_axes(up: [f64; 3]) -> [[f64; 3]; 6] {
    let along = |axis: [f64; 3]| DVec3::from(axis).dot(DVec3::from(up).normalize_or_zero()).abs();
    let mut axes = [[0.0; 3]; 6];
    for (k, axis) in axes.iter_mut().enumerate() {
        axis[k / 2] = if k % 2 == 0 { 1.0 } else { -1.0 };
        if along(*axis) > 0.9 {
            *axis = [0.0; 3];
        }
    }
    axes
}
