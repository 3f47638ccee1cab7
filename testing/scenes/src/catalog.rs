//! The list of scenes, and the way from a name to a scene.

use crate::draft::{Draft, ProceduralScene, SceneNameError, check, finish};
use crate::variant::Variant;
use crate::{
    any_surface, buildings, city, doorways, floors, grates, holes, houses, inside, jetty, kerbs,
    maze, overhang, pillars, platforms, rig, spiral_maze, stairs, station, terrain, testmaps,
};

/// A scene that can be built, by name.
#[derive(Clone, Copy, Debug)]
pub struct SceneInfo {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line: what it stresses, and what its size means.
    pub summary: &'static str,
    /// The size it has when none is given.
    pub default_size: u32,
    /// The smallest size.
    pub min_size: u32,
    /// The largest size.
    pub max_size: u32,
    draft: fn(u32, u64) -> Draft,
}

const fn info(
    name: &'static str,
    summary: &'static str,
    [min_size, default_size, max_size]: [u32; 3],
    draft: fn(u32, u64) -> Draft,
) -> SceneInfo {
    SceneInfo { name, summary, default_size, min_size, max_size, draft }
}

static SCENES: &[SceneInfo] = &[
    info(
        "doorways",
        "rooms in a row, doors from 5 cm too narrow to 50 cm too wide; size: doors",
        [1, 8, 1_000],
        doorways::draft,
    ),
    info(
        "spiral-maze",
        "a round alley 3 cm wider than the agent that winds to a centre; size: turns",
        [1, 3, 200],
        spiral_maze::draft,
    ),
    info(
        "overhang",
        "head room ends under a ramp, a leaning wall and beams; size: rows of the three",
        [1, 1, 200],
        overhang::draft,
    ),
    info(
        "stairs",
        "straight flights below and above the step: plain, nosed, leaning, walled; size: steps",
        [1, 10, 200],
        stairs::draft_straight,
    ),
    info(
        "spiral-stairs",
        "winding flights around a column, one with steps too high; size: steps",
        [3, 18, 400],
        stairs::draft_spiral,
    ),
    info(
        "open-stairs",
        "treads apart in plan with open risers, held by a wall; size: steps",
        [2, 10, 200],
        stairs::draft_open,
    ),
    info(
        "floors",
        "three storeys of furnished rooms over each other, joined by stairs; size: rooms per side",
        [2, 5, 40],
        floors::draft,
    ),
    info(
        "pillars",
        "a hall of round pillars, every one leaving an arc in the mesh; size: pillars per side",
        [1, 12, 200],
        pillars::draft,
    ),
    info(
        "maze",
        "mazes of known graph, three of them kept apart by walls; size: cells per side",
        [2, 16, 600],
        maze::draft,
    ),
    info(
        "holes",
        "a plate with 17 holes of many shapes, up to 1 m across, to be filled; size: plates",
        [1, 1, 2_000],
        holes::draft,
    ),
    info(
        "platforms",
        "16 floating boxes: steps that cross, touch and stand apart; size: copies",
        [1, 1, 5_000],
        platforms::draft,
    ),
    info(
        "terrace-house",
        "a furnished two-storey house with stairs, thresholds and a roof; size: houses in the row",
        [1, 1, 200],
        houses::draft_terrace,
    ),
    info(
        "town-house",
        "a two-storey house by a road, entered by steps; upstairs cannot be reached; size: houses",
        [1, 1, 100],
        houses::draft_town,
    ),
    info(
        "station",
        "an underground station: platforms, hall, escalators, ballast; size: bays of 5 m",
        [8, 70, 300],
        station::draft,
    ),
    info(
        "rig",
        "an offshore platform: many decks, stairs, pipes, cranes, cables; size: decks",
        [2, 8, 40],
        rig::draft,
    ),
    info(
        "buildings",
        "a very large, flat site of low buildings, 423 m by 549 m; size: lots per side",
        [2, 24, 34],
        buildings::draft,
    ),
    info(
        "testmap-0",
        "a ramp to a bridge over the ground; size: copies",
        [1, 1, 2_000],
        testmaps::draft_0,
    ),
    info(
        "testmap-1",
        "a courtyard with a gallery, arches and two ramps; size: copies",
        [1, 1, 1_000],
        testmaps::draft_1,
    ),
    info(
        "testmap-2",
        "a wide field of many obstacles with a cave, a bridge and a mound; size: copies",
        [1, 1, 100],
        testmaps::draft_2,
    ),
    info(
        "testmap-3",
        "a tower of six storeys with a spiral ramp, holes and an unreachable roof; size: copies",
        [1, 1, 500],
        testmaps::draft_3,
    ),
    info(
        "terrain",
        "fractal hills with cliffs and water, two triangles a cell; size: cells per side",
        [4, 256, 1_500],
        terrain::draft,
    ),
    info(
        "city",
        "blocks of houses, kerbs, streets, stairs, parks; size: blocks per side",
        [1, 3, 20],
        city::draft,
    ),
    info(
        "cube",
        "a cube of 10 m to be walked on all sides; size: cells per edge",
        [1, 8, 500],
        any_surface::draft_cube,
    ),
    info(
        "planet",
        "a ball of 30 m with hills, up everywhere; size: cells per edge of its cube",
        [2, 64, 500],
        any_surface::draft_planet,
    ),
    info(
        "grates",
        "a floor of thousands of slats 4 cm apart; size: slats",
        [2, 3_000, 160_000],
        grates::draft,
    ),
    info(
        "jetty",
        "planks narrower than the agent, 2 cm apart, between two quays; size: planks",
        [1, 12, 2_000],
        jetty::draft,
    ),
    info(
        "kerbs",
        "kerbs, pebbles and thresholds to step over, balls that leave no pocket; size: rows",
        [1, 1, 200],
        kerbs::draft,
    ),
    info(
        "inside",
        "solids in and on one another, rooms in hulls, tunnels, stalls; size: how many of them",
        [1, inside::SHOWN, inside::SHOWN],
        inside::draft,
    ),
];

