//! Every scene in every variant: it builds, always the same, and is what the variant says.

use surefoot_scene::Scene;
use surefoot_testing_scenes::{ProceduralScene, SceneInfo, Variant, build, list};

/// A size that a test can afford, still with everything that the scene has.
fn small(info: &SceneInfo) -> u32 {
    match info.name {
        "terrain" | "planet" | "grates" => 32,
        "floors" | "rig" | "buildings" => 2,
        "stairs" | "open-stairs" | "spiral-stairs" | "doorways" | "maze" | "station" => 8,
        _ => info.min_size,
    }
}

fn make(info: &SceneInfo, variant: Variant) -> ProceduralScene {
    build(info.name, &Variant { size: Some(small(info)), ..variant })
        .unwrap_or_else(|e| panic!("{}: {e}", info.name))
}

const ANGLE_DEG: f64 = 17.3;

fn variants() -> [Variant; 6] {
    let clean = Variant::default();
    let turned = Variant { rotate_deg: ANGLE_DEG, ..clean };
    [
        turned,
        Variant { shatter: 2, ..clean },
        Variant { jitter_m: 0.0004, ..clean },
        Variant { dirty: true, ..clean },
        Variant { shatter: 1, jitter_m: 0.0004, dirty: true, ..turned },
        Variant { seed: 5, ..clean },
    ]
}

/// The triangles as the bits of their corners.
fn hash(scene: &Scene) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for (i, t) in scene.triangles().iter().enumerate() {
        for p in t.map(|i| scene.point(i)) {
            for c in p {
                add(&c.to_bits().to_le_bytes());
            }
        }
        let tag = scene.tag_names().get(usize::from(scene.tag(i).0));
        add(tag.map_or("", String::as_str).as_bytes());
    }
    hash
}

fn bounds(scene: &Scene) -> [[f64; 3]; 2] {
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for i in 0..scene.points().len() {
        let p = scene.point(i as u32);
        for k in 0..3 {
            bounds[0][k] = bounds[0][k].min(p[k]);
            bounds[1][k] = bounds[1][k].max(p[k]);
        }
    }
    bounds
}

/// Plan area of all that faces up, and of all that faces down.
fn plan_areas(scene: &Scene) -> [f64; 2] {
    let mut areas = [0.0; 2];
    for t in scene.triangles() {
        let [a, b, c] = t.map(|i| scene.point(i));
        let area = 0.5 * ((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]));
        areas[usize::from(area < 0.0)] += area.abs();
    }
    areas
}

#[test]
fn every_scene_builds_in_every_variant_and_twice_the_same() {
    for info in list() {
        for variant in variants() {
            let (first, second) = (make(info, variant), make(info, variant));
            assert!(first.scene.triangle_count() > 0, "{}", info.name);
            assert_eq!(hash(&first.scene), hash(&second.scene), "{} {variant:?}", info.name);
            assert_eq!(first.truth, second.truth, "{} {variant:?}", info.name);
        }
    }
}

#[test]
fn clean_scenes_have_no_invalid_triangle_and_answers_within_bounds() {
    for info in list() {
        for rotate_deg in [0.0, ANGLE_DEG, 45.0, -101.0] {
            let ProceduralScene { scene, truth } =
                make(info, Variant { rotate_deg, ..Variant::default() });
            assert_eq!(scene.ignored(), Default::default(), "{} at {rotate_deg}°", info.name);
            let [low, high] = bounds(&scene);
            let points = truth
                .pairs
                .iter()
                .flat_map(|p| [p.from, p.to])
                .chain(truth.edges.iter().flat_map(|e| [e.a, e.b]))
                .chain(truth.free_points.iter().copied())
                .chain(truth.eroded_points.iter().copied())
                .chain(truth.blocked_points.iter().copied());
            for p in points {
                for k in 0..3 {
                    let inside = (low[k] - 1e-4..=high[k] + 1e-4).contains(&p[k]);
                    assert!(inside, "{} at {rotate_deg}°: {p:?}", info.name);
                }
            }
            for pair in &truth.pairs {
                assert!(!pair.what.is_empty());
                let straight = (0..3).map(|k| (pair.from[k] - pair.to[k]).powi(2)).sum::<f64>();
                if let Some(length) = pair.path_length_m {
                    assert!(pair.connected, "{}: {}", info.name, pair.what);
                    assert!(length >= straight.sqrt() - 1e-9, "{}: {}", info.name, pair.what);
                }
            }
            if let (Some(eroded), Some(ground)) = (truth.eroded_area_m2, truth.ground_area_m2) {
                assert!(0.0 < eroded && eroded <= ground, "{}", info.name);
                assert!(ground <= plan_areas(&scene)[0] + 1e-3, "{}", info.name);
            }
        }
    }
}

