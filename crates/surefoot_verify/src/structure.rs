//! Structure: what must hold for a mesh whatever the geometry is.
//!
//! Cells turn counter-clockwise, have an area, do not cross themselves and are convex up to the
//! relaxation that the mesh states; neighbours agree with each other, share an edge in plan and lie
//! within a step; no two cells of one layer overlap; no border runs along another without being its
//! neighbour (a T-joint); components have the least area; links end on their cells.
//!
//! The data is taken as it comes: nothing in it is trusted before it is checked.

use crate::judged::Judged;
use crate::world::turn;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::convex_hull::convex_hull_of_reals;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{CONVEX_SLACK_UNITS, EdgeClass, NO_EDGE, NavMeshData};

/// A fault of a mesh's structure.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureFault {
    /// What is wrong.
    pub kind: StructureFaultKind,
    /// Where, in the user's frame; `None` where it has no place.
    pub at: Option<[f64; 3]>,
}

/// What can be wrong with a mesh's structure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StructureFaultKind {
    /// The arrays do not fit together, so nothing else can be checked.
    Unreadable(String),
    /// Two neighbouring corners of a cell are one point in plan.
    ZeroEdge {
        /// The cell.
        cell: u32,
    },
    /// A cell has no area or turns clockwise.
    Flipped {
        /// The cell.
        cell: u32,
    },
    /// The outline of a cell crosses itself.
    Crossing {
        /// The cell.
        cell: u32,
    },
    /// A cell has a notch that is too deep.
    NotConvex {
        /// The cell.
        cell: u32,
        /// How deep it is, in metres.
        depth_m: f64,
    },
    /// An edge names a neighbour that does not name it back, or none at all.
    OneSided {
        /// The edge.
        edge: u32,
    },
    /// A cell is its own neighbour.
    OwnNeighbour {
        /// The edge.
        edge: u32,
    },
    /// Two neighbouring edges are not the same segment in plan.
    TwinElsewhere {
        /// The edge.
        edge: u32,
    },
    /// Neighbours lie farther apart in height than a step.
    StepTooHigh {
        /// The edge.
        edge: u32,
        /// How far, in metres.
        height_m: f64,
    },
    /// An edge's class contradicts its having or not having a neighbour.
    WrongClass {
        /// The edge.
        edge: u32,
    },
    /// Two cells of one layer overlap.
    Overlap {
        /// The cells.
        cells: [u32; 2],
        /// The area of the overlap, in m².
        area_m2: f64,
    },
    /// A border runs along that of another cell without being its neighbour.
    TJoint {
        /// The edges.
        edges: [u32; 2],
        /// How far they run together, in metres.
        length_m: f64,
    },
    /// A component is smaller than the least area.
    SmallComponent {
        /// The component.
        component: u32,
        /// Its area, in m².
        area_m2: f64,
    },
    /// A link does not join two cells.
    LinkCells {
        /// The link.
        link: u32,
    },
    /// An end of a link does not lie on its cell.
    LinkOffCell {
        /// The link.
        link: u32,
    },
}

impl StructureFaultKind {
    /// What is wrong, in words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Unreadable(why) => format!("the mesh cannot be read: {why}"),
            Self::ZeroEdge { cell } => format!("cell {cell} has an edge without length"),
            Self::Flipped { cell } => format!("cell {cell} has no area or turns clockwise"),
            Self::Crossing { cell } => format!("the outline of cell {cell} crosses itself"),
            Self::NotConvex { cell, depth_m } => {
                format!("cell {cell} has a notch {depth_m:.4} m deep")
            }
            Self::OneSided { edge } => {
                format!("edge {edge} names a neighbour that does not name it back")
            }
            Self::OwnNeighbour { edge } => format!("edge {edge} leads back into its own cell"),
            Self::TwinElsewhere { edge } => {
                format!("edge {edge} and its neighbour's are not one segment in plan")
            }
            Self::StepTooHigh { edge, height_m } => {
                format!("edge {edge} and its neighbour's are {height_m:.3} m apart in height")
            }
            Self::WrongClass { edge } => {
                format!("the class of edge {edge} contradicts its neighbour")
            }
            Self::Overlap { cells: [a, b], area_m2 } => {
                format!("cells {a} and {b} overlap by {area_m2:.5} m² in one layer")
            }
            Self::TJoint { edges: [a, b], length_m } => {
                format!("edges {a} and {b} run together for {length_m:.3} m and are not neighbours")
            }
            Self::SmallComponent { component, area_m2 } => {
                format!("component {component} has an area of {area_m2:.4} m² only")
            }
            Self::LinkCells { link } => format!("link {link} does not join two cells"),
            Self::LinkOffCell { link } => format!("an end of link {link} is not on its cell"),
        }
    }

    /// A short name for machines.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::ZeroEdge { .. } => "zero-edge",
            Self::Flipped { .. } => "flipped",
            Self::Crossing { .. } => "crossing",
            Self::NotConvex { .. } => "not-convex",
            Self::OneSided { .. } => "one-sided",
            Self::OwnNeighbour { .. } => "own-neighbour",
            Self::TwinElsewhere { .. } => "twin-elsewhere",
            Self::StepTooHigh { .. } => "step-too-high",
            Self::WrongClass { .. } => "wrong-class",
            Self::Overlap { .. } => "overlap",
            Self::TJoint { .. } => "t-joint",
            Self::SmallComponent { .. } => "small-component",
            Self::LinkCells { .. } => "link-cells",
            Self::LinkOffCell { .. } => "link-off-cell",
        }
    }
}