/// All scenes, in the order in which they are listed.
#[must_use]
pub fn list() -> &'static [SceneInfo] {
    SCENES
}

/// Builds a scene. The same name and variant give the same bytes on every machine.
pub fn build(name: &str, variant: &Variant) -> Result<ProceduralScene, SceneNameError> {
    let info = SCENES.iter().find(|s| s.name == name).ok_or_else(|| {
        SceneNameError::NoSuchScene { name: name.to_owned(), near: near_names(name) }
    })?;
    let size = variant.size.unwrap_or(info.default_size);
    if !(info.min_size..=info.max_size).contains(&size) {
        return Err(SceneNameError::SizeOutOfRange {
            name: info.name,
            size,
            min: info.min_size,
            max: info.max_size,
        });
    }
    check(variant)?;
    Ok(finish((info.draft)(size, variant.seed), variant))
}

/// Names spelled like the one given: those it is part of, and those a few letters away.
fn near_names(name: &str) -> Vec<&'static str> {
    let name = name.to_ascii_lowercase();
    let mut near: Vec<(usize, &'static str)> = SCENES
        .iter()
        .filter_map(|s| {
            let distance = edit_distance(&name, s.name);
            let part = name.len() >= 3 && (s.name.contains(&name) || name.contains(s.name));
            (part || distance <= 1 + s.name.len() / 4)
                .then_some((if part { 0 } else { distance }, s.name))
        })
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.truncate(4);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Insertions, deletions and replacements between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // A name from the command line may be long; beyond this it resembles nothing anyway.
    for (i, ca) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_answered_with_near_ones() {
        let Err(error) = build("stair", &Variant::default()) else { panic!("built") };
        let text = error.to_string();
        assert!(text.contains("stairs") && text.contains("did you mean"), "{text}");
        let Err(error) = build("terain", &Variant::default()) else { panic!("built") };
        assert!(error.to_string().contains("terrain"), "{error}");
        let Err(error) = build("xyzzy", &Variant::default()) else { panic!("built") };
        assert!(error.to_string().contains("--list"), "{error}");
    }

    #[test]
    fn impossible_sizes_and_variants_are_refused() {
        let size = Variant { size: Some(0), ..Variant::default() };
        assert!(matches!(build("maze", &size), Err(SceneNameError::SizeOutOfRange { .. })));
        for bad in [
            Variant { rotate_deg: f64::NAN, ..Variant::default() },
            Variant { jitter_m: -1.0, ..Variant::default() },
            Variant { shatter: 40, ..Variant::default() },
        ] {
            assert!(matches!(build("cube", &bad), Err(SceneNameError::BadVariant { .. })));
        }
    }

    #[test]
    fn scenes_are_heaps_of_closed_solids() {
        for info in SCENES {
            let size = match info.name {
                "terrain" | "holes" | "inside" => continue,
                "grates" | "planet" => 20,
                "stairs" | "open-stairs" | "doorways" | "maze" => 5,
                "buildings" | "rig" | "floors" => 3,
                _ => info.min_size,
            };
            let soup = (info.draft)(size, 0).soup;
            // A pennant has three open edges, and a town house stands on an open rectangle.
            let open = match info.name {
                "town-house" => 4 + 9,
                "station" | "rig" | "buildings" | "terrace-house" => 9,
                _ => 0,
            };
            let unmatched = crate::soup::unmatched_edges(&soup.triangles);
            assert!(unmatched <= open, "{}: {unmatched} open edges", info.name);
            assert!(crate::soup::signed_volume(&soup.triangles) > 0.0, "{}", info.name);
        }
    }

    #[test]
    fn names_are_unique_and_summaries_are_one_line() {
        for (i, a) in SCENES.iter().enumerate() {
            assert!(SCENES[..i].iter().all(|b| b.name != a.name), "{}", a.name);
            assert!(a.summary.contains("size: ") && !a.summary.contains('\n'), "{}", a.name);
            assert!(a.summary.len() <= 100, "{}: {}", a.name, a.summary.len());
            assert!((a.min_size..=a.max_size).contains(&a.default_size), "{}", a.name);
        }
    }
}
