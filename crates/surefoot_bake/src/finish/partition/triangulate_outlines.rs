//! Outlines as triangles with neighbours.
//!
//! Goes in: outlines over a surface's edges. Comes out: the constrained Delaunay triangles of every
//! outline, each edge with its class and twin, across outlines too. Joined faces whose outline cannot
//! be triangulated (they overlap in plan) come as single faces again; a face that crosses itself by a
//! unit after snapping is mended; one that is beyond that is left out, with a warning.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::finish::partition::cell::{Cell, CellEdge};
use crate::finish::partition::outlines::{Outline, OutlineEdge};
use crate::ids::CellEdgeId;
use crate::report::Warning;
use crate::surface::{WalkableSurface, plan_m};
use surefoot_geom::LatticePoint;
use surefoot_geom::overlay::Overlayer;
use surefoot_geom::polygon::Contour;
use surefoot_geom::predicates::{on_segment, orient};
use surefoot_geom::threads::prelude::*;
use surefoot_geom::triangulate::triangulate_polygon;
use surefoot_mesh::EdgeClass;

/// Triangles of outlines.
pub(super) struct Triangles {
    /// Cells of three edges each.
    pub(super) cells: Vec<Cell>,
    /// The outline of every triangle, by a number of its own.
    pub(super) outline_of: Vec<u32>,
}

struct TriangulatedOutline {
    outline: Outline,
    points: Vec<(LatticePoint, f64)>,
    triangles: Vec<[u32; 3]>,
}

pub(super) fn triangulate_outlines(
    surface: &WalkableSurface,
    outlines: Vec<Outline>,
    context: &mut StageContext<'_>,
) -> Result<Triangles, BakeError> {
    let firsts = surface.first_edges();
    let results: Vec<Result<TriangulatedOutline, Vec<Result<TriangulatedOutline, u32>>>> = outlines
        .into_par_iter()
        .map_init(Overlayer::new, |overlayer, outline| {
            triangulate_outline(outline).map_err(|outline| {
                let as_single = |&f: &u32| {
                    let face = &surface.faces[f as usize];
                    let single = Outline::from_face(face, f, firsts[f as usize]);
                    triangulate_outline(single).or_else(|single| mend(single, overlayer).ok_or(f))
                };
                outline.faces.iter().map(as_single).collect()
            })
        })
        .collect();
    let mut patches = Vec::with_capacity(results.len());
    for result in results {
        let singles = match result {
            Ok(patch) => {
                patches.push(patch);
                continue;
            }
            Err(singles) => singles,
        };
        for single in singles {
            match single {
                Ok(patch) => patches.push(patch),
                Err(f) => {
                    let face = &surface.faces[f as usize];
                    let p = face.loops[0][0].from;
                    let at = surface
                        .frame
                        .user_from_canonical(plan_m(p).extend(face.plane.height_at(p)).to_array());
                    context.warn(Warning::FaceLost { face: f, at, stage: "partition" });
                }
            }
        }
    }
    connect(surface, &patches, *firsts.last().unwrap_or(&0) as usize)
}

fn triangulate_outline(outline: Outline) -> Result<TriangulatedOutline, Outline> {
    // Most faces of curved ground are triangles already.
    let triangles = match outline.loops.as_slice() {
        [l] if l.len() == 3 && orient(l[0].from, l[1].from, l[2].from) > 0 => Ok(vec![[0, 1, 2]]),
        _ => triangulate_polygon(&outline.polygon()),
    };
    match triangles {
        Ok(triangles) => {
            let points = outline.loops.iter().flatten().map(|e| (e.from, e.height_m)).collect();
            Ok(TriangulatedOutline { outline, points, triangles })
        }
        Err(_) => Err(outline),
    }
}

/// The triangles of a face that crosses itself, united with itself.
fn mend(outline: Outline, overlayer: &mut Overlayer) -> Option<TriangulatedOutline> {
    let mut onwards: Vec<(LatticePoint, LatticePoint)> =
        outline.edges().map(|(e, to)| (e.from, to)).collect();
    onwards.sort_unstable();
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for mut part in overlayer.settle(std::slice::from_ref(&outline.polygon())) {
        part.contours.iter_mut().for_each(|c| *c = with_points_between(c, &onwards));
        let base = points.len() as u32;
        triangles.extend(triangulate_polygon(&part).ok()?.into_iter().map(|t| t.map(|i| i + base)));
        points.extend(part.contours.iter().flatten().map(|&p| (p, outline.plane.height_at(p))));
    }
    (!triangles.is_empty()).then_some(TriangulatedOutline { outline, points, triangles })
}

/// A contour with those points of the (sorted) edges it came from that uniting has left out, because
/// they lie on a straight line: what lies across may have an end there.
fn with_points_between(
    contour: &[LatticePoint],
    onwards: &[(LatticePoint, LatticePoint)],
) -> Contour {
    let mut out = Contour::with_capacity(contour.len());
    for (i, &a) in contour.iter().enumerate() {
        let b = contour[(i + 1) % contour.len()];
        out.push(a);
        let mut at = a;
        while at != b {
            let first = onwards.partition_point(|e| e.0 < at);
            let here = onwards[first..].iter().take_while(|e| e.0 == at).map(|e| e.1);
            // Ever nearer to the end, so that this comes to one.
            let mut nearer =
                here.filter(|&p| on_segment(a, b, p) && p.distance2(b) < at.distance2(b));
            let Some(next) = nearer.next() else { break };
            if next != b {
                out.push(next);
            }
            at = next;
        }
    }
    out
}

