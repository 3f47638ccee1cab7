//! Tells ground, walls and undersides apart: the one definition that every pipeline asks.
//!
//! A triangle is ground up to the slope limit, upright within about a degree of the vertical, and else it
//! faces up or down. Of a sheet that is modelled from both sides, the side that faces down is left out:
//! it begins a solid of no thickness.

use crate::input::limits::{SLOPE_SLACK, VERTICAL_SINE};
use crate::input::points::Point3;
use crate::input::read::{Soup, TriangleTag};
use glam::DVec3;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::Agent;
use surefoot_scene::TagRole;

/// What a triangle is to the agent, packed: facing, whether it can be walked on, area type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FaceClass(u32);

impl FaceClass {
    /// Neither up nor down: a wall.
    pub(crate) const UPRIGHT: Self = Self(0);
    /// Facing up, too steep to walk on.
    pub(crate) const STEEP: Self = Self(1);
    /// Facing down.
    pub(crate) const DOWN: Self = Self(2);

    /// In the way by its tag: whatever it faces, something solid begins there.
    pub(crate) const OBSTACLE: Self = Self(2 | 8);

    /// All that it is, packed.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// What was packed.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Ground of an area type.
    pub(crate) const fn ground(area: u16) -> Self {
        Self(5 | (area as u32) << 16)
    }

    pub(crate) const fn faces_up(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) const fn faces_down(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) const fn is_ground(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) const fn area(self) -> u16 {
        (self.0 >> 16) as u16
    }
}

/// A triangle that has been told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassedTriangle {
    /// Its corners, in lattice units.
    pub(crate) corners: [Point3; 3],
    /// What it is to the agent.
    pub(crate) class: FaceClass,
}

/// How triangles are told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classifier {
    /// The least cosine of ground's slope.
    least_cosine: f64,
    two_sided: bool,
}

impl Classifier {
    /// For an agent; `two_sided` takes what faces down as facing up.
    pub(crate) fn new(agent: &Agent, two_sided: bool) -> Self {
        Self { least_cosine: agent.max_slope_rad.cos() - SLOPE_SLACK, two_sided }
    }

    /// How much ground rises at most for its run.
    pub(crate) fn steepest_rise(&self) -> f64 {
        let cosine = self.least_cosine.max(f64::MIN_POSITIVE);
        (1.0 - cosine * cosine).max(0.0).sqrt() / cosine
    }

    /// What a triangle with a normal of any length is to a column. Squares tell, without a root and a division; only
    /// where they all but equal a limit is the normal made a unit long.
    #[inline]
    pub(crate) fn facing(&self, normal: DVec3, area: u16) -> FaceClass {
        // Far more than rounding makes of it, and far less than slopes differ by.
        const DOUBT: f64 = 1e-12;
        let up = if self.two_sided { normal.z.abs() } else { normal.z };
        // With their signs squares have the order of what they are made from.
        let (square, length) = (up * up.abs(), normal.length_squared());
        let from_ground = square - self.least_cosine * self.least_cosine.abs() * length;
        let from_upright = square.abs() - VERTICAL_SINE * VERTICAL_SINE * length;
        let nearest = DOUBT * length;
        // What is no number lies nowhere.
        if (from_ground.abs() > nearest) & (from_upright.abs() > nearest) {
            return Self::class_of(from_ground > 0.0, from_upright < 0.0, up > 0.0, area);
        }
        self.facing_by_cosine(normal, area)
    }

    /// What a triangle is to a column, its tag heard first. What is ground by its tag faces up by now.
    #[inline]
    pub(crate) fn class(&self, normal: DVec3, tag: TriangleTag) -> FaceClass {
        let class = self.facing(normal, tag.area.0);
        match tag.role {
            TagRole::Obstacle if class.faces_up() => FaceClass::OBSTACLE,
            TagRole::Ground if class != FaceClass::UPRIGHT => FaceClass::ground(tag.area.0),
            _ => class,
        }
    }

    /// The same by the cosine of the triangle's slope.
    #[cold]
    fn facing_by_cosine(&self, normal: DVec3, area: u16) -> FaceClass {
        let normal = normal.normalize_or_zero();
        let up = if self.two_sided { normal.z.abs() } else { normal.z };
        let (is_ground, is_upright) = (up >= self.least_cosine, up.abs() < VERTICAL_SINE);
        Self::class_of(is_ground, is_upright, up > 0.0, area)
    }

