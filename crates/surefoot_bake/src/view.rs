//! A stage's result as a person would look at it.

use glam::DVec3;
use surefoot_geom::Frame;
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// A stage's result as a person would look at it, in the user's frame.
#[derive(Clone, Debug, Default)]
pub struct StageView {
    /// Which way is up in the user's frame.
    pub up: [f64; 3],
    /// Polygons with holes: the outer loop, counter-clockwise seen from above, then the holes.
    pub faces: Vec<ViewFace>,
    /// Edges worth a colour.
    pub edges: Vec<ViewEdge>,
    /// What the stage counted.
    pub counts: Vec<(&'static str, f64)>,
}

/// A face of a [`StageView`].
#[derive(Clone, Debug)]
pub struct ViewFace {
    /// The outer loop, then holes, as points in the user's frame.
    pub loops: Vec<Vec<[f64; 3]>>,
    /// Triangles over the points of all loops in order; empty where the face is convex and has no
    /// hole, so that a fan will do.
    pub triangles: Vec<[u32; 3]>,
    /// What it is made of.
    pub kind: CellKind,
    /// Its area type.
    pub area: AreaId,
    /// Which connected piece it belongs to, where that is known; in stages before there are any, which
    /// of their things it stands for (a layer, a region, a class of triangles).
    pub component: Option<u32>,
}

/// An edge of a [`StageView`].
#[derive(Clone, Copy, Debug)]
pub struct ViewEdge {
    /// Where it starts, in the user's frame.
    pub from: [f64; 3],
    /// Where it ends, in the user's frame.
    pub to: [f64; 3],
    /// What lies there.
    pub class: EdgeClass,
}

impl StageView {
    /// A view of nothing yet, in the user's frame.
    pub(crate) fn in_frame(frame: &Frame) -> Self {
        Self { up: frame.up(), ..Self::default() }
    }

    /// Adds a convex face, given in the canonical frame.
    pub(crate) fn add_face(&mut self, frame: &Frame, corners: &[DVec3], look: FaceLook) {
        let FaceLook { kind, area, component } = look;
        self.faces.push(ViewFace {
            loops: vec![corners.iter().map(|p| frame.user_from_canonical(p.to_array())).collect()],
            triangles: Vec::new(),
            kind,
            area,
            component,
        });
    }

    /// Adds an edge, given in the canonical frame.
    pub(crate) fn add_edge(&mut self, frame: &Frame, ends: [DVec3; 2], class: EdgeClass) {
        let [from, to] = ends.map(|p| frame.user_from_canonical(p.to_array()));
        self.edges.push(ViewEdge { from, to, class });
    }
}

/// How a face looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceLook {
    pub(crate) kind: CellKind,
    pub(crate) area: AreaId,
    pub(crate) component: Option<u32>,
}

impl FaceLook {
    /// Ground of an area type.
    pub(crate) const fn ground(area: u16) -> Self {
        Self { kind: CellKind::Ground, area: AreaId(area), component: None }
    }

    /// The same as one of several things.
    pub(crate) const fn of(self, component: u32) -> Self {
        Self { component: Some(component), ..self }
    }
}
