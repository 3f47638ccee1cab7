//! The flags, as they are written on the command line.

use crate::flags::SettingFlags;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Navigation meshes that can be trusted, from any heap of triangles.
#[derive(Debug, Parser)]
#[command(name = "surefoot", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Every coordinate is in the scene's own frame and unit (1 unit = 1 m).
Exit status: 0 done; 1 bad input or a failure; 2 wrong usage; 3 done, and the answer is no.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Threads to work on; the result is the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a navigation mesh from one or more scene files
    Build(Box<BuildArgs>),
    /// Say what a navigation mesh holds
    Info(InfoArgs),
    /// Find shortest paths on a navigation mesh
    Path(PathArgs),
    /// Check a mesh against the geometry that it came from
    Verify(VerifyArgs),
    /// Write a navigation mesh in another format, or as a picture
    Export(ExportArgs),
    /// Write one of the built-in procedural scenes
    Scene(SceneArgs),
    /// Look at scenes and meshes in a local web page
    View(ViewArgs),
    /// Build a built-in scene, find a path on it and draw a picture
    Demo(DemoArgs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendFlag {
    Cpu,
    Gpu,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlgorithmFlag {
    /// The shortest of all; under different costs, the cheapest in A*'s corridor
    Optimal,
    /// A* over portals with a funnel: faster, at times some percent longer
    Portals,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PointsFlag {
    /// Start, turns and goal
    Corners,
    /// Also points in between that follow the ground
    Ground,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Scene files, taken together (.obj, .gltf, .glb, .ply, .stl)
    #[arg(required_unless_present = "print_settings", value_name = "SCENE")]
    pub(crate) scenes: Vec<PathBuf>,

    /// Where the mesh goes; the ending chooses the format (.snav, .obj, .glb, .json; also .svg,
    /// .png, .bin)
    #[arg(short, long, value_name = "OUT", required_unless_present = "print_settings")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) given: SettingFlags,

    /// Any setting by its name, for those without a flag of their own, for example
    /// voxel.drop_ledges=false (repeatable; --print-settings shows them all)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,

    /// Settings from a TOML file; flags win over it
    #[arg(long = "settings", value_name = "FILE")]
    pub(crate) settings_file: Option<PathBuf>,

    /// Print all settings as a file for --settings, and build nothing
    #[arg(long)]
    pub(crate) print_settings: bool,

    /// Where heavy stages run
    #[arg(long, value_enum, default_value = "cpu")]
    pub(crate) backend: BackendFlag,

    /// Write every stage's result into a folder, as numbered .glb, .svg and .json
    #[arg(long, value_name = "DIR")]
    pub(crate) dump: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// A navigation mesh (.snav)
    #[arg(value_name = "NAVMESH")]
    pub(crate) mesh: PathBuf,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// A navigation mesh (.snav)
    #[arg(value_name = "NAVMESH")]
    pub(crate) mesh: PathBuf,

    /// Where the path starts
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point,
          requires = "to", required_unless_present = "pairs", conflicts_with = "pairs")]
    pub(crate) from: Option<Triple>,

    /// Where the path ends
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point,
          requires = "from", required_unless_present = "pairs", conflicts_with = "pairs")]
    pub(crate) to: Option<Triple>,

    /// Many pairs at once: a file with six numbers a line, start and goal
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,

    /// How far a point may lie from the mesh, in metres, along each axis
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    pub(crate) extents: Option<Triple>,

    /// Ask for a path of a wider agent than the mesh was built for: its radius, in metres
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) radius: Option<f64>,

    /// Leave ground or links out: an area type of the mesh, or gaps, ramps, links, step-links,
    /// gap-links, jump-links, door-links (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) exclude: Vec<String>,

    /// What a metre counts there, for example mud=3; names as for --exclude (repeatable)
    #[arg(long = "cost", value_name = "NAME=FACTOR", value_parser = cost)]
    pub(crate) costs: Vec<(String, f32)>,

    /// How to search
    #[arg(long, value_enum, default_value = "optimal")]
    pub(crate) algorithm: AlgorithmFlag,

    /// Where the goal cannot be reached, go to the nearest place that can
    #[arg(long)]
    pub(crate) near: bool,

    /// Give up after looking at so many nodes, about ten to a microsecond
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_nodes: Option<u64>,

    /// Which points to give
    #[arg(long, value_enum, default_value = "corners")]
    pub(crate) points: PointsFlag,

    /// Also draw the path on the mesh (.svg, .png or .glb)
    #[arg(short, long, value_name = "OUT", conflicts_with = "pairs")]
    pub(crate) output: Option<PathBuf>,

    /// Scene files to draw around the mesh (.png)
    #[arg(long = "scene", value_name = "SCENE", num_args = 1.., requires = "output")]
    pub(crate) scenes: Vec<PathBuf>,

    /// Leave out of the drawing what lies higher than this, in metres (.png, .svg)
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = finite, requires = "output")]
    pub(crate) cut_height: Option<f64>,

    /// Print one JSON object a line for each pair
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// A navigation mesh (.snav), or the polygons of another tool's mesh (.obj, .glb, .ply, .stl)
    #[arg(value_name = "NAVMESH")]
    pub(crate) mesh: PathBuf,

    /// The scene files that it came from
    #[arg(long = "scene", value_name = "SCENE", required = true, num_args = 1..)]
    pub(crate) scenes: Vec<PathBuf>,

    /// How many points to sample on the mesh, and again on the scene [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) samples: Option<u64>,

    /// Seed of the random choices; the same seed gives the same report
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// The least share that passes, for example sound=0.999 or complete=0.99 (repeatable)
    #[arg(long, value_name = "WHAT=SHARE", value_parser = requirement)]
    pub(crate) require: Vec<(bool, f64)>,

    /// How much the mesh may be off, in metres [default: 0.01, or the cell size]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// How much larger the agent is whose ground must be covered, in metres [default: 0.04, or two
    /// cells]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) margin: Option<f64>,

    /// How far the mesh may lie above or below the ground, in metres [default: 0.03, or two cell
    /// heights]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) height_tolerance: Option<f64>,

    /// Cracks in the ground up to this width are none, in metres [default: 0.01, or the cell size]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) gap_distance: Option<f64>,

    /// The cell size of a mesh from voxels, in metres: sets the tolerances
    #[arg(long, value_name = "M", value_parser = finite)]
    pub(crate) cell_size: Option<f64>,

    /// The cell height of a mesh from voxels, in metres [default: half the cell size]
    #[arg(long, value_name = "M", value_parser = finite, requires = "cell_size")]
    pub(crate) cell_height: Option<f64>,

    /// Patches of ground smaller than this need not be covered, in m² [default: 1]
    #[arg(long, value_name = "M2", allow_negative_numbers = true)]
    pub(crate) min_area: Option<f64>,

    /// Only ground that can be reached from the mesh must be covered: for builds with seeds
    #[arg(long)]
    pub(crate) reachable_only: bool,

    /// Take triangles that face down as ground too, as the build did
    #[arg(long)]
    pub(crate) two_sided: bool,

    /// Leave out triangles whose tag matches; for builds of ours the mesh says so itself
    #[arg(long, value_name = "PATTERN")]
    pub(crate) ignore: Vec<String>,

    /// Triangles whose tag matches are never ground; for builds of ours the mesh says so itself
    #[arg(long, value_name = "PATTERN")]
    pub(crate) obstacle: Vec<String>,

    /// Triangles whose tag matches are ground whatever their slope or side; for builds of ours the mesh
    /// says so itself
    #[arg(long, value_name = "PATTERN")]
    pub(crate) ground: Vec<String>,

    /// Ground inside solids counts as ground, as it did for the build
    #[arg(long)]
    pub(crate) keep_inside: bool,

    /// How many of the worst faults of each kind to name
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,

    /// Write the mesh with its faults marked (.glb, or a picture: .png)
    #[arg(long, value_name = "OUT")]
    pub(crate) faults: Option<PathBuf>,

    /// The agent's height, for a mesh of another tool [default: what its file says, or 1.8]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) agent_height: Option<f64>,

    /// The agent's radius, for a mesh of another tool [default: what its file says, or 0.3]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) agent_radius: Option<f64>,

    /// The steepest ground in degrees, for a mesh of another tool [default: 45]
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    pub(crate) max_slope: Option<f64>,

    /// The highest step, for a mesh of another tool [default: what its file says, or 0.4]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) max_step: Option<f64>,

    /// Which way is up, for a mesh of another tool
    #[arg(long, value_name = "DIR", default_value = "y", allow_hyphen_values = true, value_parser = direction)]
    pub(crate) up: Triple,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// A navigation mesh (.snav)
    #[arg(value_name = "NAVMESH")]
    pub(crate) mesh: PathBuf,

    /// Where it goes; the ending chooses the format: .obj, .glb, .json, .svg (top view), .png (top
    /// and perspective view), .bin (a Detour tile set), .snav
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// Scene files to draw around the mesh (.png)
    #[arg(long = "scene", value_name = "SCENE", num_args = 1..)]
    pub(crate) scenes: Vec<PathBuf>,

    /// Leave out what lies higher than this along the up direction, in metres (.png, .svg)
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) cut_height: Option<f64>,

    /// The picture's size in pixels (.png) [default: 1800x900]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<(u32, u32)>,
}