    /// The class of what is ground, or else upright, or else faces up or down. The classes of a crowd follow no
    /// pattern, so no branch asks.
    #[inline]
    fn class_of(is_ground: bool, is_upright: bool, is_up: bool, area: u16) -> FaceClass {
        let [is_ground, is_upright, is_up] = [is_ground, is_upright, is_up].map(u32::from);
        let leaning = FaceClass::DOWN.0 - is_up * (FaceClass::DOWN.0 - FaceClass::STEEP.0);
        // All bits or none of each.
        let (ground, other) = (is_ground.wrapping_neg(), is_upright.wrapping_sub(1) & leaning);
        FaceClass((FaceClass::ground(area).0 & ground) | (other & !ground))
    }
}

/// Whether a triangle with this normal is the side of a sheet that is left out where both are there.
#[inline]
pub(crate) fn is_lower_side(normal: DVec3) -> bool {
    normal.z < 0.0
}

/// Whether a triangle of a soup, with its normal, is the lower side of a sheet whose upper side is also there.
pub(crate) fn is_lower_side_of_sheet(soup: &Soup, [a, b, c]: [u32; 3], normal: DVec3) -> bool {
    // Triangles begin with their smallest point and are sorted, so the reverse can be searched.
    is_lower_side(normal) && soup.triangles.binary_search(&[a, c, b]).is_ok()
}

/// What the triangles of a soup are, sheets taken once, and the points of each.
pub(crate) fn class_triangles(
    soup: &Soup,
    classifier: &Classifier,
) -> impl ParallelIterator<Item = (ClassedTriangle, [u32; 3])> {
    soup.triangles.par_iter().zip(&soup.tags).filter_map(|(&t, tag)| {
        let normal = soup.normal(t);
        let class = classifier.class(normal, *tag);
        let corners = t.map(|p| soup.points[p as usize]);
        (!is_lower_side_of_sheet(soup, t, normal))
            .then_some((ClassedTriangle { corners, class }, t))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normals all around, of several lengths, told apart one question after another.
    #[test]
    fn classes_are_those_that_questions_give() {
        for two_sided in [false, true] {
            let classes = Classifier::new(&Agent::default(), two_sided);
            let mut counts = [0; 4];
            for degree in 0..360 {
                let (sine, cosine) = f64::from(degree).to_radians().sin_cos();
                let normal = DVec3::new(0.6 * sine, 0.8 * sine, cosine);
                let up = if two_sided { cosine.abs() } else { cosine };
                let (expected, kind) = if up >= classes.least_cosine {
                    (FaceClass::ground(9), 0)
                } else if up.abs() < VERTICAL_SINE {
                    (FaceClass::UPRIGHT, 1)
                } else if up > 0.0 {
                    (FaceClass::STEEP, 2)
                } else {
                    (FaceClass::DOWN, 3)
                };
                for length in [1.0, 3e-3, 7e9] {
                    assert_eq!(classes.facing(length * normal, 9), expected, "{degree}");
                }
                counts[kind] += 1;
            }
            assert_eq!(counts.map(|n| n > 0), [true, true, true, !two_sided]);
        }
    }

    /// Slopes around the limits, from where squares tell down to the last bit.
    #[test]
    fn squares_tell_what_cosines_do() {
        let (plain, mut counts) = (Classifier::new(&Agent::default(), false), [0; 2]);
        for least_cosine in [plain.least_cosine, 0.0, -1e-6] {
            let classes = Classifier { least_cosine, ..plain };
            for limit in [least_cosine, VERTICAL_SINE, -VERTICAL_SINE] {
                for away in (0..60).map(|k| 0.5_f64.powi(k)).chain([0.0]) {
                    for up in [limit - away, limit + away].map(|up| up.clamp(-1.0, 1.0)) {
                        let normal = 1e6 * DVec3::new((1.0 - up * up).sqrt(), 0.0, up);
                        let class = classes.facing(normal, 9);
                        assert_eq!(class, classes.facing_by_cosine(normal, 9), "{up} by {away}");
                        counts[usize::from(class.is_ground())] += 1;
                    }
                }
            }
        }
        assert!(counts.iter().all(|n| *n > 100), "{counts:?} are no ground, and are");
    }
}