/// Overlaps narrower than this are rounding, in metres.
const OVERLAP_WIDTH_M: f64 = 5e-4;

/// Borders nearer than this run along each other, in metres, if they do so for at least
/// [`JOINT_LENGTH_M`].
const JOINT_WIDTH_M: f64 = 5e-4;
const JOINT_LENGTH_M: f64 = 5e-3;

/// How far the end of a link may lie from its cell in plan and in height, in metres.
const LINK_PLAN_M: f64 = 0.02;
const LINK_HEIGHT_M: f64 = 0.15;

/// Heights beyond this are nonsense, in metres.
const MAX_HEIGHT_M: f32 = 1e6;

/// What keeps the data from being read at all.
pub(crate) fn is_readable(data: &NavMeshData) -> Result<(), StructureFault> {
    let fault =
        |why: String| Err(StructureFault { kind: StructureFaultKind::Unreadable(why), at: None });
    let (cells, edges) = (data.cell_kinds.len(), data.edge_vertices.len());
    let vertices = data.vertex_points.len();
    if edges >= u32::MAX as usize || vertices >= u32::MAX as usize {
        return fault("there is more of it than can be numbered".to_owned());
    }
    if data.cell_first_edges.len() != cells + 1
        || data.cell_areas.len() != cells
        || data.edge_twins.len() != edges
        || data.edge_classes.len() != edges
        || data.vertex_heights_m.len() != vertices
    {
        return fault("its arrays have different lengths".to_owned());
    }
    if data.cell_first_edges[0] != 0
        || data.cell_first_edges[cells] as usize != edges
        || data.cell_first_edges.windows(2).any(|w| w[1] < w[0] + 3)
    {
        return fault("cells do not share out the edges, three at least to each".to_owned());
    }
    if let Some(e) = data.edge_vertices.iter().position(|v| v.index() >= vertices) {
        return fault(format!("edge {e} starts at a vertex that does not exist"));
    }
    let usable = |z: &f32| (-MAX_HEIGHT_M..=MAX_HEIGHT_M).contains(z);
    if let Some(v) = data.vertex_heights_m.iter().position(|z| !usable(z)) {
        return fault(format!("vertex {v} has no usable height"));
    }
    if let Err(error) = data.agent.check() {
        return fault(error.to_string());
    }
    Ok(())
}

/// Finds every fault of a readable mesh.
pub(crate) fn check(judged: &Judged<'_>, min_area_m2: f64) -> Vec<StructureFault> {
    let mut faults = Faults { judged, list: Vec::new() };
    faults.cells();
    faults.twins();
    faults.overlaps();
    faults.joints();
    faults.components(min_area_m2);
    faults.links();
    faults.list
}

struct Faults<'a> {
    judged: &'a Judged<'a>,
    list: Vec<StructureFault>,
}