#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// The scene's name; --list names them all
    #[arg(required_unless_present = "list")]
    pub(crate) name: Option<String>,

    /// List all scenes with what each stresses
    #[arg(long, conflicts_with_all = ["name", "output"])]
    pub(crate) list: bool,

    /// Where it goes; the ending chooses the format (.obj, .glb, .ply, .stl)
    #[arg(short, long, value_name = "OUT", required_unless_present = "list")]
    pub(crate) output: Option<PathBuf>,

    /// The scene's size; what it means is said by --list
    #[arg(long, value_name = "N")]
    pub(crate) size: Option<u32>,

    /// Turn it around the up axis, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) rotate: f64,

    /// Split triangles so often, with T-junctions everywhere
    #[arg(long, value_name = "LEVELS", default_value_t = 0)]
    pub(crate) shatter: u32,

    /// Move every corner of every triangle by up to this much, in metres
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) jitter: f64,

    /// Add duplicates, triangles without area and needle triangles
    #[arg(long)]
    pub(crate) dirty: bool,

    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Scenes and meshes to show
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// A procedural scene to show instead of files; `surefoot scene --list` names them
    #[arg(long, value_name = "NAME", conflicts_with = "files")]
    pub(crate) scene_name: Option<String>,

    /// The port to listen on, 0 for a free one [default: 4187, or a free one]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,

    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The folder that everything goes into
    #[arg(short, long, value_name = "DIR", default_value = "surefoot-demo")]
    pub(crate) output: PathBuf,
}

