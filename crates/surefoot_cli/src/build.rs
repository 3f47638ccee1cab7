//! `surefoot build`: scenes to a mesh.

use crate::args::BuildArgs;
use crate::flags::with_flags;
use crate::meshes::{Drawing, MeshFormat, load_scenes, write_mesh};
use crate::outcome::{Answer, Failure};
use crate::output::{check_place, print, print_json, warn};
use crate::progress::Spinner;
use crate::report::{Report, Stage, rounded_ms};
use crate::resolve::{build_settings, refuse};
use crate::settings_file::print_settings;
use serde_json::{Map, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use surefoot_bake::{BakeError, BakeSettings, Baked, Baker};
use surefoot_debug::DumpObserver;
use surefoot_scene::Scene;

/// A scene and the mesh that was built from it.
pub(crate) struct Built {
    pub(crate) scene: Scene,
    pub(crate) baked: Baked,
    pub(crate) report: Report,
}

pub(crate) fn run(args: BuildArgs) -> Result<Answer, Failure> {
    let (settings, without_effect) = build_settings(&args)?;
    if args.print_settings {
        print(&print_settings(&settings))?;
        return Ok(Answer::Yes);
    }
    let Some(output) = &args.output else { return Err(Failure::usage("give -o OUT")) };
    let format = MeshFormat::of(output)?;
    check_place(output)?;
    without_effect.iter().for_each(warn);
    let built = build(&args.scenes, &settings, args.dump.as_deref())?;
    built.report.warnings.iter().for_each(warn);
    let drawing = Drawing { scene: Some(&built.scene), ..Drawing::default() };
    write_mesh(output, format, &built.baked.mesh, drawing)?;
    if args.json {
        print_json(&built.report)?;
    } else {
        print(&built.report.text(&output.display().to_string()))?;
    }
    Ok(Answer::Yes)
}

/// Reads scenes and builds a mesh from them.
pub(crate) fn build(
    scenes: &[PathBuf],
    settings: &BakeSettings,
    dump: Option<&Path>,
) -> Result<Built, Failure> {
    let spinner = Spinner::new();
    spinner.say("reading");
    let start = Instant::now();
    let scene = load_scenes(scenes)?;
    let names: Vec<String> = scenes.iter().map(|p| p.display().to_string()).collect();
    build_scene(scene, &names.join(", "), scenes.len(), settings, dump, start, spinner)
}

/// Builds a mesh from a scene that was read since `start`.
pub(crate) fn build_scene(
    scene: Scene,
    name: &str,
    files: usize,
    settings: &BakeSettings,
    dump: Option<&Path>,
    start: Instant,
    mut spinner: Spinner,
) -> Result<Built, Failure> {
    let mut counts = Map::new();
    counts.insert("files".to_owned(), json!(files));
    counts.insert("triangles".to_owned(), json!(scene.triangle_count()));
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let load = Stage { name: "load".to_owned(), ms: rounded_ms(load_ms), counts };
    let mut observer = dump.map(DumpObserver::new).transpose().map_err(Failure::failed)?;
    let mut baker = Baker::new(settings).progress(&mut spinner);
    if let Some(observer) = observer.as_mut() {
        baker = baker.observe(observer);
    }
    let baked = baker.bake(&scene).map_err(|error| match error {
        BakeError::Settings(error) => refuse(error),
        error => Failure::failed(format!("{name}: {}", with_flags(&error.to_string()))),
    })?;
    let total_ms = start.elapsed().as_secs_f64() * 1e3;
    drop(spinner);
    if let Some(observer) = observer {
        observer.finish().map_err(Failure::failed)?;
    }
    let report = Report::new(&baked.mesh, &baked.report, load, total_ms);
    Ok(Built { scene, baked, report })
}
