//! From plain data to a mesh that queries trust.
//!
//! In goes [`NavMeshData`], from a pipeline, an importer or a file; out comes a [`NavMesh`], or the
//! first thing found wrong with the data, named by its ids. What is promised afterwards:
//!
//! - every index points into its array, and every array has the length that the others imply;
//! - cells have at least three edges, are simple and counter-clockwise, no edge is a point, and
//!   every vertex of a cell lies within [`NavMeshData::convex_distance_m`] plus
//!   [`CONVEX_SLACK_UNITS`] lattice units of the border of the cell's convex hull;
//! - twins name each other, belong to different cells and are the same segment in plan, run
//!   opposite ways; an edge is of a class that fits having a twin or having none;
//! - heights and the agent are within bounds; links lie on their cells, and every name exists.
//!
//! All of it is decided on integers except the depth of notches and the links' distances.

use crate::agent::AgentError;
use crate::cell_shape::{self, CONVEX_SLACK_UNITS, CellShape, ShapeFault};
use crate::data::{AreaId, EdgeClass, NO_EDGE, NavMeshData};
use crate::mesh::NavMesh;
use crate::pieces::{NotchedCell, Pieces};
use glam::DVec2;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::{M_PER_LATTICE, REACH_UNITS};
use thiserror::Error;

/// The greatest height above or below the frame's origin that a vertex may have, in metres.
pub const MAX_HEIGHT_M: f32 = 1_000_000.0;

/// How far the ends of a link may lie from their cell in plan, in metres.
pub const LINK_PLAN_TOLERANCE_M: f64 = 0.01;

/// How far the ends of a link may lie above or below their cell, in metres.
pub const LINK_HEIGHT_TOLERANCE_M: f64 = 0.1;

/// The most edges that a mesh can have.
pub const MAX_EDGES: usize = 1 << 29;

