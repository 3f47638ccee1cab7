//! Closes the holes that fillers between three and more cycles leave (the source names them as a
//! limitation: Vermeulen et al. 2018, §VIII).
//!
//! Goes in: the surface with fillers. Comes out: the same with small holes filled that fillers between
//! cycles border on. Such a hole is filled as it is, or not at all: only where strips between its own
//! edges, ground and fillers alike, cover all of it. So nothing is reached that a connection of the
//! same length could not reach.

use crate::finish::fill_gaps::boundary::Boundary;
use crate::finish::fill_gaps::connect::connect;
use crate::finish::fill_gaps::holes::{FillerPatch, is_bare, leftover, simple_hole, whole_patch};
use crate::finish::fill_gaps::obstacles::{Obstacles, free_parts};
use crate::finish::fill_gaps::strip::FillerStrip;
use std::ops::Range;
use surefoot_geom::overlay::{Overlayer, flatten};
use surefoot_geom::polygon::{Contour, contour_area2};
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::Agent;

/// Holes with more corners than this are none that fillers leave.
const MOST_CORNERS: usize = 64;

/// The holes of a surface to be filled, beside faces that connect cycles.
pub(crate) fn residual_holes(
    boundary: &Boundary,
    connecting: &Range<u32>,
    obstacles: &Obstacles,
    agent: &Agent,
    reach_m: f64,
) -> Vec<FillerPatch> {
    let mut starts: Vec<(u32, u32)> = (boundary.edges.iter().enumerate())
        .filter(|(_, e)| connecting.contains(&e.face))
        .map(|(i, e)| (e.cycle, i as u32))
        .collect();
    starts.sort_unstable();
    starts.dedup_by_key(|s| s.0);
    starts
        .into_par_iter()
        .map_init(Overlayer::new, |overlayer, (_, start)| {
            let hole = simple_hole(boundary, start).filter(|h| h.len() <= MOST_CORNERS)?;
            let outlines: Vec<Contour> = hole
                .iter()
                .enumerate()
                .flat_map(|(k, &i)| hole[k + 1..].iter().map(move |&j| (i.min(j), i.max(j))))
                .filter(|&(i, j)| boundary.edge(i).is_open() && boundary.edge(j).is_open())
                .filter_map(|(i, j)| connect(boundary, i, j, reach_m))
                .flat_map(|s| free_parts(boundary, obstacles, agent, &s))
                .filter_map(|s| outline(boundary, &s))
                .collect();
            let united = flatten(overlayer.union(&outlines));
            let left = leftover(boundary, &hole, &united, overlayer);
            let is_covered = left.is_empty() && is_bare(boundary, &hole, agent.height_m);
            is_covered.then(|| whole_patch(boundary, &hole))
        })
        .flatten_iter()
        .collect()
}

fn outline(boundary: &Boundary, strip: &FillerStrip) -> Option<Contour> {
    let outline: Contour =
        strip.shape(boundary).plan().map(crate::surface::lattice_from_plan).to_vec();
    (contour_area2(&outline) > 0).then_some(outline)
}
