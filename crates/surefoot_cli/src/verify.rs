//! `surefoot verify`: an independent check of a mesh against the geometry that it came from.

use crate::args::VerifyArgs;
use crate::meshes::{load_mesh, load_scenes};
use crate::outcome::{Answer, Failure};
use crate::output::{check_place, ending, print, print_json, write_file};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;
use surefoot_bake::StageView;
use surefoot_debug::{
    ColourBy, GlbLayer, PictureOptions, Primitive, Rgb, render_overview, view_layers, view_of_mesh,
    write_glb,
};
use surefoot_mesh::{NavMesh, NavMeshData};
use surefoot_scene::Scene;
use surefoot_verify::{
    GivenAgent, Missing, Report, Share, Stratum, VerifySettings, mesh_from_detour,
    mesh_from_navcat, mesh_from_scene, verify,
};

/// Half the size of a mark in the `.glb` file, in metres.
const MARK_M: f64 = 0.06;

const UNSOUND: Rgb = [230, 40, 40];
const UNCOVERED: Rgb = [250, 200, 30];
const CONNECTION: Rgb = [200, 60, 220];
const STRUCTURE: Rgb = [40, 120, 255];

pub(crate) fn run(args: &VerifyArgs) -> Result<Answer, Failure> {
    if let Some(place) = &args.faults {
        if !["glb", "png"].contains(&ending(place).as_str()) {
            return Err(Failure::usage(format!(
                "{}: faults are marked in a .glb file or a .png picture; give a name with one of \
                 these endings",
                place.display()
            )));
        }
        check_place(place)?;
    }
    let mut data = load_data(args)?;
    data.tag_rules.ignore.extend_from_slice(&args.ignore);
    data.tag_rules.obstacle.extend_from_slice(&args.obstacle);
    data.tag_rules.ground.extend_from_slice(&args.ground);
    let settings = settings(args, &data)?;
    let scene = load_scenes(&args.scenes)?;
    let report = {
        let bar = bar();
        verify(&data, &scene, &settings, &|share| {
            if let Some(bar) = &bar {
                bar.set_position((share * 1000.0) as u64);
            }
        })
    };
    if let Some(place) = &args.faults {
        write_faults(place, &data, &scene, &report)?;
    }
    let [sound, complete] = required(args);
    let passes = report.passes(sound, complete);
    if args.json {
        print_json(&to_json(&report, &settings, passes, [sound, complete]))?;
    } else {
        print(&to_text(&report, passes, [sound, complete]))?;
    }
    Ok(if passes { Answer::Yes } else { Answer::No })
}

/// The shares that are asked for.
fn required(args: &VerifyArgs) -> [f64; 2] {
    let mut shares = [0.999, 0.99];
    for &(complete, share) in &args.require {
        shares[usize::from(complete)] = share;
    }
    shares
}

/// What the mesh is held to: what its own build says, unless flags say otherwise.
fn settings(args: &VerifyArgs, data: &NavMeshData) -> Result<VerifySettings, Failure> {
    let mut settings = match (args.cell_size, &data.build) {
        (Some(cell), _) => VerifySettings::for_voxels(cell, args.cell_height.unwrap_or(0.5 * cell)),
        (None, Some(build)) => VerifySettings::for_build(build),
        (None, None) => VerifySettings::default(),
    };
    for (value, into) in [
        (args.tolerance, &mut settings.tolerance_m),
        (args.margin, &mut settings.margin_m),
        (args.height_tolerance, &mut settings.height_tolerance_m),
        (args.gap_distance, &mut settings.gap_distance_m),
        (args.min_area, &mut settings.min_area_m2),
    ] {
        if let Some(value) = value {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Failure::usage(format!(
                    "{value} is no size; tolerances and areas are 0 or more"
                )));
            }
            *into = value;
        }
    }
    if let Some(samples) = args.samples {
        settings.samples = samples;
    }
    settings.seed = args.seed;
    settings.two_sided |= args.two_sided;
    settings.keep_inside |= args.keep_inside;
    settings.reachable_only |= args.reachable_only;
    settings.worst = args.worst;
    Ok(settings)
}

/// The mesh: one of ours, or another tool's.
fn load_data(args: &VerifyArgs) -> Result<NavMeshData, Failure> {
    let agent = GivenAgent {
        height_m: args.agent_height,
        radius_m: args.agent_radius,
        max_slope_rad: args.max_slope.map(f64::to_radians),
        max_step_m: args.max_step,
    };
    let bytes = || std::fs::read(&args.mesh).map_err(|e| Failure::file(&args.mesh, e));
    let imported = match ending(&args.mesh).as_str() {
        "snav" => return load_mesh(&args.mesh).map(NavMesh::into_data),
        "bin" => mesh_from_detour(&bytes()?, agent, args.up),
        "json" => mesh_from_navcat(&bytes()?, agent, args.up),
        _ => {
            let polygons = load_scenes(std::slice::from_ref(&args.mesh))?;
            mesh_from_scene(&polygons, agent.or_default(), args.up)
        }
    };
    imported.map_err(|e| Failure::file(&args.mesh, e))
}