/// What is wrong with plain data.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ValidateError {
    /// The agent cannot be.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The depth of notches is not a length.
    #[error("the convex distance of {distance_m} m is none; give zero or a finite length above")]
    ConvexDistance {
        /// The distance given.
        distance_m: f64,
    },
    /// The settings of the build are none.
    #[error("number {number} of the build's settings is no size; leave them out or give sizes")]
    Build {
        /// Which one, in the order of the file's section.
        number: usize,
    },
    /// A pattern of tags that a file cannot hold.
    #[error("the pattern of tags {pattern:?} is empty or not one line; leave it out or mend it")]
    TagPattern {
        /// The pattern.
        pattern: String,
    },
    /// An array is too short or too long.
    #[error("{array} has {found} entries where the other arrays ask for {expected}")]
    ArrayLength {
        /// Which array.
        array: &'static str,
        /// How long it should be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// More than can be numbered.
    #[error("{count} {what} are more than the {limit} that a mesh can hold; split it into tiles")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The runs of edges do not follow one another.
    #[error("the first edge of cell {cell} is {found}; it must lie between {low} and {high}")]
    FirstEdge {
        /// Which cell; one past the last for the end of the list.
        cell: usize,
        /// The edge named.
        found: u32,
        /// The least edge possible.
        low: u32,
        /// The greatest edge possible.
        high: usize,
    },
    /// A cell is no polygon.
    #[error("cell {cell} has {edges} edges; a cell needs three")]
    TooFewEdges {
        /// Which cell.
        cell: usize,
        /// How many edges it has.
        edges: u32,
    },
    /// An edge starts at a vertex that does not exist.
    #[error("edge {edge} starts at vertex {vertex}, but there are only {vertices}")]
    NoSuchVertex {
        /// Which edge.
        edge: usize,
        /// The vertex named.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A vertex lies where lattice arithmetic could overflow.
    #[error("vertex {vertex} lies beyond the reach of the lattice; move the frame's origin nearer")]
    OutOfReach {
        /// Which vertex.
        vertex: usize,
    },
    /// A height is not a number or absurd.
    #[error("vertex {vertex} has the height {height_m} m; heights must lie within ±1000 km")]
    Height {
        /// Which vertex.
        vertex: usize,
        /// Its height.
        height_m: f32,
    },
    /// An edge of a cell has no length.
    #[error("edge {edge} of cell {cell} starts and ends at the same point; leave it out")]
    ZeroEdge {
        /// Which cell.
        cell: usize,
        /// Which edge.
        edge: u32,
    },
    /// A cell turns the wrong way or has no area.
    #[error("cell {cell} is not counter-clockwise in plan; reverse its edges")]
    Clockwise {
        /// Which cell.
        cell: usize,
    },
    /// The outline of a cell crosses or touches itself.
    #[error("the outline of cell {cell} crosses or touches itself near edge {edge}")]
    Crossing {
        /// Which cell.
        cell: usize,
        /// One of the edges.
        edge: u32,
    },
    /// A cell has a notch that is too deep.
    #[error(
        "cell {cell} is not convex: the start of edge {edge} lies {depth_m} m inside its hull, \
         where {allowed_m} m are allowed; split the cell or raise convex_distance_m"
    )]
    NotConvex {
        /// Which cell.
        cell: usize,
        /// The edge that starts at the notch.
        edge: u32,
        /// How deep it is.
        depth_m: f64,
        /// How deep it may be.
        allowed_m: f64,
    },
    /// A cell with notches has very many edges.
    #[error(
        "cell {cell} has {edges} edges and is not convex; such a cell may have {limit}, split it"
    )]
    TooManyNotchedEdges {
        /// Which cell.
        cell: usize,
        /// How many edges it has.
        edges: usize,
        /// How many it may have.
        limit: usize,
    },
    /// An edge names a twin that does not exist.
    #[error("edge {edge} names edge {twin} as its twin, but there are only {edges}")]
    NoSuchTwin {
        /// Which edge.
        edge: usize,
        /// The twin named.
        twin: u32,
        /// How many edges there are.
        edges: usize,
    },
    /// A twin does not name the edge back.
    #[error("edge {edge} names edge {twin} as its twin, which names another; twins must agree")]
    OneSidedTwin {
        /// Which edge.
        edge: usize,
        /// The twin named.
        twin: u32,
    },
    /// A cell is its own neighbour.
    #[error("edge {edge} and its twin {twin} belong to the same cell {cell}")]
    TwinInSameCell {
        /// Which edge.
        edge: usize,
        /// The twin named.
        twin: u32,
        /// The cell of both.
        cell: usize,
    },
    /// Twins are not the same segment.
    #[error("edge {edge} and its twin {twin} do not share both ends in plan")]
    TwinElsewhere {
        /// Which edge.
        edge: usize,
        /// The twin named.
        twin: u32,
    },
    /// The class of an edge contradicts its twin.
    #[error("edge {edge} is of class {class:?} but {}", if *has_twin { "has a neighbour" } else { "has no neighbour" })]
    Class {
        /// Which edge.
        edge: usize,
        /// Its class.
        class: EdgeClass,
        /// Whether it has a twin.
        has_twin: bool,
    },
    /// There is no name for the default ground.
    #[error("there are no area names; the first one names the default ground")]
    NoAreaNames,
    /// Something is of an area type that has no name.
    #[error("{what} {index} is of area type {}, but there are only {names} names", area.0)]
    NoSuchArea {
        /// A cell or a link.
        what: &'static str,
        /// Which one.
        index: usize,
        /// The area type.
        area: AreaId,
        /// How many names there are.
        names: usize,
    },
    /// A link names a cell that does not exist, or leads from a cell to itself.
    #[error("link {link} leads from cell {from} to cell {to} of {cells}; it must join two cells")]
    LinkCells {
        /// Which link.
        link: usize,
        /// Where it starts.
        from: u32,
        /// Where it ends.
        to: u32,
        /// How many cells there are.
        cells: usize,
    },
    /// An end of a link does not lie on its cell.
    #[error(
        "an end of link {link} at ({}, {}, {}) lies {plan_m} m beside and {height_m} m above or \
         below cell {cell}; {LINK_PLAN_TOLERANCE_M} m and {LINK_HEIGHT_TOLERANCE_M} m are allowed",
        at[0], at[1], at[2]
    )]
    LinkOffCell {
        /// Which link.
        link: usize,
        /// The cell it names.
        cell: u32,
        /// The end, in canonical coordinates.
        at: [f32; 3],
        /// Its distance in plan.
        plan_m: f64,
        /// Its distance in height.
        height_m: f64,
    },
}

