//! `surefoot scene`: the built-in procedural scenes.

use crate::args::SceneArgs;
use crate::outcome::{Answer, Failure};
use crate::output::{check_place, ending, print, print_json, thousands};
use serde_json::{Value, json};
use std::fmt::Write;
use surefoot_testing_scenes::{Variant, build, list};

pub(crate) fn run(args: &SceneArgs) -> Result<Answer, Failure> {
    let (Some(name), Some(output)) = (&args.name, &args.output) else {
        return print_list(args.json);
    };
    if !matches!(ending(output).as_str(), "obj" | "glb" | "ply" | "stl") {
        return Err(Failure::usage(format!(
            "{}: the ending chooses the format; use .obj, .glb, .ply or .stl",
            output.display()
        )));
    }
    let variant = Variant {
        size: args.size,
        rotate_deg: args.rotate,
        shatter: args.shatter,
        jitter_m: args.jitter,
        dirty: args.dirty,
        seed: args.seed,
    };
    let scene = build(name, &variant).map_err(Failure::usage)?.scene;
    check_place(output)?;
    scene.save(output).map_err(Failure::failed)?;
    if args.json {
        print_json(&json!({
            "name": name, "file": output.display().to_string(),
            "triangles": scene.triangle_count(),
        }))?;
    } else {
        print(&format!(
            "{}: {name}, {} triangles\n",
            output.display(),
            thousands(scene.triangle_count() as u64)
        ))?;
    }
    Ok(Answer::Yes)
}

fn print_list(as_json: bool) -> Result<Answer, Failure> {
    if as_json {
        let scenes: Vec<Value> = list()
            .iter()
            .map(|s| {
                json!({"name": s.name, "summary": s.summary, "default_size": s.default_size,
                       "min_size": s.min_size, "max_size": s.max_size})
            })
            .collect();
        print_json(&scenes)?;
        return Ok(Answer::Yes);
    }
    let width = list().iter().map(|s| s.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for s in list() {
        let _ = writeln!(out, "{:<width$}  {} [{}]", s.name, s.summary, s.default_size);
    }
    print(&out)?;
    Ok(Answer::Yes)
}