/// Two points as one number, in the order of the first and then of the second.
fn key_of(from: LatticePoint, to: LatticePoint) -> u128 {
    // With the sign bit turned over, the order of the bits is the order of the numbers.
    [from.x, from.y, to.x, to.y]
        .iter()
        .fold(0, |key, v| key << 32 | u128::from(*v as u32 ^ 1 << 31))
}

/// Gives every triangle's edge its class and its twin.
fn connect(
    surface: &WalkableSurface,
    patches: &[TriangulatedOutline],
    surface_edges: usize,
) -> Result<Triangles, BakeError> {
    let total: usize = patches.iter().map(|p| p.triangles.len() * 3).sum();
    if total >= u32::MAX as usize {
        return Err(BakeError::TooLarge { what: "edges", count: total });
    }
    // Where each edge of the surface is found among the cells' edges, for twins across outlines.
    let mut cell_edge_of: Vec<Option<CellEdgeId>> = vec![None; surface_edges];
    let mut cells = Vec::with_capacity(total / 3);
    let mut outline_of = Vec::with_capacity(total / 3);
    // Directed border edges by their ends; points may be named twice where loops touch.
    let mut border: Vec<(u128, u32, EdgeClass, bool)> = Vec::new();
    let mut inner: Vec<(u128, CellEdgeId)> = Vec::new();
    for (number, patch) in patches.iter().enumerate() {
        let outline = &patch.outline;
        border.clear();
        let of_outline = |(e, to): (OutlineEdge, LatticePoint)| {
            (key_of(e.from, to), e.surface_edge, e.class, e.divides)
        };
        border.extend(outline.edges().map(of_outline));
        border.sort_unstable_by_key(|e| (e.0, e.1));
        inner.clear();
        for t in &patch.triangles {
            let corners = t.map(|i| patch.points[i as usize]);
            let edges = (0..3)
                .map(|k| {
                    let (a, height_m) = corners[k];
                    let b = corners[(k + 1) % 3].0;
                    let id = CellEdgeId::new((cells.len() * 3 + k) as u32);
                    let mut edge = CellEdge {
                        from: a,
                        height_m,
                        class: EdgeClass::Inner,
                        twin: None,
                        divides: false,
                    };
                    match border.binary_search_by_key(&key_of(a, b), |e| e.0) {
                        Ok(at) => {
                            let (_, of_surface, class, divides) = border[at];
                            cell_edge_of[of_surface as usize] = Some(id);
                            (edge.class, edge.divides) = (class, divides);
                        }
                        Err(_) => inner.push((key_of(a.min(b), a.max(b)), id)),
                    }
                    edge
                })
                .collect();
            cells.push(Cell {
                edges,
                kind: outline.kind,
                area: outline.area,
                plane: outline.plane,
            });
            outline_of.push(number as u32);
        }
        inner.sort_unstable();
        for pair in inner.chunk_by(|a, b| a.0 == b.0) {
            if let [one, two] = pair {
                edge_of(&mut cells, one.1).twin = Some(two.1);
                edge_of(&mut cells, two.1).twin = Some(one.1);
            } else {
                // Where a loop touches its own edge, that edge comes in two parts: a border.
                for &(_, id) in pair {
                    edge_of(&mut cells, id).class = EdgeClass::Open;
                }
            }
        }
    }
    connect_across(surface, &mut cells, &cell_edge_of);
    Ok(Triangles { cells, outline_of })
}

/// Makes twins of edges that are twins on the surface; one whose twin was left out becomes open.
fn connect_across(
    surface: &WalkableSurface,
    cells: &mut [Cell],
    cell_edge_of: &[Option<CellEdgeId>],
) {
    for (e, edge) in surface.faces.iter().flat_map(|f| f.loops.iter().flatten()).enumerate() {
        let (Some(twin), Some(here)) = (edge.twin, cell_edge_of[e]) else { continue };
        let there = cell_edge_of[twin.index()];
        let edge = edge_of(cells, here);
        edge.twin = there;
        if there.is_none() {
            edge.class = EdgeClass::Open;
            edge.divides = false;
        }
    }
}

fn edge_of(cells: &mut [Cell], id: CellEdgeId) -> &mut CellEdge {
    &mut cells[id.index() / 3].edges[id.index() % 3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::level_face;

    #[test]
    fn keys_of_edges_are_in_the_order_of_their_ends() {
        let values = [i32::MIN, -7, -1, 0, 1, 8, i32::MAX];
        let at = |i: usize| LatticePoint::new(values[i % 7], values[i / 7 % 7]);
        let ends: Vec<_> = (0..7_usize.pow(4)).map(|i| (at(i), at(i / 49))).collect();
        for (i, &one) in ends.iter().enumerate() {
            let two = ends[i * 1_151 % ends.len()];
            assert_eq!(key_of(one.0, one.1).cmp(&key_of(two.0, two.1)), one.cmp(&two));
        }
    }

    #[test]
    fn a_mended_face_keeps_the_points_along_its_borders() {
        // The corner at (500, -3) lies three units across the lower border, which has a point more at
        // (250, 0), where a neighbour ends.
        let face = level_face(&[(0, 0), (250, 0), (1000, 0), (1000, 900), (500, -3), (0, 900)]);
        let outline = Outline::from_face(&face, 0, 0);
        let Err(outline) = triangulate_outline(outline) else { panic!("it crosses itself") };
        let patch = mend(outline, &mut Overlayer::new()).unwrap();
        let at = LatticePoint::new(250, 0);
        let used = |i: u32| patch.triangles.iter().any(|t| t.contains(&i));
        let has = |p: LatticePoint| {
            (0..patch.points.len() as u32).any(|i| patch.points[i as usize].0 == p && used(i))
        };
        assert!(has(at));
        assert!(has(LatticePoint::new(1000, 900)) && has(LatticePoint::new(0, 900)));
    }
}