impl Faults<'_> {
    fn add(&mut self, kind: StructureFaultKind, at: DVec3) {
        let at = Some(self.judged.data.frame.user_from_canonical(at.to_array()));
        self.list.push(StructureFault { kind, at });
    }

    fn cells(&mut self) {
        let allowed_m =
            self.judged.data.convex_distance_m + (CONVEX_SLACK_UNITS + 1.0) * M_PER_LATTICE;
        for cell in 0..self.judged.cell_count() as u32 {
            let corners: Vec<DVec2> = self.judged.outline(cell).map(DVec3::truncate).collect();
            let n = corners.len();
            let at = self.judged.middle(cell);
            if (0..n).any(|i| corners[i] == corners[(i + 1) % n]) {
                self.add(StructureFaultKind::ZeroEdge { cell }, at);
            }
            let area2: f64 = (1..n - 1).map(|i| turn(corners[0], corners[i], corners[i + 1])).sum();
            if area2 <= 0.0 {
                self.add(StructureFaultKind::Flipped { cell }, at);
                continue;
            }
            let reflex =
                (0..n).any(|i| turn(corners[i], corners[(i + 1) % n], corners[(i + 2) % n]) < 0.0);
            if !reflex && turns_once(&corners) {
                continue;
            }
            if crosses_itself(&corners) {
                self.add(StructureFaultKind::Crossing { cell }, at);
                continue;
            }
            let depth_m = notch_depth(&corners);
            if depth_m > allowed_m {
                self.add(StructureFaultKind::NotConvex { cell, depth_m }, at);
            }
        }
    }

    fn twins(&mut self) {
        let data = self.judged.data;
        let step_m = data.agent.max_step_m + 0.01;
        for edge in 0..data.edge_vertices.len() as u32 {
            let named = data.edge_twins[edge as usize];
            let (a, b) = self.judged.edge(edge);
            let at = a.midpoint(b);
            let class = data.edge_classes[edge as usize];
            let joined = matches!(class, EdgeClass::Inner | EdgeClass::Step);
            let closed =
                matches!(class, EdgeClass::Open | EdgeClass::Blocked | EdgeClass::InnerWall);
            if (named == NO_EDGE && joined) || (named != NO_EDGE && closed) {
                self.add(StructureFaultKind::WrongClass { edge }, at);
            }
            if named == NO_EDGE {
                continue;
            }
            let Some(twin) = self.judged.twin(edge) else {
                self.add(StructureFaultKind::OneSided { edge }, at);
                continue;
            };
            if data.edge_twins[twin as usize] != edge {
                self.add(StructureFaultKind::OneSided { edge }, at);
                continue;
            }
            if edge > twin {
                continue;
            }
            if self.judged.edge_cell[edge as usize] == self.judged.edge_cell[twin as usize] {
                self.add(StructureFaultKind::OwnNeighbour { edge }, at);
                continue;
            }
            let (c, d) = self.judged.edge(twin);
            if a.truncate() != d.truncate() || b.truncate() != c.truncate() {
                self.add(StructureFaultKind::TwinElsewhere { edge }, at);
                continue;
            }
            let height_m = (a.z - d.z).abs().max((b.z - c.z).abs());
            if height_m > step_m {
                self.add(StructureFaultKind::StepTooHigh { edge, height_m }, at);
            }
        }
    }

    fn overlaps(&mut self) {
        let judged = self.judged;
        let height_m = 0.9 * judged.data.agent.height_m;
        // Cells that are convex are clipped as they are, others triangle by triangle.
        let mut pieces: Vec<(u32, Vec<DVec2>)> = Vec::new();
        for cell in 0..judged.cell_count() as u32 {
            let corners: Vec<DVec2> = judged.outline(cell).map(DVec3::truncate).collect();
            let n = corners.len();
            let flat = |i: usize| turn(corners[i], corners[(i + 1) % n], corners[(i + 2) % n]);
            if (0..n).all(|i| flat(i) >= 0.0) {
                pieces.push((cell, corners));
            } else {
                for t in judged.triangles_of(cell) {
                    let mut corners = t.corners.map(DVec3::truncate).to_vec();
                    if turn(corners[0], corners[1], corners[2]) < 0.0 {
                        corners.reverse();
                    }
                    pieces.push((cell, corners));
                }
            }
        }
        let box_of = |i: u32| {
            let (cell, corners) = &pieces[i as usize];
            let z = judged.outline(*cell).map(|p| p.z);
            let (low, high) = z.fold((f64::MAX, f64::MIN), |(l, h), z: f64| (l.min(z), h.max(z)));
            let plan = Aabb::of_points(corners.iter().map(|p| p.extend(0.0)));
            Aabb::new(plan.lo.truncate().extend(low), plan.hi.truncate().extend(high))
        };
        let tree = BoxTree::build_with(pieces.len(), box_of);
        let found: Vec<Vec<(u32, u32, f64, DVec3)>> = (0..pieces.len() as u32)
            .into_par_iter()
            .map(|i| {
                let (cell, corners) = &pieces[i as usize];
                let mut around = box_of(i);
                around.lo.z -= height_m;
                around.hi.z += height_m;
                let mut near = Vec::new();
                tree.visit_box(&around, |j| {
                    if j > i && pieces[j as usize].0 != *cell {
                        near.push(j);
                    }
                });
                near.sort_unstable();
                near.into_iter()
                    .filter_map(|j| {
                        let (other, clip) = &pieces[j as usize];
                        let shape = common_part(corners, clip);
                        let (area_m2, width_m, middle) = extent(&shape)?;
                        if width_m <= OVERLAP_WIDTH_M {
                            return None;
                        }
                        let z = judged.height_in_cell(*cell, middle)?;
                        let w = judged.height_in_cell(*other, middle)?;
                        ((z - w).abs() < height_m)
                            .then(|| (*cell, *other, area_m2, middle.extend(z)))
                    })
                    .collect()
            })
            .collect();
        for (a, b, area_m2, at) in found.into_iter().flatten() {
            self.add(StructureFaultKind::Overlap { cells: [a, b], area_m2 }, at);
        }
    }

    fn joints(&mut self) {
        let judged = self.judged;
        let step_m = judged.data.agent.max_step_m;
        let border: Vec<u32> =
            (0..judged.edge_cell.len() as u32).filter(|&e| judged.twin(e).is_none()).collect();
        let box_of = |i: u32| {
            let (a, b) = judged.edge(border[i as usize]);
            Aabb::of_points([a, b]).grown(JOINT_WIDTH_M)
        };
        let tree = BoxTree::build_with(border.len(), box_of);
        let found: Vec<Vec<(u32, u32, f64, DVec3)>> = (0..border.len() as u32)
            .into_par_iter()
            .map(|i| {
                let mut around = box_of(i);
                around.lo.z -= step_m;
                around.hi.z += step_m;
                let mut near = Vec::new();
                tree.visit_box(&around, |j| {
                    if j > i {
                        near.push(j);
                    }
                });
                near.sort_unstable();
                near.into_iter()
                    .filter_map(|j| {
                        let (e, f) = (border[i as usize], border[j as usize]);
                        if judged.edge_cell[e as usize] == judged.edge_cell[f as usize] {
                            return None;
                        }
                        let (length_m, at) = run_together(judged.edge(e), judged.edge(f), step_m)?;
                        Some((e, f, length_m, at))
                    })
                    .collect()
            })
            .collect();
        for (a, b, length_m, at) in found.into_iter().flatten() {
            self.add(StructureFaultKind::TJoint { edges: [a, b], length_m }, at);
        }
    }

    fn components(&mut self, min_area_m2: f64) {
        for component in 0..self.judged.component_area_m2.len() {
            let area_m2 = self.judged.component_area_m2[component];
            if area_m2 < min_area_m2 * (1.0 - 1e-6) {
                let cell = self.judged.cell_component.iter().position(|&c| c as usize == component);
                let at = self.judged.middle(cell.unwrap_or(0) as u32);
                let component = component as u32;
                self.add(StructureFaultKind::SmallComponent { component, area_m2 }, at);
            }
        }
    }

    fn links(&mut self) {
        let judged = self.judged;
        let cells = judged.cell_count();
        for (i, link) in judged.data.links.iter().enumerate() {
            let index = i as u32;
            let start = DVec3::from(link.from_segment[0].map(f64::from));
            let (from, to) = (link.from_cell.index(), link.to_cell.index());
            if from >= cells || to >= cells || from == to {
                self.add(StructureFaultKind::LinkCells { link: index }, start);
                continue;
            }
            let ends = [(link.from_cell.0, link.from_segment), (link.to_cell.0, link.to_segment)];
            let off = ends.iter().find_map(|(cell, segment)| {
                segment
                    .iter()
                    .map(|p| DVec3::from(p.map(f64::from)))
                    .find(|&p| !lies_on_cell(judged, *cell, p))
            });
            if let Some(at) = off {
                self.add(StructureFaultKind::LinkOffCell { link: index }, at);
            }
        }
    }
}

