//! `surefoot info`: what a mesh file holds.

use crate::args::InfoArgs;
use crate::meshes::load_mesh;
use crate::outcome::{Answer, Failure};
use crate::output::{print, print_json, thousands};
use crate::report::Counts;
use serde_json::{Value, json};
use std::fmt::Write;
use surefoot_debug::rounded_degrees;
use surefoot_mesh::TagRules;

pub(crate) fn run(args: &InfoArgs) -> Result<Answer, Failure> {
    let mesh = load_mesh(&args.mesh)?;
    let bytes = std::fs::metadata(&args.mesh).map_or(0, |m| m.len());
    let counts = Counts::of(&mesh);
    let agent = mesh.agent();
    let slope_deg = rounded_degrees(agent.max_slope_rad);
    let bounds = mesh.bounds();
    let version = surefoot_mesh::SNAV_VERSION;
    let areas = &mesh.data().area_names;
    if args.json {
        let mut value = serde_json::to_value(counts)
            .map_err(|e| Failure::failed(format!("the counts cannot be written as JSON: {e}")))?;
        if let Value::Object(map) = &mut value {
            map.insert("file".into(), json!(args.mesh.display().to_string()));
            map.insert("bytes".into(), json!(bytes));
            map.insert("version".into(), json!(version));
            map.insert(
                "agent".into(),
                json!({"height_m": agent.height_m, "radius_m": agent.radius_m,
                       "max_slope_deg": slope_deg, "max_step_m": agent.max_step_m}),
            );
            map.insert("up".into(), json!(mesh.frame().up()));
            map.insert(
                "bounds".into(),
                bounds.map_or(Value::Null, |b| json!({"min": b.low, "max": b.high})),
            );
            map.insert("areas".into(), json!(areas));
            let TagRules { ignore, obstacle, ground } = &mesh.data().tag_rules;
            map.insert(
                "tag_rules".into(),
                json!({ "ignore": ignore, "obstacle": obstacle, "ground": ground }),
            );
            map.insert("convex_distance_m".into(), json!(mesh.data().convex_distance_m));
            map.insert(
                "method".into(),
                mesh.data().build.map_or(Value::Null, |b| json!(b.method.name())),
            );
        }
        print_json(&value)?;
        return Ok(Answer::Yes);
    }
    let mut out = format!(
        "{}: navigation mesh, format version {version}, {} bytes\n  {}\n",
        args.mesh.display(),
        thousands(bytes),
        counts.line()
    );
    let _ = writeln!(
        out,
        "  agent: height {} m, radius {} m, slope {slope_deg}°, step {} m",
        agent.height_m, agent.radius_m, agent.max_step_m
    );
    if let Some(build) = &mesh.data().build {
        let _ = writeln!(out, "  built by the {} method", build.method.name());
    }
    if let Some(b) = bounds {
        let _ = writeln!(
            out,
            "  bounds: ({:.3}, {:.3}, {:.3}) to ({:.3}, {:.3}, {:.3})",
            b.low[0], b.low[1], b.low[2], b.high[0], b.high[1], b.high[2]
        );
    }
    let up = mesh.frame().up();
    let _ = writeln!(out, "  up: ({}, {}, {})", up[0], up[1], up[2]);
    if areas.len() > 1 {
        let _ = writeln!(out, "  areas: {}", areas.join(", "));
    }
    let TagRules { ignore, obstacle, ground } = &mesh.data().tag_rules;
    for (name, patterns) in
        [("left out", ignore), ("never ground", obstacle), ("always ground", ground)]
    {
        if !patterns.is_empty() {
            let _ = writeln!(out, "  {name}, by tag: {}", patterns.join(", "));
        }
    }
    print(&out)?;
    Ok(Answer::Yes)
}
