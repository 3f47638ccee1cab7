//! Paths beside other tools and other meshes, a short form of `compare-queries`.

use surefoot_bake::{BakeSettings, bake};
use surefoot_compare_peers::{Random, compare_clearance, compare_lengths, random_pairs};
use surefoot_mesh::Query;
use surefoot_testing_scenes::{Variant, build};

fn scene(name: &str, size: u32) -> surefoot_scene::Scene {
    build(name, &Variant { size: Some(size), ..Variant::default() }).unwrap().scene
}

#[test]
fn lengths_are_those_of_polyanya_and_never_above_those_of_portals() {
    for (name, size) in [("maze", 6), ("pillars", 4), ("testmap-1", 1), ("town-house", 1)] {
        let mesh = bake(&scene(name, size), &BakeSettings::default()).unwrap();
        let pairs = random_pairs(&mut Query::new(&mesh), 200, &mut Random(7));
        let tally = compare_lengths(&mesh, &pairs);
        assert_eq!(tally.faults(), 0, "{name}: {tally:?}");
        assert!(tally.found > 50 && tally.compared > 50, "{name}: {tally:?}");
        assert_eq!(tally.same + tally.shorter + tally.only_ours, tally.compared, "{name}");
    }
}

#[test]
fn wider_agents_find_what_they_find_on_their_own_mesh() {
    for (name, size) in [("holes", 1), ("doorways", 6)] {
        for wide_m in [0.3, 0.55] {
            let tally = compare_clearance(&scene(name, size), 0.2, wide_m, 100, &mut Random(9));
            let tally = tally.unwrap();
            assert_eq!(tally.faults(), 0, "{name} {wide_m}: {tally:?}");
            assert!(tally.both > 5 && tally.pairs == 100, "{name} {wide_m}: {tally:?}");
        }
    }
}
