//! Scenes as careless hands leave them: faces moved, doubled, turned around, dropped, scaled and pierced,
//! whole objects sunk, lifted, stacked and pushed into one another.
//!
//! A scene and a seed go in; out come the mutated scene and the list of what was done to it. Nobody knows
//! its answer, so it has no truth: meshes of it are judged by the checker. The same seed gives the same
//! scene everywhere.

use crate::grid::snap_point;
use crate::random::Random;
use std::fmt;
use surefoot_scene::{Scene, SceneBuilder};

type Triangle = [[f64; 3]; 3];

/// One thing that was done to a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mutation {
    /// A few triangles were moved as they are.
    MoveFaces {
        /// How many.
        count: usize,
        /// The way, in metres.
        by: [f64; 3],
    },
    /// A point was moved, and with it all corners that lie there.
    MovePoint {
        /// The way, in metres.
        by: [f64; 3],
    },
    /// A few triangles stand there twice, the copy moved a little or not at all.
    DoubleFaces {
        /// How many.
        count: usize,
        /// The way from the first to the copy, in metres.
        by: [f64; 3],
    },
    /// A few triangles face the other way.
    TurnFaces {
        /// How many.
        count: usize,
    },
    /// A few triangles are gone.
    DropFaces {
        /// How many.
        count: usize,
    },
    /// An object was made larger or smaller around its middle.
    ScaleObject {
        /// How many times as large it is.
        factor: f64,
    },
    /// A triangle of random corners goes through an object.
    Pierce {
        /// How far its corners lie from its middle along each axis, at most.
        size_m: f64,
    },
    /// An object was sunk.
    SinkObject {
        /// How deep; lifted where negative.
        by_m: f64,
    },
    /// A copy of an object stands on it.
    StackObject {
        /// How deep the copy is in the first.
        overlap_m: f64,
    },
    /// A copy of an object was pushed into it.
    OverlapObject {
        /// The way from the first to the copy, in metres.
        by: [f64; 3],
    },
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let far = |by: &[f64; 3]| by.iter().map(|c| c * c).sum::<f64>().sqrt();
        match self {
            Self::MoveFaces { count, by } => write!(f, "{count} faces moved by {:.4} m", far(by)),
            Self::MovePoint { by } => write!(f, "a point moved by {:.4} m", far(by)),
            Self::DoubleFaces { count, by } => {
                write!(f, "{count} faces doubled {:.4} m away", far(by))
            }
            Self::TurnFaces { count } => write!(f, "{count} faces turned around"),
            Self::DropFaces { count } => write!(f, "{count} faces dropped"),
            Self::ScaleObject { factor } => write!(f, "an object scaled by {factor:.3}"),
            Self::Pierce { size_m } => write!(f, "pierced by a triangle of {size_m:.3} m"),
            Self::SinkObject { by_m } => write!(f, "an object sunk by {by_m:.4} m"),
            Self::StackObject { overlap_m } => {
                write!(f, "an object stacked on itself, {overlap_m:.4} m deep")
            }
            Self::OverlapObject { by } => write!(f, "an object doubled {:.4} m away", far(by)),
        }
    }
}

/// The most things that are done to one scene.
const MOST: usize = 4;

/// The most triangles that are taken at once.
const MOST_FACES: usize = 6;

/// Mutates a scene with +Y up.
#[must_use]
pub fn mutate(scene: &Scene, seed: u64) -> (Scene, Vec<Mutation>) {
    let mut random = Random::new(seed, "mutate");
    let mut heap = Heap::of(scene);
    let count = 1 + random.below(MOST);
    let done = (0..count).filter_map(|_| heap.mutate(&mut random)).collect();
    (heap.into_scene(), done)
}

/// A heap of triangles and the objects that they belong to: sets that share points.
struct Heap {
    triangles: Vec<Triangle>,
    object_of: Vec<usize>,
}