/// A bar; none unless standard error is a terminal.
fn bar() -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{bar:40.cyan} {percent} % {elapsed:.dim}")
        {
            bar.set_style(style);
        }
        bar
    })
}

fn share_json(share: &Share) -> Value {
    let [low, high] = share.interval();
    json!({
        "share": share.value(),
        "passed": share.passed,
        "counted": share.counted,
        "interval": [low, high],
    })
}

/// The report for machines. `sound` and `complete` are plain shares; details stand beside them.
fn to_json(report: &Report, settings: &VerifySettings, passes: bool, required: [f64; 2]) -> Value {
    let strata: serde_json::Map<String, Value> = Stratum::ALL
        .iter()
        .map(|&s| (s.name().to_owned(), share_json(&report.sound_by_stratum[s as usize])))
        .collect();
    let by_reason: serde_json::Map<String, Value> =
        report.unsound_by_reason.iter().map(|(r, &n)| (r.name().to_owned(), n.into())).collect();
    let unsound: Vec<Value> = report
        .unsound
        .iter()
        .map(|f| {
            json!({
                "at": f.at, "cell": f.cell, "reason": f.reason.name(), "text": f.reason.text(),
                "because_of": f.because_of, "short_by_m": f.short_by_m,
                "sampled": f.stratum.name(),
            })
        })
        .collect();
    let uncovered: Vec<Value> = report
        .uncovered
        .iter()
        .map(|f| match f.missing {
            Missing::BesideMesh { component } => {
                json!({"at": f.at, "beside_component": component, "away_m": f.away_m})
            }
            Missing::Island { area_m2 } => json!({"at": f.at, "island_of_m2": area_m2}),
            _ => json!({"at": f.at}),
        })
        .collect();
    let connection: Vec<Value> =
        report.connection_faults.iter().map(|f| json!({"at": f.at(), "text": f.text()})).collect();
    let structure: Vec<Value> = report
        .structure_faults
        .iter()
        .map(|f| json!({"kind": f.kind.name(), "text": f.kind.text(), "at": f.at}))
        .collect();
    let components: Vec<Value> = report
        .components
        .iter()
        .map(|c| json!({"area_m2": c.area_m2, "complete": share_json(&c.complete)}))
        .collect();
    json!({
        "passes": passes,
        "required": {"sound": required[0], "complete": required[1]},
        "held_to": {
            "tolerance_m": settings.tolerance_m, "margin_m": settings.margin_m,
            "height_tolerance_m": settings.height_tolerance_m,
            "gap_distance_m": settings.gap_distance_m, "fill_gaps_m": settings.fill_gaps_m,
            "min_area_m2": settings.min_area_m2,
        },
        "sound": report.sound.value(),
        "sound_detail": share_json(&report.sound),
        "sound_by_stratum": strata,
        "unsound_by_reason": by_reason,
        "complete": report.complete.value(),
        "complete_detail": share_json(&report.complete),
        "inside_m2": report.inside_m2,
        "left_out": report.left_out,
        "components": components,
        "walks": share_json(&report.walks),
        "portals": share_json(&report.portals),
        "connection_faults": report.connection_fault_count,
        "structure_faults": report.structure_faults.len(),
        "unsound": unsound,
        "uncovered": uncovered,
        "connection": connection,
        "structure": structure,
    })
}

fn share_text(share: &Share) -> String {
    let [low, high] = share.interval();
    format!(
        "{:.5} ({:.5} to {:.5}; {} of {} samples failed)",
        share.value(),
        low,
        high,
        share.counted - share.passed,
        share.counted
    )
}

fn place(at: [f64; 3]) -> String {
    format!("({:.3}, {:.3}, {:.3})", at[0], at[1], at[2])
}

