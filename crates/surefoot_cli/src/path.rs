//! `surefoot path`: shortest paths on a mesh.

use crate::args::{PathArgs, PointsFlag, Triple};
use crate::meshes::{Drawing, MeshFormat, load_mesh, load_scenes, write_mesh};
use crate::outcome::{Answer, Failure};
use crate::output::{check_place, print, print_json};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path as FilePath;
use std::time::Instant;
use surefoot_mesh::{NavMesh, Path, PathError, PathOptions, PathPoints, Query};

/// One pair's answer; the keys are a contract.
#[derive(Debug, Serialize)]
struct Line<'a> {
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<&'a [[f64; 3]]>,
    micros: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

pub(crate) fn run(args: &PathArgs) -> Result<Answer, Failure> {
    if let Some(extents) = args.extents.filter(|e| e.iter().any(|&c| c < 0.0)) {
        return Err(Failure::usage(format!(
            "--extents {},{},{}: a distance cannot be negative",
            extents[0], extents[1], extents[2]
        )));
    }
    if let Some(radius) = args.radius {
        return Err(if radius >= 0.0 && radius.is_finite() {
            Failure::failed(
                "paths of a wider agent are not part of this version; build the mesh with a larger \
                 --agent-radius and leave --radius out",
            )
        } else {
            Failure::usage(format!("--radius {radius}: give a distance of 0 or more, in metres"))
        });
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
        points: match args.points {
            PointsFlag::Corners => PathPoints::Corners,
            PointsFlag::Ground => PathPoints::Ground,
        },
        ..PathOptions::default()
    };
    let mut query = Query::new(&mesh);
    if let Some(extents) = args.extents {
        query.set_extents(extents);
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
            print_json(&line(result, micros))?;
        } else {
            print(&text(result, micros, args.pairs.is_some()))?;
        }
    }
    if let Some((output, format)) = drawing {
        draw(&mesh, &mut query, pairs.first(), args, output, format)?;
    }
    Ok(answer)
}

fn line(result: Result<&Path, PathError>, micros: f64) -> Line<'_> {
    match result {
        Ok(path) => Line {
            found: true,
            length: Some(path.length_m),
            points: Some(&path.points),
            micros,
            reason: None,
        },
        Err(error) => {
            Line { found: false, length: None, points: None, micros, reason: Some(error.reason()) }
        }
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
    mesh: &NavMesh,
    query: &mut Query<'_>,
    pair: Option<&(Triple, Triple)>,
    args: &PathArgs,
    output: &FilePath,
    format: MeshFormat,
) -> Result<(), Failure> {
    let options = PathOptions { points: PathPoints::Ground, ..PathOptions::default() };
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
    write_mesh(output, format, mesh, drawing)
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