fn lies_on_cell(judged: &Judged<'_>, cell: u32, at: DVec3) -> bool {
    if !at.is_finite() {
        return false;
    }
    let middle = judged.middle(cell).truncate();
    let plan = at.truncate();
    let inset = plan + (middle - plan).clamp_length_max(LINK_PLAN_M);
    [plan, inset]
        .iter()
        .any(|&p| judged.height_in_cell(cell, p).is_some_and(|z| (z - at.z).abs() <= LINK_HEIGHT_M))
}

/// Whether an outline that never turns right goes around once.
fn turns_once(corners: &[DVec2]) -> bool {
    let n = corners.len();
    let edge = |i: usize| corners[(i + 1) % n] - corners[i % n];
    // Going around once, the edges change from pointing down to pointing up once.
    let ups: Vec<bool> = (0..n)
        .map(edge)
        .filter(|e| e.y != 0.0 || e.x != 0.0)
        .map(|e| (e.y, e.x) > (0.0, 0.0))
        .collect();
    let changes = (0..ups.len()).filter(|&i| ups[i] != ups[(i + 1) % ups.len()]).count();
    changes <= 2
}

fn crosses_itself(corners: &[DVec2]) -> bool {
    let n = corners.len();
    for i in 0..n {
        for j in i + 2..n {
            if i == 0 && j == n - 1 {
                continue;
            }
            let (a, b) = (corners[i], corners[i + 1]);
            let (c, d) = (corners[j], corners[(j + 1) % n]);
            let apart = a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any();
            if apart {
                continue;
            }
            if turn(a, b, c) * turn(a, b, d) < 0.0 && turn(c, d, a) * turn(c, d, b) < 0.0 {
                return true;
            }
        }
    }
    false
}

