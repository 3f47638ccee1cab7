//! `surefoot demo`: everything once, on a built-in scene.

use crate::args::DemoArgs;
use crate::build::{Built, build_scene};
use crate::meshes::{Drawing, MeshFormat, write_mesh};
use crate::outcome::{Answer, Failure};
use crate::output::{print, thousands, write_file};
use crate::progress::Spinner;
use serde_json::json;
use std::time::Instant;
use surefoot_bake::BakeSettings;
use surefoot_mesh::{Path, PathOptions, PathPoints, Query};
use surefoot_testing_scenes::{Pair, Variant, build};

/// The scene, and the height above which the picture is cut open.
const SCENE: &str = "floors";
const CUT_HEIGHT_M: f64 = 8.0;

pub(crate) fn run(args: &DemoArgs) -> Result<Answer, Failure> {
    let folder = &args.output;
    std::fs::create_dir_all(folder).map_err(|e| {
        Failure::file(
            folder,
            format!("cannot be created: {e}; run the demo where you may write, or give -o DIR"),
        )
    })?;
    let spinner = Spinner::new();
    spinner.say("making the scene");
    let made = build(SCENE, &Variant::default()).map_err(Failure::failed)?;
    let scene_file = folder.join("scene.glb");
    made.scene.save(&scene_file).map_err(Failure::failed)?;

    let settings = BakeSettings::default();
    let built = build_scene(made.scene, SCENE, 1, &settings, None, Instant::now(), spinner)?;
    let mesh = &built.baked.mesh;
    let mesh_file = folder.join("mesh.snav");
    write_mesh(&mesh_file, MeshFormat::Snav, mesh, Drawing::default())?;

    let (path, micros) = longest_path(&built, &made.truth.pairs)?;
    let path_file = folder.join("path.json");
    let text = json!({
        "found": true, "length": path.length_m, "points": path.points, "micros": micros,
    });
    write_file(&path_file, format!("{text}\n").as_bytes())?;

    let picture_file = folder.join("picture.png");
    let ground = PathOptions { points: PathPoints::Ground, ..PathOptions::default() };
    let (from, to) = ends(&path)?;
    let drawn = Query::new(mesh).find_path_with(from, to, &ground).map_err(Failure::failed)?;
    let drawing = Drawing {
        scene: Some(&built.scene),
        path: &drawn.points,
        cut_height_m: Some(CUT_HEIGHT_M),
        ..Drawing::default()
    };
    write_mesh(&picture_file, MeshFormat::Png, mesh, drawing)?;
    let glb_file = folder.join("mesh.glb");
    write_mesh(&glb_file, MeshFormat::Glb, mesh, Drawing { path: &drawn.points, ..drawing })?;

    print(&format!(
        "{scene}: {SCENE}, {triangles} triangles\n\
         {snav}: {counts}, built in {total:.0} ms\n\
         {json}: {length:.1} m in {corners} points, found in {micros:.0} µs\n\
         {png}: the mesh and the path, the building cut open at {CUT_HEIGHT_M} m\n\
         {glb}: the same in 3D\n\
         Look at {png}, or open {scene} and {glb} together in a 3D program.\n\
         Next: surefoot build your-level.glb -o level.snav\n",
        scene = scene_file.display(),
        triangles = thousands(built.report.input_triangles),
        snav = mesh_file.display(),
        counts = built.report.counts.line(),
        total = built.report.total_ms,
        json = path_file.display(),
        length = path.length_m,
        corners = path.points.len(),
        png = picture_file.display(),
        glb = glb_file.display(),
    ))?;
    Ok(Answer::Yes)
}

/// The longest of the scene's known ways, and how many microseconds the search took.
fn longest_path(built: &Built, pairs: &[Pair]) -> Result<(Path, f64), Failure> {
    let mut query = Query::new(&built.baked.mesh);
    let mut longest: Option<(Path, f64)> = None;
    for pair in pairs.iter().filter(|p| p.connected && p.gap_reach_m <= 0.0) {
        let start = Instant::now();
        let Ok(path) = query.find_path(pair.from, pair.to) else { continue };
        let micros = (start.elapsed().as_secs_f64() * 1e9).round() / 1e3;
        if longest.as_ref().is_none_or(|(l, _)| path.length_m > l.length_m) {
            longest = Some((path, micros));
        }
    }
    longest.ok_or_else(|| {
        Failure::failed(format!("no path was found on the built-in scene {SCENE}: a defect"))
    })
}

fn ends(path: &Path) -> Result<([f64; 3], [f64; 3]), Failure> {
    match (path.points.first(), path.points.last()) {
        (Some(&from), Some(&to)) => Ok((from, to)),
        _ => Err(Failure::failed("the path has no points: a defect")),
    }
}
