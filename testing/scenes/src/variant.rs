//! The same scene, turned, shattered, jittered or dirtied.
//!
//! In: the clean triangles of a scene. Out: a [`Scene`] as sloppy tools would have written it. The
//! steps come in the order in which real data suffers them: turned, cut into pieces that do not
//! share vertices, rounded to `f32`, displaced by noise, and mixed with rubbish. None of them but
//! the noise changes what a person would call the ground.

use surefoot_scene::{Scene, SceneBuilder};

use crate::grid::snap_point;
use crate::random::Random;
use crate::soup::{Soup, cross};
use crate::truth::Turn;

/// How a scene comes. The default is the clean scene at its default size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// The scene's size; what it means is said in the scene's summary. `None`: its default.
    pub size: Option<u32>,
    /// Angle by which the scene and its answers are turned around +Y, in degrees,
    /// counter-clockwise seen from above.
    pub rotate_deg: f64,
    /// Levels of subdivision. Each about doubles the triangles; neighbours are split in different
    /// places, so T-junctions appear everywhere. At most 8.
    pub shatter: u32,
    /// Every corner of every triangle is moved on its own by up to this much along each axis, in
    /// metres. Typical: 0.0004.
    pub jitter_m: f64,
    /// Adds duplicates (one triangle in 25), triangles without area and needle triangles, none of
    /// which leaves the plane of a triangle that is there already.
    pub dirty: bool,
    /// Seed of every random choice: the noise of a variant, and the layout of scenes that have a
    /// random one.
    pub seed: u64,
}

impl Default for Variant {
    fn default() -> Self {
        Self { size: None, rotate_deg: 0.0, shatter: 0, jitter_m: 0.0, dirty: false, seed: 0 }
    }
}

/// Shattering stops at triangles whose longest edge is shorter than this, in metres.
const SHORTEST_SPLIT_EDGE_M: f64 = 0.02;

/// One triangle in this many is doubled in a dirty scene, and as many needles and triangles
/// without area are added.
const DIRT_PERIOD: usize = 25;

/// Height of a needle triangle over its long edge, in metres.
const NEEDLE_HEIGHT_M: f64 = 2e-5;

/// The largest number of levels of subdivision.
pub(crate) const MAX_SHATTER: u32 = 8;

type Triangle = [[f64; 3]; 3];

/// The scene of a soup in a variant.
pub(crate) fn apply(soup: Soup, variant: &Variant) -> Scene {
    let Soup { mut triangles, mut tags, tag_names, .. } = soup;
    if variant.rotate_deg.to_bits() << 1 != 0 {
        let turn = Turn::new(variant.rotate_deg);
        for t in &mut triangles {
            *t = t.map(|p| snap_point(turn.apply(p)));
        }
    }
    let mut random = Random::new(variant.seed, "shatter");
    for _ in 0..variant.shatter.min(MAX_SHATTER) {
        (triangles, tags) = shatter(&triangles, &tags, &mut random);
    }
    if variant.jitter_m > 0.0 {
        let mut random = Random::new(variant.seed, "jitter");
        for c in triangles.iter_mut().flatten().flatten() {
            *c = to_f32(*c + random.between(-variant.jitter_m, variant.jitter_m));
        }
    }
    if variant.dirty {
        let mut random = Random::new(variant.seed, "dirt");
        (triangles, tags) = dirty(&triangles, &tags, &mut random);
    }
    let mut builder = SceneBuilder::new();
    let mut last = u8::MAX;
    for (t, &tag) in triangles.iter().zip(&tags) {
        if tag != last {
            builder.set_tag(tag_names.get(usize::from(tag)).copied());
            last = tag;
        }
        builder.triangle(*t);
    }
    builder.finish()
}

/// A coordinate as a file of 32-bit numbers would keep it.
fn to_f32(v: f64) -> f64 {
    f64::from(v as f32)
}

fn squared_length(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
}

fn mix(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    std::array::from_fn(|k| to_f32(a[k] + (b[k] - a[k]) * t))
}

fn normal([a, b, c]: &Triangle) -> [f64; 3] {
    cross(std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether a piece faces the way of the whole after its corners were rounded.
fn same_side(piece: &Triangle, whole: &Triangle) -> bool {
    dot(normal(piece), normal(whole)) > 0.0
}

/// Whether a piece keeps its plane after its corners were rounded, up to about half a degree.
fn agrees(piece: &Triangle, whole: &Triangle) -> bool {
    let (n, m) = (normal(piece), normal(whole));
    let cosine_squared = dot(n, m) * dot(n, m) / (dot(n, n) * dot(m, m));
    dot(n, m) > 0.0 && cosine_squared > 0.9999
}

fn shatter(triangles: &[Triangle], tags: &[u8], random: &mut Random) -> (Vec<Triangle>, Vec<u8>) {
    let mut out = Vec::with_capacity(triangles.len() * 9 / 4);
    let mut out_tags = Vec::with_capacity(triangles.len() * 9 / 4);
    for (t, &tag) in triangles.iter().zip(tags) {
        let lengths: [f64; 3] = std::array::from_fn(|i| squared_length(t[i], t[(i + 1) % 3]));
        let longest = (0..3).fold(0, |best, i| if lengths[i] > lengths[best] { i } else { best });
        // The longest edge most of the time, so that pieces stay plump.
        let (split, edge) = (random.below(8), random.below(3));
        let (s, u) = (random.between(0.25, 0.75), random.between(0.25, 0.75));
        let edge = if split < 5 { longest } else { edge };
        let (a, b, c) = (t[edge], t[(edge + 1) % 3], t[(edge + 2) % 3]);
        let pieces: Vec<Triangle> = if split == 7 {
            let p = mix(mix(a, b, s), c, u * 0.5);
            vec![[a, b, p], [b, c, p], [c, a, p]]
        } else {
            let p = mix(a, b, s);
            vec![[a, p, c], [p, b, c]]
        };
        let too_small = lengths[longest] < SHORTEST_SPLIT_EDGE_M * SHORTEST_SPLIT_EDGE_M;
        if too_small || !pieces.iter().all(|p| agrees(p, t)) {
            out.push(*t);
            out_tags.push(tag);
        } else {
            out_tags.extend(pieces.iter().map(|_| tag));
            out.extend(pieces);
        }
    }
    (out, out_tags)
}

fn dirty(triangles: &[Triangle], tags: &[u8], random: &mut Random) -> (Vec<Triangle>, Vec<u8>) {
    let mut out = Vec::with_capacity(triangles.len() * (DIRT_PERIOD + 4) / DIRT_PERIOD + 4);
    let mut out_tags = Vec::with_capacity(out.capacity());
    for (i, (t, &tag)) in triangles.iter().zip(tags).enumerate() {
        let mut push = |t: Triangle| {
            out.push(t);
            out_tags.push(tag);
        };
        push(*t);
        // Small scenes get their share as well: the first triangle is always dirtied.
        if i % DIRT_PERIOD != 0 {
            continue;
        }
        let [a, b, c] = *t;
        push(if random.below(2) == 0 { [a, b, c] } else { [b, c, a] });
        let p = mix(a, b, random.between(0.2, 0.8));
        push([a, p, a]);
        push([p, p, p]);
        let height = (squared_length(a, c)).sqrt();
        if height > 0.05 {
            let tip = mix(p, c, NEEDLE_HEIGHT_M / height);
            // Rounding tilts a needle at will, but it must not turn over.
            if same_side(&[a, b, tip], t) {
                push([a, b, tip]);
            }
        }
    }
    (out, out_tags)
}
