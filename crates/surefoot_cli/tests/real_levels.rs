//! Levels made by others build and can be walked on. They are not part of this repository: where
//! the folder `shared` does not lie beside it, this test says so and ends.
#![allow(clippy::print_stderr)]

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::Bench;

/// The levels; the last ones are large and built once, the others with one thread and with two. A
/// terrain of a million triangles lies in that folder too: it takes minutes, so it is for benches.
const LEVELS: [(&str, bool); 9] = [
    ("collapsed_police_station.obj", true),
    ("duplex_apartment.obj", true),
    ("recast_dungeon.obj", true),
    ("recast_nav_test.obj", true),
    ("librequake_e2m3.obj", true),
    ("sauerbraten_zdm2.obj", true),
    ("small_city.glb", true),
    ("small_house.glb", false),
    ("hololens_room.glb", false),
];

/// A corner of the first and one of the last cell of the largest component, as the command line
/// takes them.
fn two_places(mesh: &Value) -> Option<[String; 2]> {
    let cells = mesh["cells"].as_array()?;
    let mut components: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for cell in cells {
        components.entry(cell["component"].as_u64()?).or_default().push(cell);
    }
    let largest = components.values().max_by_key(|cells| cells.len())?;
    let place = |cell: &Value| {
        let corner = usize::try_from(cell["vertices"][0].as_u64()?).ok()?;
        let point = mesh["vertices"][corner].as_array()?;
        Some(point.iter().map(Value::to_string).collect::<Vec<_>>().join(","))
    };
    Some([place(largest.first()?)?, place(largest.last()?)?])
}

#[test]
fn real_levels_build_and_answer() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/scenes");
    if !folder.is_dir() {
        eprintln!("skipped: there is no folder {}", folder.display());
        return;
    }
    let bench = Bench::new();
    for (name, twice) in LEVELS {
        let level = folder.join(name).to_string_lossy().into_owned();
        let report = bench.json(&["build", &level, "-o", "two.snav", "--threads", "2", "--json"]);
        assert!(report["cells"].as_u64() > Some(0), "{name}: {report}");
        if twice {
            bench.ok(&["build", &level, "-o", "one.snav", "--threads", "1"]);
            assert!(bench.read("one.snav") == bench.read("two.snav"), "{name}");
        }
        bench.ok(&["export", "two.snav", "-o", "mesh.json"]);
        let mesh: Value = serde_json::from_str(&bench.text("mesh.json")).unwrap();
        let [from, to] = two_places(&mesh).unwrap_or_else(|| panic!("{name} has no cells"));
        let (from, to) = (format!("--from={from}"), format!("--to={to}"));
        let path = bench.json(&["path", "two.snav", &from, &to, "--json"]);
        assert_eq!(path["found"], true, "{name}: {path}");
    }
}
