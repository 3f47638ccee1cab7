//! The plain form of a navigation mesh: flat arrays that anybody may fill in.
//!
//! Plan positions are lattice points in the mesh's canonical frame (Z up), heights are `f32` in
//! metres above the frame's origin. A cell is a run of directed edges, counter-clockwise in plan.
//! Two cells are neighbours where an edge names its *twin*: the same plan segment, run the other
//! way, in another cell. The two may lie at different heights (a step edge); then each side has its
//! own vertices. Nothing here is checked: see [`NavMeshData::validate`].

use crate::agent::Agent;
use crate::build_info::{BuildInfo, TagRules};
use surefoot_geom::{Frame, LatticePoint};

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident($repr:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub $repr);

        impl $name {
            /// The id as an index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id_type!(
    /// A vertex of the mesh.
    VertexId(u32)
);
id_type!(
    /// A directed edge of a cell.
    EdgeId(u32)
);
id_type!(
    /// A convex cell.
    CellId(u32)
);
id_type!(
    /// A link: an index into the mesh's links.
    LinkId(u32)
);
id_type!(
    /// An area type: an index into the mesh's area names.
    AreaId(u16)
);

/// In [`NavMeshData::edge_twins`]: no neighbour.
pub const NO_EDGE: u32 = u32::MAX;

/// What a cell is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum CellKind {
    /// Walkable ground.
    #[default]
    Ground = 0,
    /// A ramp laid over stairs.
    Ramp = 1,
    /// A filler across a gap that the agent steps over.
    Gap = 2,
}

impl CellKind {
    /// All kinds, in the order of their numbers in a file.
    pub const ALL: &'static [Self] = &[Self::Ground, Self::Ramp, Self::Gap];

    /// The name used in text formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Ramp => "ramp",
            Self::Gap => "gap",
        }
    }

    /// The value with this number in a file.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// What lies at an edge of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum EdgeClass {
    /// A neighbour at the same height.
    #[default]
    Inner = 0,
    /// A neighbour across a height difference that the agent steps over.
    Step = 1,
    /// Nothing stands there: a ledge.
    Open = 2,
    /// Something stands above it: a wall or a low ceiling.
    Blocked = 3,
    /// A wall within a face of the ground.
    InnerWall = 4,
    /// The border of a gap filler.
    Gap = 5,
}

impl EdgeClass {
    /// All classes, in the order of their numbers in a file.
    pub const ALL: &'static [Self] =
        &[Self::Inner, Self::Step, Self::Open, Self::Blocked, Self::InnerWall, Self::Gap];

    /// The name used in text formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Step => "step",
            Self::Open => "open",
            Self::Blocked => "blocked",
            Self::InnerWall => "inner-wall",
            Self::Gap => "gap",
        }
    }

    /// The value with this number in a file.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// Why a link exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum LinkKind {
    /// A height step between cells that share no edge.
    #[default]
    Step = 0,
    /// A gap that is stepped over.
    Gap = 1,
    /// A jump or a drop.
    Jump = 2,
    /// A door or anything else that a program opens and closes.
    Door = 3,
}

impl LinkKind {
    /// All kinds, in the order of their numbers in a file.
    pub const ALL: &'static [Self] = &[Self::Step, Self::Gap, Self::Jump, Self::Door];

    /// The name used in text formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Gap => "gap",
            Self::Jump => "jump",
            Self::Door => "door",
        }
    }

    /// The value with this number in a file.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// A way between two cells that share no edge: any point of one segment leads to the point at the
/// same share of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The cell where it starts.
    pub from_cell: CellId,
    /// The cell where it ends.
    pub to_cell: CellId,
    /// Where it starts: a segment in or on the border of `from_cell`, canonical, metres.
    pub from_segment: [[f32; 3]; 2],
    /// Where it ends: a segment in or on the border of `to_cell`, canonical, metres.
    pub to_segment: [[f32; 3]; 2],
    /// Why it exists.
    pub kind: LinkKind,
    /// Whether it can also be used backwards.
    pub two_way: bool,
    /// Area type, for costs and exclusion.
    pub area: AreaId,
}

/// A navigation mesh in plain arrays, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct NavMeshData {
    /// The agent that the mesh is built for.
    pub agent: Agent,
    /// Between the user's frame and the mesh's.
    pub frame: Frame,
    /// How deep a notch of a cell may be, in metres; zero for strictly convex cells. A few lattice
    /// units are always allowed, since vertices on a straight border are rounded to the lattice.
    pub convex_distance_m: f64,
    /// Vertices in plan.
    pub vertex_points: Vec<LatticePoint>,
    /// Vertex heights above the frame's origin, in metres.
    pub vertex_heights_m: Vec<f32>,
    /// The first edge of each cell, and one past the last edge at the end.
    pub cell_first_edges: Vec<u32>,
    /// What each cell is made of.
    pub cell_kinds: Vec<CellKind>,
    /// The area type of each cell.
    pub cell_areas: Vec<AreaId>,
    /// The vertex where each edge starts.
    pub edge_vertices: Vec<VertexId>,
    /// The opposite edge in the neighbouring cell, or [`NO_EDGE`].
    pub edge_twins: Vec<u32>,
    /// What lies at each edge.
    pub edge_classes: Vec<EdgeClass>,
    /// Ways between cells that share no edge.
    pub links: Vec<Link>,
    /// The names of the area types; the first is the default ground.
    pub area_names: Vec<String>,
    /// How it was built, where that is known.
    pub build: Option<BuildInfo>,
    /// Which tags of the scene decided for geometry.
    pub tag_rules: TagRules,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_their_numbers() {
        for &kind in CellKind::ALL {
            assert_eq!(CellKind::from_number(kind as u8), Some(kind));
        }
        for &class in EdgeClass::ALL {
            assert_eq!(EdgeClass::from_number(class as u8), Some(class));
        }
        for &kind in LinkKind::ALL {
            assert_eq!(LinkKind::from_number(kind as u8), Some(kind));
        }
        assert_eq!(CellKind::from_number(CellKind::ALL.len() as u8), None);
        assert_eq!(EdgeClass::from_number(EdgeClass::ALL.len() as u8), None);
        assert_eq!(LinkKind::from_number(LinkKind::ALL.len() as u8), None);
    }
}