/// The report for people.
fn to_text(report: &Report, passes: bool, [sound, complete]: [f64; 2]) -> String {
    let mut out = String::new();
    let verdict = if passes { "passes" } else { "does not pass" };
    let _ = writeln!(out, "the mesh {verdict} (required: sound {sound}, complete {complete})");
    if !report.is_of_something() {
        let _ =
            writeln!(out, "  nothing was judged: the mesh is empty, or no samples were asked for");
    }
    let _ = writeln!(out, "  sound:     {}", share_text(&report.sound));
    for (reason, count) in &report.unsound_by_reason {
        let _ = writeln!(out, "    {count} because {}", reason.text());
    }
    let _ = writeln!(out, "  complete:  {}", share_text(&report.complete));
    if report.left_out > 0 {
        let _ = writeln!(out, "  {} samples on patches that may be left out", report.left_out);
    }
    if report.inside_m2 > 0.0 {
        let _ = writeln!(
            out,
            "  inside:    {:.2} m² of the mesh lie inside something",
            report.inside_m2
        );
    }
    let (w, p) = (&report.walks, &report.portals);
    let _ = writeln!(
        out,
        "  connection: {} faults ({} of {} walks stayed, {} of {} portals can be crossed)",
        report.connection_fault_count, w.passed, w.counted, p.passed, p.counted
    );
    let _ = writeln!(out, "  structure: {} faults", report.structure_faults.len());
    for f in &report.unsound {
        let _ = writeln!(
            out,
            "  unsound at {}: {}, at {}; short by {:.3} m",
            place(f.at),
            f.reason.text(),
            place(f.because_of),
            f.short_by_m
        );
    }
    for f in &report.uncovered {
        let how = match f.missing {
            Missing::BesideMesh { component } => {
                format!("{:.3} m beside component {component}", f.away_m)
            }
            Missing::Island { area_m2 } => format!("an island of {area_m2:.2} m² or more"),
            _ => String::new(),
        };
        let _ = writeln!(out, "  not covered at {}: {how}", place(f.at));
    }
    for f in &report.connection_faults {
        let _ = writeln!(out, "  connection at {}: {}", place(f.at()), f.text());
    }
    const MOST: usize = 20;
    for f in report.structure_faults.iter().take(MOST) {
        let at = f.at.map(|at| format!(" at {}", place(at))).unwrap_or_default();
        let _ = writeln!(out, "  structure{at}: {}", f.kind.text());
    }
    if report.structure_faults.len() > MOST {
        let _ = writeln!(out, "  ... and {} more", report.structure_faults.len() - MOST);
    }
    out
}

/// The mesh with its faults marked, one layer for each kind of fault.
fn write_faults(
    path: &Path,
    data: &NavMeshData,
    scene: &Scene,
    report: &Report,
) -> Result<(), Failure> {
    let view = data.clone().validate().ok().map(|mesh| view_of_mesh(&mesh));
    let kinds: [(&str, Rgb, Vec<[f64; 3]>); 4] = [
        ("unsound", UNSOUND, report.unsound.iter().map(|f| f.at).collect()),
        ("uncovered", UNCOVERED, report.uncovered.iter().map(|f| f.at).collect()),
        ("connection", CONNECTION, report.connection_faults.iter().map(|f| f.at()).collect()),
        ("structure", STRUCTURE, report.structure_faults.iter().filter_map(|f| f.at).collect()),
    ];
    if ending(path) == "png" {
        let marks: Vec<([f64; 3], Rgb)> = kinds
            .iter()
            .flat_map(|(_, colour, places)| places.iter().map(|at| (*at, *colour)))
            .collect();
        let empty = || StageView { up: data.frame.up(), ..StageView::default() };
        let options =
            PictureOptions { scene: Some(scene), marks: &marks, ..PictureOptions::default() };
        let picture = render_overview(&view.unwrap_or_else(empty), &options);
        return write_file(path, &picture.map_err(|e| Failure::file(path, e))?);
    }
    let mut layers = view.map_or_else(Vec::new, |view| view_layers(&view, ColourBy::Component));
    for (name, colour, places) in kinds {
        let mut layer = GlbLayer::new(name, Primitive::Triangles);
        for at in places {
            mark(&mut layer, at, data.frame.up(), colour);
        }
        layers.push(layer);
    }
    let bytes = write_glb(&layers).map_err(|e| Failure::file(path, e))?;
    write_file(path, &bytes)
}

/// A double pyramid on its tip, over a place.
fn mark(layer: &mut GlbLayer, at: [f64; 3], up: [f64; 3], colour: Rgb) {
    let lift = |d: f64| -> [f64; 3] { std::array::from_fn(|k| at[k] + up[k] * d) };
    let middle = lift(4.0 * MARK_M);
    // Two axes across up.
    let helper = if up[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let across = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let u = across(up, helper);
    let length = u.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-9);
    let u = u.map(|c| c / length);
    let v = across(up, u);
    let ring: Vec<u32> = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
        .iter()
        .map(|&(a, b)| {
            let p = std::array::from_fn(|k| middle[k] + MARK_M * (a * u[k] + b * v[k]));
            layer.push(p, colour)
        })
        .collect();
    let (low, high) = (layer.push(at, colour), layer.push(lift(8.0 * MARK_M), colour));
    for k in 0..4 {
        let (a, b) = (ring[k], ring[(k + 1) % 4]);
        layer.indices.extend([low, b, a, high, a, b]);
    }
}
