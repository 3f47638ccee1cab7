//! Tells ground from obstacles by slope (Sanchez 2021, §2.3).
//!
//! Goes in: the soup. Comes out: every triangle with its unit normal and its class. A triangle that
//! faces down is an obstacle, whatever its slope, unless the input is taken as two-sided. Sheets that are
//! modelled from both sides are taken once, and needles are dropped altogether.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::input::classify::{Classifier, FaceClass, is_lower_side_of_sheet};
use crate::input::points::{Point3, normal_units};
use crate::input::read::{Soup, TriangleTag};
use crate::view::{FaceLook, StageView};
use glam::DVec3;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{Agent, CellKind, EdgeClass};

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
    fn of(face: FaceClass) -> Self {
        match face {
            FaceClass::UPRIGHT => Self::Vertical,
            FaceClass::STEEP => Self::Steep,
            FaceClass::DOWN | FaceClass::OBSTACLE => Self::Down,
            _ => Self::Walkable,
        }
    }

    /// Whether faces of the ground are made of it.
    pub(crate) fn is_ground(self) -> bool {
        matches!(self, Self::Walkable | Self::Riser)
    }
}

/// Triangles lower than this over their longest edge are needles, in lattice units: 0.25 mm.
const NEEDLE_UNITS: f64 = 16.0;

/// A soup whose triangles are classed.
#[derive(Debug)]
pub(crate) struct SortedSoup {
    pub(crate) soup: Soup,
    /// Unit normals.
    pub(crate) normals: Vec<DVec3>,
    pub(crate) classes: Vec<TriangleClass>,
}

impl SortedSoup {
    /// Ground as faces, risers as those of a ramp; what may stand in the way as its outlines.
    pub(crate) fn view(&self) -> StageView {
        let frame = &self.soup.frame;
        let mut view = StageView::in_frame(frame);
        for ((t, class), tag) in self.soup.triangles.iter().zip(&self.classes).zip(&self.soup.tags)
        {
            let corners = self.soup.corners_m(*t);
            let edges = match class {
                TriangleClass::Walkable | TriangleClass::Riser => {
                    let is_riser = *class == TriangleClass::Riser;
                    let kind = if is_riser { CellKind::Ramp } else { CellKind::Ground };
                    view.add_face(
                        frame,
                        &corners,
                        FaceLook { kind, ..FaceLook::ground(tag.area.0) },
                    );
                    continue;
                }
                TriangleClass::Steep => EdgeClass::Open,
                TriangleClass::Vertical => EdgeClass::InnerWall,
                TriangleClass::Down => EdgeClass::Blocked,
            };
            for k in 0..3 {
                view.add_edge(frame, [corners[k], corners[(k + 1) % 3]], edges);
            }
        }
        view
    }

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
    let is_kept = |t: &[u32; 3]| !is_lower_side_of_sheet(&soup, *t, soup.normal(*t));
    let keep: Vec<bool> = soup.triangles.par_iter().map(is_kept).collect();
    retain(&mut soup, &keep);
    if two_sided {
        turn_up(&mut soup);
    }
    let classifier = Classifier::new(agent, two_sided);
    let (normals, classes): (Vec<DVec3>, Vec<TriangleClass>) = soup
        .triangles
        .par_iter()
        .zip(&soup.tags)
        .map(|(&t, tag)| {
            let normal = soup.normal(t);
            (normal.normalize(), TriangleClass::of(classifier.class(normal, *tag)))
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

/// Turns every triangle up and drops what has become a duplicate.
fn turn_up(soup: &mut Soup) {
    let mut turned: Vec<([u32; 3], TriangleTag)> = soup
        .triangles
        .iter()
        .zip(&soup.tags)
        .map(|(&[a, b, c], &tag)| {
            (if soup.normal([a, b, c]).z < 0.0 { [a, c, b] } else { [a, b, c] }, tag)
        })
        .collect();
    turned.par_sort_unstable_by_key(|(t, tag)| (*t, tag.rank()));
    turned.dedup_by_key(|t| t.0);
    (soup.triangles, soup.tags) = turned.into_iter().unzip();
}

fn retain(soup: &mut Soup, keep: &[bool]) {
    let mut flags = keep.iter();
    soup.triangles.retain(|_| flags.next().copied().unwrap_or(true));
    let mut flags = keep.iter();
    soup.tags.retain(|_| flags.next().copied().unwrap_or(true));
}
