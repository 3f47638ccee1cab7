//! The partition by notches of Oliva and Pelechano (*Automatic generation of suboptimal NavMeshes*,
//! Motion in Games 2011): cells between the portals that split notches.
//!
//! Goes in: triangles and the outlines they belong to. Comes out: convex cells, before portals that
//! turned out dispensable are removed. A cell is what lies between fixed edges. Where it is deeper
//! than allowed, because the relaxation passed over too much or rounding bent a border, its notches
//! are split after all; what still fails comes as triangles, for the merging of cells to deal with.

use crate::finish::partition::area_of_interest::Notch;
use crate::finish::partition::cell::{Cell, CellEdge};
use crate::finish::partition::cell_rings::notches_within;
use crate::finish::partition::lay_portals::{Layer, PortalCounts};
use crate::finish::partition::portal_mesh::{PortalMesh, next};
use crate::finish::partition::triangulate_outlines::Triangles;
use crate::ids::CellEdgeId;
use crate::settings::PartitionSettings;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::predicates::orient;
use surefoot_mesh::{CONVEX_SLACK_UNITS, MAX_NOTCHED_EDGES};

/// Bends of a border up to this depth are no notches, in lattice units: rounding makes them.
const STRAIGHT_UNITS: f64 = 1.5;

/// How often cells that came out too deep are looked at again.
const ROUNDS: usize = 4;

pub(super) fn partition_by_notches(
    triangles: &Triangles,
    settings: &PartitionSettings,
) -> (Vec<Cell>, PortalCounts) {
    let mut mesh = PortalMesh::new(&triangles.cells, &triangles.outline_of);
    let convex_units = settings.convex_distance_m * LATTICE_PER_M;
    let mut layer = Layer::new(&mut mesh);
    layer.split_notches(convex_units + STRAIGHT_UNITS);
    let limit = convex_units + CONVEX_SLACK_UNITS;
    let mut groups = CellGroups::new(layer.mesh, limit);
    for _ in 0..ROUNDS {
        let deep = groups.corners_of_broken(layer.mesh);
        if deep.is_empty() {
            break;
        }
        let mut changed = false;
        for corner in deep {
            if Notch::at(layer.mesh, corner, &mut Vec::new()).is_some() {
                layer.counts.notches += 1;
                changed |= layer.split(corner);
            }
        }
        if !changed {
            break;
        }
        groups = CellGroups::new(layer.mesh, limit);
    }
    let counts = layer.counts;
    (groups.cells(&mesh, &triangles.cells), counts)
}

/// What lies between fixed edges.
struct CellGroups {
    /// The border of every group, as half-edges; `None` where the group is no good cell.
    rings: Vec<Option<Vec<u32>>>,
    /// The triangles of the groups that are no good cells.
    broken: Vec<Vec<u32>>,
}

impl CellGroups {
    fn new(mesh: &PortalMesh, limit_units: f64) -> Self {
        let mut seen = vec![false; mesh.len() as usize / 3];
        let mut rings = Vec::new();
        let mut broken = Vec::new();
        let mut points: Vec<LatticePoint> = Vec::new();
        for first in 0..seen.len() as u32 {
            if seen[first as usize] {
                continue;
            }
            seen[first as usize] = true;
            let mut members = vec![first];
            let mut fixed = 0;
            let mut start: Option<u32> = None;
            let mut at = 0;
            while let Some(&t) = members.get(at) {
                at += 1;
                for h in 3 * t..3 * t + 3 {
                    if let Some(twin) = mesh.beyond(h) {
                        let other = twin / 3;
                        if !seen[other as usize] {
                            seen[other as usize] = true;
                            members.push(other);
                        }
                    } else {
                        fixed += 1;
                        start = Some(start.map_or(h, |s| s.min(h)));
                    }
                }
            }
            let ring = start.map_or_else(Vec::new, |start| ring_from(mesh, start, fixed));
            points.clear();
            points.extend(ring.iter().map(|&h| mesh.from(h)));
            if ring.len() == fixed && is_good(&points, limit_units) {
                rings.push(Some(ring));
            } else {
                rings.push(None);
                broken.push(members);
            }
        }
        Self { rings, broken }
    }

    fn corners_of_broken(&self, mesh: &PortalMesh) -> Vec<u32> {
        let mut corners: Vec<u32> = (self.broken.iter().flatten())
            .flat_map(|&t| (3 * t..3 * t + 3).map(|h| mesh.corner(h)))
            .collect();
        corners.sort_unstable();
        corners.dedup();
        corners
    }

    /// The cells, their edges numbered anew; a group that is no good cell comes as its triangles.
    fn cells(self, mesh: &PortalMesh, triangles: &[Cell]) -> Vec<Cell> {
        let mut outlines: Vec<Vec<u32>> = Vec::with_capacity(self.rings.len());
        outlines.extend(self.rings.into_iter().flatten());
        outlines.extend(self.broken.into_iter().flatten().map(|t| (3 * t..3 * t + 3).collect()));
        let mut number = vec![None; mesh.len() as usize];
        for (count, &h) in outlines.iter().flatten().enumerate() {
            number[h as usize] = Some(CellEdgeId::new(count as u32));
        }
        outlines
            .iter()
            .map(|ring| {
                let like = &triangles[mesh.origin[ring[0] as usize / 3] as usize];
                let edges = ring
                    .iter()
                    .map(|&h| {
                        let corner = &mesh.corners[mesh.corner(h) as usize];
                        CellEdge {
                            from: corner.point,
                            height_m: corner.height_m,
                            class: mesh.class(h),
                            divides: mesh.divides(h),
                            twin: mesh.twin(h).and_then(|twin| number[twin as usize]),
                        }
                    })
                    .collect();
                Cell { edges, kind: like.kind, area: like.area, plane: like.plane }
            })
            .collect()
    }
}

/// The fixed half-edges around a group, from one of them on.
fn ring_from(mesh: &PortalMesh, start: u32, most: usize) -> Vec<u32> {
    let mut ring = Vec::new();
    let mut h = start;
    loop {
        ring.push(h);
        h = next(h);
        while let Some(twin) = mesh.beyond(h) {
            h = next(twin);
        }
        if h == start || ring.len() > most {
            return ring;
        }
    }
}

/// Whether a simple ring is convex up to a depth.
fn is_good(ring: &[LatticePoint], limit_units: f64) -> bool {
    let n = ring.len();
    if n < 3 {
        return false;
    }
    let convex = (0..n).all(|i| orient(ring[i], ring[(i + 1) % n], ring[(i + 2) % n]) >= 0);
    convex && !runs_back(ring) || n <= MAX_NOTCHED_EDGES && notches_within(ring, limit_units)
}

/// Whether a ring turns back on itself somewhere, as around the end of a slit.
fn runs_back(ring: &[LatticePoint]) -> bool {
    let n = ring.len();
    (0..n).any(|i| ring[i] == ring[(i + 2) % n])
}