impl Heap {
    fn of(scene: &Scene) -> Self {
        let corners = |t: &[u32; 3]| t.map(|p| scene.point(p));
        let triangles = scene.triangles().iter().map(corners).collect();
        // The least point that can be reached names an object.
        let mut least: Vec<u32> = (0..scene.points().len() as u32).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for t in scene.triangles().iter().chain(scene.triangles().iter().rev()) {
                let own = t.iter().map(|p| least[*p as usize]).min().unwrap_or(0);
                for p in t {
                    changed |= least[*p as usize] != own;
                    least[*p as usize] = own;
                }
            }
        }
        let object_of = scene.triangles().iter().map(|t| least[t[0] as usize] as usize).collect();
        Self { triangles, object_of }
    }

    fn into_scene(self) -> Scene {
        let mut builder = SceneBuilder::new();
        for t in self.triangles {
            builder.triangle(t.map(snap_point));
        }
        builder.finish()
    }

    fn mutate(&mut self, random: &mut Random) -> Option<Mutation> {
        if self.triangles.is_empty() {
            return None;
        }
        match random.below(10) {
            0 => {
                let (faces, by) = (self.some_faces(random), some_way(random));
                for &t in &faces {
                    self.triangles[t] = moved(self.triangles[t], by);
                }
                Some(Mutation::MoveFaces { count: faces.len(), by })
            }
            1 => {
                let at = self.triangles[random.below(self.triangles.len())][random.below(3)];
                let by = some_way(random);
                let there = |p: [f64; 3]| (0..3).map(|k| (p[k] - at[k]).abs()).sum::<f64>() < 1e-6;
                for p in self.triangles.as_flattened_mut() {
                    if there(*p) {
                        *p = added(*p, by);
                    }
                }
                Some(Mutation::MovePoint { by })
            }
            2 => {
                let faces = self.some_faces(random);
                let by = if random.below(2) == 0 { [0.0; 3] } else { some_way(random) };
                for &t in &faces {
                    self.triangles.push(moved(self.triangles[t], by));
                    self.object_of.push(self.object_of[t]);
                }
                Some(Mutation::DoubleFaces { count: faces.len(), by })
            }
            3 => {
                let faces = self.some_faces(random);
                for &t in &faces {
                    self.triangles[t].swap(1, 2);
                }
                Some(Mutation::TurnFaces { count: faces.len() })
            }
            4 => {
                let faces = self.some_faces(random);
                for &t in faces.iter().rev() {
                    self.triangles.remove(t);
                    self.object_of.remove(t);
                }
                Some(Mutation::DropFaces { count: faces.len() })
            }
            5 => {
                let object = self.some_object(random);
                let [low, high] = self.bounds(object);
                let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
                let larger = random.between(1.0, 2.0);
                let factor = if random.below(2) == 0 { larger } else { 1.0 / larger };
                self.change(object, |p| [0, 1, 2].map(|k| middle[k] + factor * (p[k] - middle[k])));
                Some(Mutation::ScaleObject { factor })
            }
            6 => {
                let [low, high] = self.bounds(self.some_object(random));
                let at = [0, 1, 2].map(|k| random.between(low[k], high[k]));
                let size_m = some_length(random, 0.05, 6);
                let corner = |random: &mut Random| {
                    added(at, [0; 3].map(|_| random.between(-size_m, size_m)))
                };
                let triangle = [corner(random), corner(random), corner(random)];
                self.triangles.push(triangle);
                self.object_of.push(usize::MAX);
                Some(Mutation::Pierce { size_m })
            }
            7 => {
                let object = self.some_object(random);
                let by_m = some_length(random, MILLIMETRE, TO_A_METRE)
                    * if random.below(3) == 0 { -1.0 } else { 1.0 };
                self.change(object, |p| added(p, [0.0, -by_m, 0.0]));
                Some(Mutation::SinkObject { by_m })
            }
            8 => {
                let object = self.some_object(random);
                let [low, high] = self.bounds(object);
                let overlap_m =
                    if random.below(2) == 0 { 0.0 } else { some_length(random, MILLIMETRE, 8) };
                self.copy(object, [0.0, high[1] - low[1] - overlap_m, 0.0]);
                Some(Mutation::StackObject { overlap_m })
            }
            _ => {
                let (object, by) = (self.some_object(random), some_way(random));
                self.copy(object, by);
                Some(Mutation::OverlapObject { by })
            }
        }
    }

    /// Different triangles, in order: some that lie together in the file, as those of a face do.
    fn some_faces(&self, random: &mut Random) -> Vec<usize> {
        let first = random.below(self.triangles.len());
        let count = 1 + random.below(MOST_FACES);
        (first..(first + count).min(self.triangles.len())).collect()
    }

    fn some_object(&self, random: &mut Random) -> usize {
        // One in proportion to its triangles would nearly always be the largest.
        let mut all = self.object_of.clone();
        all.sort_unstable();
        all.dedup();
        all[random.below(all.len())]
    }

    fn bounds(&self, object: usize) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for (t, _) in self.triangles.iter().zip(&self.object_of).filter(|(_, o)| **o == object) {
            for p in t {
                for k in 0..3 {
                    bounds[0][k] = bounds[0][k].min(p[k]);
                    bounds[1][k] = bounds[1][k].max(p[k]);
                }
            }
        }
        bounds
    }

    fn change(&mut self, object: usize, change: impl Fn([f64; 3]) -> [f64; 3]) {
        for (t, _) in self.triangles.iter_mut().zip(&self.object_of).filter(|(_, o)| **o == object)
        {
            *t = t.map(&change);
        }
    }

    /// Adds a copy of an object, as an object of its own.
    fn copy(&mut self, object: usize, by: [f64; 3]) {
        let name = self.triangles.len() + (1 << 32);
        let of_object = |(t, o): (&Triangle, &usize)| (*o == object).then(|| moved(*t, by));
        let copies: Vec<Triangle> =
            self.triangles.iter().zip(&self.object_of).filter_map(of_object).collect();
        self.object_of.resize(self.object_of.len() + copies.len(), name);
        self.triangles.extend(copies);
    }
}