/// How deep the deepest corner lies inside the convex hull, in metres.
fn notch_depth(corners: &[DVec2]) -> f64 {
    let hull = convex_hull_of_reals(corners.to_vec());
    let n = hull.len();
    if n < 3 {
        return 0.0;
    }
    corners
        .iter()
        .map(|&p| {
            (0..n)
                .map(|i| {
                    let (a, b) = (hull[i], hull[(i + 1) % n]);
                    turn(a, b, p) / a.distance(b).max(1e-12)
                })
                .fold(f64::INFINITY, f64::min)
        })
        .fold(0.0, f64::max)
}

/// The common part of two convex outlines, both counter-clockwise (Sutherland and Hodgman 1974).
fn common_part(subject: &[DVec2], clip: &[DVec2]) -> Vec<DVec2> {
    let mut shape = subject.to_vec();
    for i in 0..clip.len() {
        let (a, b) = (clip[i], clip[(i + 1) % clip.len()]);
        let input = std::mem::take(&mut shape);
        for k in 0..input.len() {
            let (p, q) = (input[k], input[(k + 1) % input.len()]);
            let (s, t) = (turn(a, b, p), turn(a, b, q));
            if s > 0.0 {
                shape.push(p);
            }
            if (s > 0.0) != (t > 0.0) {
                shape.push(p.lerp(q, s / (s - t)));
            }
        }
        if shape.len() < 3 {
            return Vec::new();
        }
    }
    shape
}

/// Area, width and middle of a convex outline.
fn extent(shape: &[DVec2]) -> Option<(f64, f64, DVec2)> {
    if shape.len() < 3 {
        return None;
    }
    let area = 0.5
        * (1..shape.len() - 1).map(|i| turn(shape[0], shape[i], shape[i + 1])).sum::<f64>().abs();
    let mut longest = 0.0_f64;
    for (i, a) in shape.iter().enumerate() {
        for b in &shape[i + 1..] {
            longest = longest.max(a.distance(*b));
        }
    }
    let middle = shape.iter().copied().sum::<DVec2>() / shape.len() as f64;
    (longest > 0.0).then(|| (area, area / longest, middle))
}

/// How far two edges run along each other in opposite directions within a step of height, and where.
fn run_together(
    (a, b): (DVec3, DVec3),
    (c, d): (DVec3, DVec3),
    step_m: f64,
) -> Option<(f64, DVec3)> {
    let (p, q) = (a.truncate(), b.truncate());
    let along = q - p;
    let length = along.length();
    if length < JOINT_LENGTH_M || c.truncate().distance(d.truncate()) < JOINT_LENGTH_M {
        return None;
    }
    let way = along / length;
    let (s, t) = ((c.truncate() - p).dot(way), (d.truncate() - p).dot(way));
    // The other one runs the other way.
    if t >= s {
        return None;
    }
    let (from, to) = (t.max(0.0), s.min(length));
    if to - from < JOINT_LENGTH_M {
        return None;
    }
    let other = |x: f64| d.lerp(c, (x - t) / (s - t));
    let near = |x: f64| way.perp_dot(other(x).truncate() - p).abs() <= JOINT_WIDTH_M;
    if !(near(from) && near(to)) {
        return None;
    }
    let middle = 0.5 * (from + to);
    let at = a.lerp(b, middle / length);
    ((at.z - other(middle).z).abs() <= step_m).then_some((to - from, at))
}
