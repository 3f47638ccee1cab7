//! Tells ground from obstacles by slope (Sanchez 2021, §2.3).
//!
//! Goes in: the soup. Comes out: every triangle with its unit normal and its class. A triangle that
//! faces down is an obstacle, whatever its slope, unless the input is taken as two-sided. Of two
//! triangles that are the same but for their sense (a sheet seen from both sides) the one that faces
//! down is dropped: it begins a solid of no thickness. Needles are dropped altogether.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::read::{Point3, Soup, normal_units};
use glam::DVec3;
use rayon::prelude::*;
use surefoot_mesh::Agent;

/// What a triangle is to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriangleClass {
    /// Ground, unless something stands on it.
    Walkable,
    /// Too steep, but stepped over: connects the ground on either side.
    Riser,
    /// Too steep, facing up.
    Steep,
    /// Upright: it drops to a line.
    Vertical,
    /// Facing down.
    Down,
}

impl TriangleClass {
    /// Whether faces of the ground are made of it.
    pub(crate) fn is_ground(self) -> bool {
        matches!(self, Self::Walkable | Self::Riser)
    }
}

/// Sine of the lean below which a triangle counts as upright: about one degree. Its shadow is then
/// narrower than walls are thick.
const VERTICAL_SINE: f64 = 0.02;

/// Triangles lower than this over their longest edge are needles, in lattice units: 0.25 mm.
const NEEDLE_UNITS: f64 = 16.0;

/// Allowed over the cosine of the slope limit, so that a slope of exactly the limit can be walked.
const SLOPE_SLACK: f64 = 1e-6;

/// A soup whose triangles are classed.
#[derive(Debug)]
pub(crate) struct SortedSoup {
    pub(crate) soup: Soup,
    /// Unit normals.
    pub(crate) normals: Vec<DVec3>,
    pub(crate) classes: Vec<TriangleClass>,
}

impl SortedSoup {
    /// A triangle's corners on the lattice.
    pub(crate) fn corners(&self, triangle: u32) -> [Point3; 3] {
        self.soup.triangles[triangle as usize].map(|p| self.soup.points[p as usize])
    }
}

pub(crate) fn filter_slopes(
    mut soup: Soup,
    agent: &Agent,
    two_sided: bool,
    context: &mut StageContext<'_>,
) -> Result<SortedSoup, BakeError> {
    let needles = drop_needles(&mut soup);
    context.count("needles", needles);
    if two_sided {
        turn_up(&mut soup);
    } else {
        drop_undersides(&mut soup);
    }
    let limit = agent.max_slope_rad.cos() - SLOPE_SLACK;
    let (normals, classes): (Vec<DVec3>, Vec<TriangleClass>) = soup
        .triangles
        .par_iter()
        .map(|t| {
            let [a, b, c] = t.map(|p| soup.points[p as usize]);
            let n = normal_units(a, b, c).normalize();
            let class = if n.z >= limit {
                TriangleClass::Walkable
            } else if n.z.abs() < VERTICAL_SINE {
                TriangleClass::Vertical
            } else if n.z > 0.0 {
                TriangleClass::Steep
            } else {
                TriangleClass::Down
            };
            (n, class)
        })
        .unzip();
    for (name, class) in [
        ("walkable", TriangleClass::Walkable),
        ("steep", TriangleClass::Steep),
        ("vertical", TriangleClass::Vertical),
        ("down", TriangleClass::Down),
    ] {
        context.count(name, classes.iter().filter(|c| **c == class).count());
    }
    Ok(SortedSoup { soup, normals, classes })
}

fn faces_down(soup: &Soup, t: [u32; 3]) -> bool {
    let [a, b, c] = t.map(|p| soup.points[p as usize]);
    normal_units(a, b, c).z < 0.0
}

/// Drops triangles so thin that rounding decides which way they face, and says how many. What they
/// leave in a surface is narrower than any crack that is closed later.
fn drop_needles(soup: &mut Soup) -> usize {
    let keep: Vec<bool> = soup
        .triangles
        .par_iter()
        .map(|t| {
            let [a, b, c] = t.map(|p| soup.points[p as usize]);
            let length = |p: Point3, q: Point3| {
                let d = [0, 1, 2].map(|k| f64::from(p[k]) - f64::from(q[k]));
                DVec3::from(d).length()
            };
            let longest = length(a, b).max(length(b, c)).max(length(c, a));
            normal_units(a, b, c).length() >= NEEDLE_UNITS * longest
        })
        .collect();
    retain(soup, &keep);
    keep.iter().filter(|k| !**k).count()
}

/// Drops every triangle that faces down and whose reverse is also there.
fn drop_undersides(soup: &mut Soup) {
    // Triangles begin with their smallest point and are sorted, so the reverse can be searched.
    let keep: Vec<bool> = soup
        .triangles
        .par_iter()
        .map(|&[a, b, c]| {
            !(faces_down(soup, [a, b, c]) && soup.triangles.binary_search(&[a, c, b]).is_ok())
        })
        .collect();
    retain(soup, &keep);
}

/// Turns every triangle up and drops what has become a duplicate.
fn turn_up(soup: &mut Soup) {
    let mut turned: Vec<([u32; 3], surefoot_mesh::AreaId)> = soup
        .triangles
        .iter()
        .zip(&soup.areas)
        .map(|(&[a, b, c], &area)| {
            (if faces_down(soup, [a, b, c]) { [a, c, b] } else { [a, b, c] }, area)
        })
        .collect();
    turned.par_sort_unstable();
    turned.dedup_by_key(|t| t.0);
    (soup.triangles, soup.areas) = turned.into_iter().unzip();
}

fn retain(soup: &mut Soup, keep: &[bool]) {
    let mut flags = keep.iter();
    soup.triangles.retain(|_| flags.next().copied().unwrap_or(true));
    let mut flags = keep.iter();
    soup.areas.retain(|_| flags.next().copied().unwrap_or(true));
}