#[test]
fn stated_counts_hold_at_the_default_size() {
    for (name, triangles, points) in [
        ("station", 568_418, None),
        ("rig", 119_601, None),
        ("buildings", 1_121_127, None),
        ("terrace-house", 6_155, None),
        ("town-house", 2_676, None),
        ("holes", 431, Some(399)),
        ("platforms", 192, Some(128)),
    ] {
        let built = build(name, &Variant::default()).unwrap();
        assert_eq!(built.scene.triangle_count(), triangles, "{name}");
        if let Some(points) = points {
            assert_eq!(built.scene.points().len(), points, "{name}");
        }
    }
}

#[test]
fn sizes_grow() {
    for info in list() {
        let count = |size| {
            let variant = Variant { size: Some(size), ..Variant::default() };
            build(info.name, &variant).unwrap().scene.triangle_count()
        };
        assert!(count(info.min_size) < count(info.min_size + 1), "{}", info.name);
    }
    let smallest = build("city", &Variant { size: Some(1), ..Variant::default() }).unwrap();
    assert!((8_000..12_000).contains(&smallest.scene.triangle_count()));
}

#[test]
fn a_turned_scene_is_the_same_scene_turned() {
    let (sin, cos) = ANGLE_DEG.to_radians().sin_cos();
    let turn = |p: [f64; 3]| [p[0] * cos + p[2] * sin, p[1], p[2] * cos - p[0] * sin];
    for info in list() {
        let clean = make(info, Variant::default());
        let turned = make(info, Variant { rotate_deg: ANGLE_DEG, ..Variant::default() });
        let near = |p: [f64; 3], q: [f64; 3]| (0..3).all(|k| (turn(p)[k] - q[k]).abs() < 1e-4);
        assert_eq!(clean.scene.triangle_count(), turned.scene.triangle_count(), "{}", info.name);
        for (s, t) in clean.scene.triangles().iter().zip(turned.scene.triangles()) {
            for (&i, &j) in s.iter().zip(t) {
                assert!(near(clean.scene.point(i), turned.scene.point(j)), "{}", info.name);
            }
        }
        let points = |scene: &ProceduralScene| -> Vec<[f64; 3]> {
            let truth = &scene.truth;
            let pairs = truth.pairs.iter().flat_map(|p| [p.from, p.to]);
            let edges = truth.edges.iter().flat_map(|e| [e.a, e.b, e.free_side]);
            pairs.chain(edges).chain(truth.free_points.iter().copied()).collect()
        };
        let (before, after) = (points(&clean), points(&turned));
        assert_eq!(before.len(), after.len(), "{}", info.name);
        assert!(before.iter().zip(&after).all(|(&p, &q)| near(p, q)), "{}", info.name);
    }
}

#[test]
fn a_shattered_scene_covers_the_same_ground_with_more_triangles_and_open_edges() {
    for info in list() {
        let clean = make(info, Variant::default()).scene;
        let shattered = make(info, Variant { shatter: 2, ..Variant::default() }).scene;
        // Triangles below 2 cm stay whole: slats and stones hardly shatter.
        let ratio = shattered.triangle_count() as f64 / clean.triangle_count() as f64;
        assert!((1.5..6.0).contains(&ratio), "{}: {ratio}", info.name);
        for (before, after) in plan_areas(&clean).into_iter().zip(plan_areas(&shattered)) {
            // Walls that stand a hair off the vertical have no area to keep.
            assert!(
                (before - after).abs() < 1e-3 + 2e-4 * before,
                "{}: {before} {after}",
                info.name
            );
        }
        assert!(one_sided_edges(&shattered) > one_sided_edges(&clean) + 3, "{}", info.name);
    }
}

/// Edges that only one triangle has.
fn one_sided_edges(scene: &Scene) -> usize {
    let mut edges: Vec<(u32, u32)> = scene
        .triangles()
        .iter()
        .flat_map(|t| (0..3).map(|k| (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3]))))
        .collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).count()
}

#[test]
fn jitter_moves_every_corner_on_its_own_and_not_too_far() {
    let jitter_m = 0.0004;
    for info in list() {
        let clean = make(info, Variant::default()).scene;
        let moved = make(info, Variant { jitter_m, ..Variant::default() }).scene;
        // Noise may flatten a stone's smallest face, hardly more.
        let lost = clean.triangle_count() - moved.triangle_count();
        assert!(lost * 1000 <= clean.triangle_count(), "{}: {lost}", info.name);
        if lost > 0 {
            continue;
        }
        let mut furthest: f64 = 0.0;
        for (s, t) in clean.triangles().iter().zip(moved.triangles()) {
            for (&i, &j) in s.iter().zip(t) {
                let (p, q) = (clean.point(i), moved.point(j));
                let far = (0..3).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max);
                assert!(far <= jitter_m + 4e-5, "{}: {far}", info.name);
                furthest = furthest.max(far);
            }
        }
        assert!(furthest > 0.9 * jitter_m, "{}: {furthest}", info.name);
        // No two triangles share a corner any more.
        assert!(moved.points().len() > 2 * moved.triangle_count(), "{}", info.name);
    }
}