fn added(p: [f64; 3], by: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| p[k] + by[k])
}

fn moved(t: Triangle, by: [f64; 3]) -> Triangle {
    t.map(|p| added(p, by))
}

const MILLIMETRE: f64 = 1e-3;

/// So many doublings of a millimetre.
const TO_A_METRE: usize = 10;

/// A length of any order, from the least through so many doublings.
fn some_length(random: &mut Random, least_m: f64, doublings: usize) -> f64 {
    least_m * (1_u64 << random.below(doublings)) as f64 * random.between(1.0, 2.0)
}

/// A millimetre to a metre in any direction, often along an axis.
fn some_way(random: &mut Random) -> [f64; 3] {
    let length_m = some_length(random, MILLIMETRE, TO_A_METRE);
    if random.below(2) == 0 {
        let mut way = [0.0; 3];
        way[random.below(3)] = if random.below(2) == 0 { length_m } else { -length_m };
        return way;
    }
    let way = [0; 3].map(|_| random.between(-1.0, 1.0));
    let norm = way.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-3);
    way.map(|c| c * length_m / norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Variant, build};

    #[test]
    fn the_same_seed_does_the_same_and_seeds_do_everything() {
        let scene = build("kerbs", &Variant { size: Some(2), ..Variant::default() }).unwrap().scene;
        let mut kinds = Vec::new();
        for seed in 0..60 {
            let (mutated, done) = mutate(&scene, seed);
            assert_eq!((mutated.clone(), done.clone()), mutate(&scene, seed));
            mutated.check_invariants().unwrap();
            assert!(!done.is_empty() && mutated != scene, "{seed}");
            kinds.extend(done.iter().map(std::mem::discriminant));
        }
        let different = |(i, kind)| !kinds[..i].contains(kind);
        assert_eq!(kinds.iter().enumerate().filter(|k| different(*k)).count(), 10);
    }

    #[test]
    fn objects_are_what_shares_points() {
        let scene = crate::inside::cases()[3].build(&Variant::default()).unwrap().scene;
        let heap = Heap::of(&scene);
        let mut objects = heap.object_of.clone();
        objects.sort_unstable();
        objects.dedup();
        assert_eq!(objects.len(), 2, "a floor and a crate");
        assert_eq!(heap.bounds(heap.object_of[0]), [[-8.0, -0.5, -8.0], [8.0, 0.0, 8.0]]);
    }
}