impl NavMeshData {
    /// Checks everything that a query relies on and prepares the mesh for queries.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData};
    /// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// let mesh = data.validate()?;
    /// assert_eq!(mesh.cell_count(), 1);
    /// assert_eq!(mesh.area_m2(), 16.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(self) -> Result<NavMesh, ValidateError> {
        self.agent.check()?;
        let distance_m = self.convex_distance_m;
        if !(distance_m >= 0.0 && distance_m.is_finite()) {
            return Err(ValidateError::ConvexDistance { distance_m });
        }
        if let Some(number) = self.build.and_then(|b| b.first_fault()) {
            return Err(ValidateError::Build { number });
        }
        if let Some(pattern) = self.tag_rules.first_fault() {
            return Err(ValidateError::TagPattern { pattern: pattern.to_owned() });
        }
        self.check_arrays()?;
        self.check_vertices()?;
        let notched = self.check_cells()?;
        self.check_twins()?;
        self.check_areas()?;
        for (i, link) in self.links.iter().enumerate() {
            let cells = self.cell_kinds.len();
            let (from, to) = (link.from_cell.0, link.to_cell.0);
            if from as usize >= cells || to as usize >= cells || from == to {
                return Err(ValidateError::LinkCells { link: i, from, to, cells });
            }
        }
        let pieces = Pieces::build(&self, &notched);
        for (i, link) in self.links.iter().enumerate() {
            for (cell, segment) in
                [(link.from_cell.0, link.from_segment), (link.to_cell.0, link.to_segment)]
            {
                for at in segment {
                    let p = DVec2::new(f64::from(at[0]), f64::from(at[1]));
                    // What no mesh can hold is not measured: distances would not be finite.
                    let within_reach = at.iter().all(|c| c.abs() <= MAX_HEIGHT_M);
                    let (plan_m, height_m) = if within_reach {
                        let (piece, q) = pieces.closest_in_cell(cell, p);
                        (p.distance(q), (pieces.height(piece, q) - f64::from(at[2])).abs())
                    } else {
                        (f64::INFINITY, f64::INFINITY)
                    };
                    let near =
                        plan_m <= LINK_PLAN_TOLERANCE_M && height_m <= LINK_HEIGHT_TOLERANCE_M;
                    // Written so that NaN fails.
                    if !near {
                        return Err(ValidateError::LinkOffCell {
                            link: i,
                            cell,
                            at,
                            plan_m,
                            height_m,
                        });
                    }
                }
            }
        }
        Ok(NavMesh::prepare(self, pieces))
    }

    fn check_arrays(&self) -> Result<(), ValidateError> {
        let edges = self.edge_vertices.len();
        let cells = self.cell_kinds.len();
        let vertices = self.vertex_points.len();
        for (what, count) in [
            ("edges", edges),
            ("cells", cells),
            ("vertices", vertices),
            ("links", self.links.len()),
        ] {
            if count > MAX_EDGES {
                return Err(ValidateError::TooMany { what, count, limit: MAX_EDGES });
            }
        }
        for (array, expected, found) in [
            ("vertex_heights_m", vertices, self.vertex_heights_m.len()),
            ("cell_first_edges", cells + 1, self.cell_first_edges.len()),
            ("cell_areas", cells, self.cell_areas.len()),
            ("edge_twins", edges, self.edge_twins.len()),
            ("edge_classes", edges, self.edge_classes.len()),
        ] {
            if expected != found {
                return Err(ValidateError::ArrayLength { array, expected, found });
            }
        }
        let first = self.cell_first_edges[0];
        if first != 0 {
            return Err(ValidateError::FirstEdge { cell: 0, found: first, low: 0, high: 0 });
        }
        for (cell, run) in self.cell_first_edges.windows(2).enumerate() {
            if run[1] < run[0] || run[1] as usize > edges {
                return Err(ValidateError::FirstEdge {
                    cell: cell + 1,
                    found: run[1],
                    low: run[0],
                    high: edges,
                });
            }
            if run[1] - run[0] < 3 {
                return Err(ValidateError::TooFewEdges { cell, edges: run[1] - run[0] });
            }
        }
        let end = self.cell_first_edges[cells];
        if end as usize != edges {
            let low = edges as u32;
            return Err(ValidateError::FirstEdge { cell: cells, found: end, low, high: edges });
        }
        Ok(())
    }

    fn check_vertices(&self) -> Result<(), ValidateError> {
        let reach = -REACH_UNITS..=REACH_UNITS;
        for (vertex, p) in self.vertex_points.iter().enumerate() {
            if !(reach.contains(&p.x) && reach.contains(&p.y)) {
                return Err(ValidateError::OutOfReach { vertex });
            }
        }
        for (vertex, &height_m) in self.vertex_heights_m.iter().enumerate() {
            if !(-MAX_HEIGHT_M..=MAX_HEIGHT_M).contains(&height_m) {
                return Err(ValidateError::Height { vertex, height_m });
            }
        }
        let vertices = self.vertex_points.len();
        for (edge, v) in self.edge_vertices.iter().enumerate() {
            if v.index() >= vertices {
                return Err(ValidateError::NoSuchVertex { edge, vertex: v.0, vertices });
            }
        }
        Ok(())
    }

    /// Checks the outlines; returns the cells that are not exactly convex and their convex pieces.
    fn check_cells(&self) -> Result<Vec<NotchedCell>, ValidateError> {
        let allowed_m = self.convex_distance_m + CONVEX_SLACK_UNITS * M_PER_LATTICE;
        let mut notched = Vec::new();
        let mut outline: Vec<LatticePoint> = Vec::new();
        for (cell, run) in self.cell_first_edges.windows(2).enumerate() {
            outline.clear();
            outline.extend(
                self.edge_vertices[run[0] as usize..run[1] as usize]
                    .iter()
                    .map(|v| self.vertex_points[v.index()]),
            );
            let edge = |corner: usize| run[0] + corner as u32;
            match cell_shape::classify(&outline) {
                Ok(CellShape::Convex) => {}
                Ok(CellShape::Notched { depth_m, vertex }) => {
                    if depth_m > allowed_m {
                        return Err(ValidateError::NotConvex {
                            cell,
                            edge: edge(vertex),
                            depth_m,
                            allowed_m,
                        });
                    }
                    let pieces = cell_shape::convex_pieces(&outline)
                        .ok_or(ValidateError::Crossing { cell, edge: edge(vertex) })?;
                    notched.push(NotchedCell { cell: cell as u32, pieces });
                }
                Err(ShapeFault::ZeroEdge { corner }) => {
                    return Err(ValidateError::ZeroEdge { cell, edge: edge(corner) });
                }
                Err(ShapeFault::Clockwise) => return Err(ValidateError::Clockwise { cell }),
                Err(ShapeFault::Crossing { corner }) => {
                    return Err(ValidateError::Crossing { cell, edge: edge(corner) });
                }
                Err(ShapeFault::TooManyEdges) => {
                    let (edges, limit) = (outline.len(), cell_shape::MAX_NOTCHED_EDGES);
                    return Err(ValidateError::TooManyNotchedEdges { cell, edges, limit });
                }
            }
        }
        Ok(notched)
    }

    fn check_twins(&self) -> Result<(), ValidateError> {
        let edges = self.edge_vertices.len();
        let mut cell_of = vec![0_u32; edges];
        let mut next = vec![0_u32; edges];
        for (cell, run) in self.cell_first_edges.windows(2).enumerate() {
            for e in run[0]..run[1] {
                cell_of[e as usize] = cell as u32;
                next[e as usize] = if e + 1 == run[1] { run[0] } else { e + 1 };
            }
        }
        let start = |e: u32| self.vertex_points[self.edge_vertices[e as usize].index()];
        for (edge, &twin) in self.edge_twins.iter().enumerate() {
            let class = self.edge_classes[edge];
            let has_twin = twin != NO_EDGE;
            let fits = match class {
                EdgeClass::Inner | EdgeClass::Step => has_twin,
                EdgeClass::Open | EdgeClass::Blocked | EdgeClass::InnerWall => !has_twin,
                EdgeClass::Gap => true,
            };
            if !fits {
                return Err(ValidateError::Class { edge, class, has_twin });
            }
            if !has_twin {
                continue;
            }
            if twin as usize >= edges {
                return Err(ValidateError::NoSuchTwin { edge, twin, edges });
            }
            if self.edge_twins[twin as usize] as usize != edge {
                return Err(ValidateError::OneSidedTwin { edge, twin });
            }
            let cell = cell_of[edge] as usize;
            if cell_of[twin as usize] as usize == cell {
                return Err(ValidateError::TwinInSameCell { edge, twin, cell });
            }
            if start(edge as u32) != start(next[twin as usize]) || start(next[edge]) != start(twin)
            {
                return Err(ValidateError::TwinElsewhere { edge, twin });
            }
        }
        Ok(())
    }

    fn check_areas(&self) -> Result<(), ValidateError> {
        let names = self.area_names.len();
        if names == 0 {
            return Err(ValidateError::NoAreaNames);
        }
        let cells = self.cell_areas.iter().enumerate().map(|(i, a)| ("cell", i, *a));
        let links = self.links.iter().enumerate().map(|(i, l)| ("link", i, l.area));
        for (what, index, area) in cells.chain(links) {
            if area.index() >= names {
                return Err(ValidateError::NoSuchArea { what, index, area, names });
            }
        }
        Ok(())
    }
}