#[test]
fn a_dirty_scene_has_duplicates_needles_and_nothings() {
    for info in list() {
        let clean = make(info, Variant::default()).scene;
        let dirty = make(info, Variant { dirty: true, ..Variant::default() }).scene;
        let groups = clean.triangle_count().div_ceil(25) as u64;
        // A needle of a small triangle may vanish when it is rounded.
        let nothings = dirty.ignored().zero_area;
        assert!(nothings >= 2 * groups && nothings < 3 * groups, "{}: {nothings}", info.name);
        let mut sorted: Vec<[u32; 3]> = dirty
            .triangles()
            .iter()
            .map(|t| {
                let mut t = *t;
                t.sort_unstable();
                t
            })
            .collect();
        sorted.sort_unstable();
        let doubles = sorted.windows(2).filter(|w| w[0] == w[1]).count() as u64;
        assert!(doubles >= groups, "{}: {doubles} of {groups}", info.name);
        let needles = dirty.triangle_count() as u64 - clean.triangle_count() as u64 - groups;
        assert!(needles > 0 && needles <= groups, "{}: {needles} of {groups}", info.name);
    }
}

#[test]
fn tags_are_carried() {
    for (name, tags) in [
        ("city", &["street", "pavement", "grass", "water"][..]),
        ("terrain", &["grass", "rock", "water"]),
        ("town-house", &["grass", "street"]),
        ("terrace-house", &["pavement", "grass"]),
        ("buildings", &["grass"]),
    ] {
        let size = if name == "buildings" { Some(2) } else { None };
        let variant = Variant { size, dirty: true, shatter: 1, ..Variant::default() };
        let built = build(name, &variant).unwrap();
        let mut names = built.scene.tag_names().to_vec();
        let mut want: Vec<String> = tags.iter().map(|&t| t.to_owned()).collect();
        names.sort();
        want.sort();
        assert_eq!(names, want, "{name}");
    }
}

/// The bytes of every scene, small and clean: they are the same on every machine, and change only
/// when a scene is changed on purpose.
const GOLDEN: [(&str, u64); 28] = [
    ("doorways", 0x392f_c72f_ae62_be06),
    ("spiral-maze", 0x5a99_6f35_765c_18a2),
    ("overhang", 0x03e0_1a05_50cf_8618),
    ("stairs", 0x6e42_132d_213c_b1c1),
    ("spiral-stairs", 0x39f1_a6e8_cc61_0e92),
    ("open-stairs", 0xad4c_2993_f6f0_93cb),
    ("floors", 0x12fb_a5fc_e87a_dde2),
    ("pillars", 0x45e0_0a01_6c10_9748),
    ("maze", 0xc281_4e91_3a2e_6ff9),
    ("holes", 0x4273_14d9_7da3_1451),
    ("platforms", 0xeea7_0883_fe48_28f4),
    ("terrace-house", 0x6a01_a72e_c978_44cb),
    ("town-house", 0x9d25_8070_e635_0905),
    ("station", 0x1686_85f8_1728_8194),
    ("rig", 0xbf7a_cf19_d01b_5a3c),
    ("buildings", 0x075b_5473_7901_3b78),
    ("testmap-0", 0xfb6b_255f_f042_38ed),
    ("testmap-1", 0xaa71_4456_b288_0499),
    ("testmap-2", 0x61ee_7578_d9d2_e2ce),
    ("testmap-3", 0xa408_f822_3e8e_d74a),
    ("terrain", 0x5b35_8768_7335_63ea),
    ("city", 0xb34e_81eb_8e76_a2b4),
    ("cube", 0x0bb5_2222_26ae_4579),
    ("planet", 0xc0ef_e9a8_3d71_1195),
    ("grates", 0xff64_3c6f_4f76_2403),
    ("jetty", 0x263a_06f0_fa77_2cab),
    ("kerbs", 0x4163_846e_68c1_162d),
    ("inside", 0xbd7e_5f32_f54c_b9c2),
];

#[test]
fn scenes_have_the_bytes_they_always_had() {
    let seen: Vec<(&str, u64)> = list()
        .iter()
        .map(|info| {
            let variant =
                Variant { rotate_deg: 31.0, shatter: 1, dirty: true, ..Variant::default() };
            (info.name, hash(&make(info, variant).scene))
        })
        .collect();
    assert_eq!(seen, GOLDEN, "{seen:#018x?}");
}
