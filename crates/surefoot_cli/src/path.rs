//! `surefoot path`: shortest paths on a mesh.

use crate::args::{AlgorithmFlag, PathArgs, PointsFlag, Triple};
use crate::meshes::{Drawing, MeshFormat, load_mesh, load_scenes, write_mesh};
use crate::outcome::{Answer, Failure};
use crate::output::{check_place, print, print_json};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path as FilePath;
use std::time::Instant;
use surefoot_mesh::{
    Algorithm, CellKind, Filter, LinkKind, NavMesh, Path, PathError, PathOptions, PathPoints,
    Query, Unreachable,
};

/// One pair's answer; the keys are a contract.
#[derive(Debug, Serialize)]
struct Line<'a> {
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<&'a [[f64; 3]]>,
    /// What the path costs under the filter, in metres of plain ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaches_goal: Option<bool>,
    /// Lengths over gap fillers and ramps, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ramp_length: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkLine>,
    micros: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// A link that a path takes.
#[derive(Debug, Serialize)]
struct LinkLine {
    link: u32,
    kind: &'static str,
    /// The point of the path at which it starts.
    point: usize,
}

pub(crate) fn run(args: &PathArgs) -> Result<Answer, Failure> {
    if let Some(extents) = args.extents.filter(|e| e.iter().any(|&c| c < 0.0)) {
        return Err(Failure::usage(format!(
            "--extents {},{},{}: a distance cannot be negative",
            extents[0], extents[1], extents[2]
        )));
    }
    if let Some(radius) = args.radius.filter(|r| !(*r >= 0.0 && r.is_finite())) {
        return Err(Failure::usage(format!(
            "--radius {radius}: give a distance of 0 or more, in metres"
        )));
    }
    let drawing = match &args.output {
        Some(output) => {
            let format = MeshFormat::of(output)?;
            if !matches!(format, MeshFormat::Svg | MeshFormat::Png | MeshFormat::Glb) {
                return Err(Failure::usage(format!(
                    "{}: a path is drawn into .svg, .png or .glb",
                    output.display()
                )));
            }
            check_place(output)?;
            Some((output, format))
        }
        None => None,
    };
    let mesh = load_mesh(&args.mesh)?;
    let pairs = match (&args.pairs, args.from, args.to) {
        (Some(file), ..) => read_pairs(file)?,
        (None, Some(from), Some(to)) => vec![(from, to)],
        _ => return Err(Failure::usage("give --from and --to, or --pairs")),
    };
    let options = PathOptions {
        algorithm: match args.algorithm {
            AlgorithmFlag::Optimal => Algorithm::Optimal,
            AlgorithmFlag::Portals => Algorithm::AStar,
        },
        points: match args.points {
            PointsFlag::Corners => PathPoints::Corners,
            PointsFlag::Ground => PathPoints::Ground,
        },
        unreachable: if args.near { Unreachable::NearestReachable } else { Unreachable::Refuse },
        max_nodes: args.max_nodes,
        ..PathOptions::default()
    };
    let mut query = Query::new(&mesh);
    if let Some(extents) = args.extents {
        query.set_extents(extents);
    }
    query.set_filter(&filter(&mesh, args)?).map_err(Failure::usage)?;
    if let Some(radius) = args.radius {
        query.set_radius(radius).map_err(|e| Failure::failed(format!("--radius {radius}: {e}")))?;
    }
    let mut answer = Answer::Yes;
    let mut path = Path::default();
    for &(from, to) in &pairs {
        let start = Instant::now();
        let result = query.find_path_into(from, to, &options, &mut path);
        let micros = (start.elapsed().as_secs_f64() * 1e9).round() / 1e3;
        if result.is_err() {
            answer = Answer::No;
        }
        let result = result.map(|()| &path);
        if args.json {
            print_json(&line(&mesh, result, micros))?;
        } else {
            print(&text(result, micros, args.pairs.is_some()))?;
        }
    }
    if let Some((output, format)) = drawing {
        draw(&mut query, pairs.first(), options, args, output, format)?;
    }
    Ok(answer)
}

/// The filter that `--exclude` and `--cost` ask for. A word that is the name of an area type means
/// that; otherwise it may be a kind of cells or links.
fn filter(mesh: &NavMesh, args: &PathArgs) -> Result<Filter, Failure> {
    let mut filter = Filter::default();
    let excluded = args.exclude.iter().map(|name| ("--exclude", name, f32::INFINITY));
    // Exclusions last: what is excluded stays so whatever it would cost.
    for (flag, name, cost) in
        args.costs.iter().map(|(name, cost)| ("--cost", name, *cost)).chain(excluded)
    {
        if let Some(area) = mesh.area_named(name) {
            filter.set_area_cost(area, cost);
        } else if let Some((_, kind)) = CELL_KINDS.iter().find(|(n, _)| n == name) {
            filter.set_kind_cost(*kind, cost);
        } else if let Some((_, kind)) = LINK_KINDS.iter().find(|(n, _)| n == name) {
            filter.set_link_cost(*kind, cost);
        } else if name == ALL_LINKS {
            for &kind in LinkKind::ALL {
                filter.set_link_cost(kind, cost);
            }
        } else {
            let known = mesh.data().area_names.iter().map(String::as_str);
            let kinds =
                CELL_KINDS.iter().map(|(n, _)| *n).chain(LINK_KINDS.iter().map(|(n, _)| *n));
            let known: Vec<&str> = known.chain(kinds).chain([ALL_LINKS]).collect();
            return Err(Failure::failed(format!(
                "{flag} {name}: the mesh has no area type of that name; it knows {}",
                known.join(", ")
            )));
        }
    }
    Ok(filter)
}