/// Three numbers of a command line.
pub(crate) type Triple = [f64; 3];

fn numbers(text: &str) -> Option<Triple> {
    let mut parts = text.split(',');
    let mut next = || parts.next()?.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    let triple = [next()?, next()?, next()?];
    parts.next().is_none().then_some(triple)
}

/// A share that is asked for; `true` stands for completeness.
fn requirement(text: &str) -> Result<(bool, f64), String> {
    let usage = "give sound=SHARE or complete=SHARE, with a share from 0 to 1";
    let (what, share) = text.split_once('=').ok_or(usage)?;
    let complete = match what {
        "sound" => false,
        "complete" => true,
        _ => return Err(usage.to_owned()),
    };
    match share.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok((complete, share)),
        _ => Err(usage.to_owned()),
    }
}

/// A finite number.
fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    number.ok_or_else(|| "give a finite number".to_owned())
}

/// `X,Y,Z`.
fn point(text: &str) -> Result<Triple, String> {
    numbers(text).ok_or_else(|| "give three finite numbers: X,Y,Z".to_owned())
}

/// `x`, `-z`, ... or `a,b,c`.
fn direction(text: &str) -> Result<Triple, String> {
    Ok(match text.trim() {
        "x" | "+x" => [1.0, 0.0, 0.0],
        "y" | "+y" => [0.0, 1.0, 0.0],
        "z" | "+z" => [0.0, 0.0, 1.0],
        "-x" => [-1.0, 0.0, 0.0],
        "-y" => [0.0, -1.0, 0.0],
        "-z" => [0.0, 0.0, -1.0],
        other => numbers(other).filter(|d| d.iter().any(|c| c.abs() > 0.0)).ok_or(
            "give x, y, z, -x, -y, -z or three finite numbers a,b,c that are not all zero",
        )?,
    })
}

/// `NAME=VALUE`.
fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("give NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// `NAME=FACTOR`.
fn cost(text: &str) -> Result<(String, f32), String> {
    let usage = "give NAME=FACTOR with a factor above zero, for example mud=3";
    let (name, factor) = text.rsplit_once('=').ok_or(usage)?;
    let factor = factor.trim().parse::<f32>().ok().filter(|f| *f > 0.0 && f.is_finite());
    match (name.trim(), factor) {
        ("", _) | (_, None) => Err(usage.to_owned()),
        (name, Some(factor)) => Ok((name.to_owned(), factor)),
    }
}

/// `WxH`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = || {
        let (w, h) = text.split_once(['x', 'X', '×'])?;
        let side = |t: &str| t.trim().parse::<u32>().ok().filter(|n| (16..=8192).contains(n));
        Some((side(w)?, side(h)?))
    };
    parse().ok_or_else(|| "give WxH, each from 16 to 8192 pixels".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn directions_and_points_parse() {
        assert_eq!(direction("-z"), Ok([0.0, 0.0, -1.0]));
        assert_eq!(direction("1,-2,0.5"), Ok([1.0, -2.0, 0.5]));
        for wrong in ["w", "0,0,0", "1,2", "1,2,3,4", "nan,0,1", "inf,0,0", ""] {
            assert!(direction(wrong).is_err(), "{wrong}");
        }
        assert_eq!(point("-1, 2,-3e2"), Ok([-1.0, 2.0, -300.0]));
        assert!(point("1,2,x").is_err());
        assert_eq!(cost("mud=2.5"), Ok(("mud".to_owned(), 2.5)));
        for wrong in ["mud", "mud=", "=2", "mud=0", "mud=-1", "mud=nan", "mud=inf", "mud=1e99"] {
            assert!(cost(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_may_be_negative() {
        let cli = Cli::try_parse_from([
            "surefoot",
            "path",
            "a.snav",
            "--from",
            "-1,2,3",
            "--to",
            "-4,-5,-6",
            "--threads",
            "2",
        ])
        .unwrap();
        let Command::Path(args) = cli.command else { panic!("not a path") };
        assert_eq!(args.from, Some([-1.0, 2.0, 3.0]));
        for flags in [["--up", "-x"], ["--seed", "-1,2,3"], ["--min-area", "-1"]] {
            let words = ["surefoot", "build", "a.obj", "-o", "b.snav"].into_iter().chain(flags);
            assert!(Cli::try_parse_from(words).is_ok(), "{flags:?}");
        }
    }
}