const CELL_KINDS: [(&str, CellKind); 2] = [("gaps", CellKind::Gap), ("ramps", CellKind::Ramp)];

const LINK_KINDS: [(&str, LinkKind); 4] = [
    ("step-links", LinkKind::Step),
    ("gap-links", LinkKind::Gap),
    ("jump-links", LinkKind::Jump),
    ("door-links", LinkKind::Door),
];

const ALL_LINKS: &str = "links";

fn line<'a>(mesh: &NavMesh, result: Result<&'a Path, PathError>, micros: f64) -> Line<'a> {
    let none = Line {
        found: false,
        length: None,
        points: None,
        cost: None,
        reaches_goal: None,
        gap_length: None,
        ramp_length: None,
        links: Vec::new(),
        micros,
        reason: None,
    };
    let kind_name = |kind: LinkKind| {
        LINK_KINDS.iter().find(|(_, k)| *k == kind).map_or("link", |(name, _)| name)
    };
    match result {
        Ok(path) => Line {
            found: true,
            length: Some(path.length_m),
            points: Some(&path.points),
            cost: Some(path.cost),
            reaches_goal: (!path.reaches_goal).then_some(false),
            gap_length: Some(path.gap_length_m).filter(|&m| m > 0.0),
            ramp_length: Some(path.ramp_length_m).filter(|&m| m > 0.0),
            links: path
                .links
                .iter()
                .map(|l| LinkLine {
                    link: l.link.0,
                    kind: kind_name(mesh.link(l.link).kind),
                    point: l.point,
                })
                .collect(),
            ..none
        },
        Err(error) => Line { reason: Some(error.reason()), ..none },
    }
}

/// For people: one line a pair, and the points below it when only one was asked for.
fn text(result: Result<&Path, PathError>, micros: f64, many: bool) -> String {
    match result {
        Ok(path) => {
            let mut out = format!(
                "{:.3} m over {} points, {micros:.1} µs\n",
                path.length_m,
                path.points.len()
            );
            if !many {
                for p in &path.points {
                    let _ = writeln!(out, "  {:.4}, {:.4}, {:.4}", p[0], p[1], p[2]);
                }
            }
            out
        }
        Err(error) => format!("no path ({}): {error}\n", error.reason()),
    }
}

/// Draws a path as it lies on the ground; only the mesh where there is none.
fn draw(
    query: &mut Query<'_>,
    pair: Option<&(Triple, Triple)>,
    options: PathOptions,
    args: &PathArgs,
    output: &FilePath,
    format: MeshFormat,
) -> Result<(), Failure> {
    let options = PathOptions { points: PathPoints::Ground, ..options };
    let path = pair.and_then(|&(from, to)| query.find_path_with(from, to, &options).ok());
    let points = path.map_or_else(Vec::new, |p| p.points);
    let scene = match format {
        MeshFormat::Png if !args.scenes.is_empty() => Some(load_scenes(&args.scenes)?),
        _ => None,
    };
    let drawing = Drawing {
        scene: scene.as_ref(),
        path: &points,
        cut_height_m: args.cut_height,
        ..Drawing::default()
    };
    write_mesh(output, format, query.mesh(), drawing)
}

/// Six numbers a line, apart by spaces or commas; empty lines and what follows `#` do not count.
fn read_pairs(file: &FilePath) -> Result<Vec<(Triple, Triple)>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|e| {
        Failure::file(file, format!("cannot be read: {e}; check that it exists and is text"))
    })?;
    let mut pairs = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let six = parse_six(line).ok_or_else(|| {
            Failure::file(
                file,
                format!("line {}: give six finite numbers, start and goal", number + 1),
            )
        })?;
        pairs.push(([six[0], six[1], six[2]], [six[3], six[4], six[5]]));
    }
    if pairs.is_empty() {
        return Err(Failure::file(file, "holds no pair; give six numbers a line, start and goal"));
    }
    Ok(pairs)
}

fn parse_six(line: &str) -> Option<[f64; 6]> {
    let mut six = [0.0; 6];
    let mut count = 0;
    let words = line.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    for word in words.filter(|w| !w.is_empty()) {
        *six.get_mut(count)? = word.parse::<f64>().ok().filter(|v| v.is_finite())?;
        count += 1;
    }
    (count == 6).then_some(six)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_with_spaces_or_commas() {
        assert_eq!(parse_six("1 2 3  4,5, -6e1"), Some([1.0, 2.0, 3.0, 4.0, 5.0, -60.0]));
        for wrong in ["1 2 3 4 5", "1 2 3 4 5 6 7", "1 2 3 4 5 nan", "a b c d e f"] {
            assert_eq!(parse_six(wrong), None, "{wrong}");
        }
    }
}
