//! A mesh as a Detour tile set, for programs that already run Detour.
//!
//! In: a mesh. Out: the file that Recast's demo program writes and loads: a set header (`MSET`,
//! version 1), then one tile (`DNAV`, version 7) with 32-bit references, little-endian. Detour's
//! polygons have at most six corners, so larger cells are cut, each cut along the diagonal that
//! leaves the two largest halves. Every polygon gets a fan as its detail mesh; links become
//! off-mesh connections between the middles of their segments; area types above 63 become 63, the
//! largest that Detour knows.
//!
//! Detour has Y up. A mesh with another up is turned there, so its coordinates are then no longer
//! those of the scene.

use surefoot_geom::predicates::orient;
use surefoot_mesh::{CellId, NO_EDGE, NavMesh, VertexId};
use thiserror::Error;

/// Corners of a Detour polygon.
const MOST_CORNERS: usize = 6;
/// Neighbours are stored as an index plus one in 15 bits.
const MOST_POLYGONS: usize = 0x7ffe;
/// Vertices are stored as indices in 16 bits, of which the last is taken.
const MOST_VERTICES: usize = 0xfffe;
/// The flag of ordinary ground in Recast's demo program.
const WALK: u16 = 0x01;
/// The flag of a connection off the mesh.
const JUMP: u16 = 0x08;

/// Why a mesh is no Detour tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DetourError {
    /// A tile cannot hold it.
    #[error(
        "the mesh has {count} {what}, but a Detour tile holds at most {most}; build a smaller part \
         of the scene, or export to .snav, .json, .obj or .glb"
    )]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// Detour knows no tile without polygons.
    #[error("the mesh has no cell, and Detour knows no tile without polygons; check the build")]
    Empty,
}

/// A polygon of a tile.
#[derive(Clone, Debug)]
struct Polygon {
    /// Vertices, counter-clockwise seen from above as in the mesh: Detour turns the same way.
    corners: Vec<VertexId>,
    /// The neighbour over the edge that starts at each corner.
    neighbours: Vec<Option<u32>>,
    cell: CellId,
}

/// Writes a mesh as a Detour tile set.
pub fn mesh_to_detour(mesh: &NavMesh) -> Result<Vec<u8>, DetourError> {
    let tile = Tile::new(mesh)?;
    let mut bytes = tile.bytes();
    let (low, high) = (tile.low, tile.high);
    let mut set = Bytes::default();
    set.tag(b"MSET");
    set.i32s([1, 1]);
    set.f32s(low);
    set.f32s([(high[0] - low[0]).max(0.1), (high[2] - low[2]).max(0.1)]);
    set.i32s([1, tile.polygon_count() as i32]);
    // The reference of the first tile in its first state: one salt above the polygon's bits.
    set.u32(1 << tile.polygon_count().next_power_of_two().trailing_zeros());
    set.i32s([bytes.0.len() as i32]);
    set.0.append(&mut bytes.0);
    Ok(set.0)
}

/// What a tile holds.
struct Tile<'a> {
    mesh: &'a NavMesh,
    polygons: Vec<Polygon>,
    /// Those of the mesh, then the two ends of each link.
    vertices: Vec<[f32; 3]>,
    low: [f32; 3],
    high: [f32; 3],
    /// The tree's boxes are counted in whole steps from the corner, in 16 bits.
    steps_per_m: f32,
}

impl<'a> Tile<'a> {
    fn new(mesh: &'a NavMesh) -> Result<Self, DetourError> {
        let polygons = polygons_of(mesh);
        let links = mesh.links();
        if polygons.is_empty() {
            return Err(DetourError::Empty);
        }
        for (what, count, most) in [
            ("polygons of at most six corners", polygons.len() + links.len(), MOST_POLYGONS),
            ("vertices", mesh.vertex_count() + 2 * links.len(), MOST_VERTICES),
        ] {
            if count > most {
                return Err(DetourError::TooLarge { what, count, most });
            }
        }
        let frame = mesh.frame();
        let turned = |p: [f64; 3]| {
            let [x, y, z] = frame.canonical_direction(p);
            [x as f32, z as f32, -y as f32]
        };
        let middle = |segment: [[f32; 3]; 2]| {
            let middle = std::array::from_fn(|k| {
                f64::from(segment[0][k]).midpoint(f64::from(segment[1][k]))
            });
            turned(frame.user_from_canonical(middle))
        };
        let mut vertices: Vec<[f32; 3]> = (0..mesh.vertex_count() as u32)
            .map(|v| turned(mesh.vertex_position(VertexId(v))))
            .collect();
        let [low, high] = bounds(&vertices);
        vertices.extend(links.iter().flat_map(|l| [l.from_segment, l.to_segment]).map(middle));
        let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0_f32, f32::max);
        let steps_per_m = 65_000.0 / extent.max(0.65);
        Ok(Self { mesh, polygons, vertices, low, high, steps_per_m })
    }

    /// Links are polygons too.
    fn polygon_count(&self) -> usize {
        self.polygons.len() + self.mesh.links().len()
    }

    /// The two ends of a link, among the vertices.
    fn ends_of_link(&self, link: usize) -> [usize; 2] {
        let first = self.mesh.vertex_count() + 2 * link;
        [first, first + 1]
    }

    /// The polygons' boxes in steps, for the tree.
    fn tree(&self) -> Vec<Node> {
        let boxes: Vec<[[u16; 3]; 2]> = self
            .polygons
            .iter()
            .map(|p| {
                let corners: Vec<_> = p.corners.iter().map(|c| self.vertices[c.index()]).collect();
                let [least, most] = bounds(&corners);
                let steps = |v: [f32; 3], k: usize| (v[k] - self.low[k]) * self.steps_per_m;
                // `as` saturates.
                [
                    std::array::from_fn(|k| steps(least, k).floor() as u16),
                    std::array::from_fn(|k| steps(most, k).ceil() as u16),
                ]
            })
            .collect();
        box_tree(&boxes)
    }

    fn bytes(&self) -> Bytes {
        let agent = self.mesh.agent();
        let link_count = self.mesh.links().len();
        let edges: usize = self.polygons.iter().map(|p| p.corners.len()).sum();
        let link_slots = edges + 4 * link_count;
        let detail_triangles = edges - 2 * self.polygons.len();
        let (polygon_count, vertex_count) = (self.polygon_count(), self.vertices.len());
        let tree = self.tree();

        let mut tile = Bytes::default();
        tile.tag(b"DNAV");
        tile.i32s([7, 0, 0, 0, 0, polygon_count as i32, vertex_count as i32, link_slots as i32]);
        tile.i32s([self.polygons.len() as i32, 0, detail_triangles as i32, tree.len() as i32]);
        tile.i32s([link_count as i32, self.polygons.len() as i32]);
        tile.f32s([agent.height_m as f32, agent.radius_m as f32, agent.max_step_m as f32]);
        tile.f32s(self.low);
        tile.f32s(self.high);
        tile.f32s([self.steps_per_m]);
        self.vertices.iter().for_each(|&v| tile.f32s(v));
        self.push_polygons(&mut tile);
        // Room for the links that Detour makes when it loads the tile.
        tile.0.resize(tile.0.len() + link_slots * 12, 0);
        self.push_details(&mut tile);
        for node in &tree {
            node.low.iter().chain(&node.high).for_each(|&c| tile.u16(c));
            tile.i32s([node.index]);
        }
        self.push_connections(&mut tile);
        tile
    }

    fn push_polygons(&self, tile: &mut Bytes) {
        for p in &self.polygons {
            tile.u32(0);
            for k in 0..MOST_CORNERS {
                tile.u16(p.corners.get(k).map_or(0, |v| v.0 as u16));
            }
            for k in 0..MOST_CORNERS {
                tile.u16(p.neighbours.get(k).copied().flatten().map_or(0, |n| n as u16 + 1));
            }
            tile.u16(WALK);
            tile.0.push(p.corners.len() as u8);
            tile.0.push(self.mesh.cell_area_type(p.cell).0.min(63) as u8);
        }
        for (i, link) in self.mesh.links().iter().enumerate() {
            tile.u32(0);
            self.ends_of_link(i).into_iter().for_each(|v| tile.u16(v as u16));
            (0..MOST_CORNERS - 2 + MOST_CORNERS).for_each(|_| tile.u16(0));
            tile.u16(WALK | JUMP);
            tile.0.push(2);
            tile.0.push(link.area.0.min(63) as u8 | 1 << 6);
        }
    }

    /// A fan of triangles for every polygon: where they begin, then the triangles.
    fn push_details(&self, tile: &mut Bytes) {
        let mut first_triangle = 0;
        for p in &self.polygons {
            tile.u32(0);
            tile.u32(first_triangle);
            let triangles = p.corners.len() - 2;
            tile.0.extend_from_slice(&[0, triangles as u8, 0, 0]);
            first_triangle += triangles as u32;
        }
        for p in &self.polygons {
            for j in 2..p.corners.len() {
                // Which edges of the fan's triangle lie on the polygon's border, two bits each.
                let mut flags = 1 << 2;
                flags |= u8::from(j == 2);
                flags |= u8::from(j == p.corners.len() - 1) << 4;
                tile.0.extend_from_slice(&[0, (j - 1) as u8, j as u8, flags]);
            }
        }
    }

    /// Links as connections off the mesh.
    fn push_connections(&self, tile: &mut Bytes) {
        let radius = (self.mesh.agent().radius_m as f32).max(0.1);
        for (i, link) in self.mesh.links().iter().enumerate() {
            self.ends_of_link(i).into_iter().for_each(|v| tile.f32s(self.vertices[v]));
            tile.f32s([radius]);
            tile.u16((self.polygons.len() + i) as u16);
            // Both ends lie in this tile.
            tile.0.extend_from_slice(&[u8::from(link.two_way), 0xff]);
            tile.u32(i as u32);
        }
    }
}

/// The corners of the smallest box around some points.
fn bounds(points: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in points {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    [low, high]
}

/// Cuts cells into polygons that Detour can hold, and finds their neighbours.
fn polygons_of(mesh: &NavMesh) -> Vec<Polygon> {
    let data = mesh.data();
    let mut polygons: Vec<Polygon> = Vec::new();
    // Which polygon an edge of the mesh ended up in.
    let mut polygon_of_edge = vec![0_u32; data.edge_vertices.len()];
    // Which edge of the mesh an edge of a polygon is.
    let mut mesh_edges: Vec<Vec<Option<u32>>> = Vec::new();
    for cell in mesh.cells() {
        let vertices: Vec<VertexId> = mesh.cell_vertices(cell).collect();
        let first_edge = data.cell_first_edges[cell.index()];
        let n = vertices.len();
        let first = polygons.len();
        for corners in cut_cell(mesh, cell, &vertices) {
            let index = polygons.len() as u32;
            let edges = (0..corners.len())
                .map(|k| {
                    let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
                    let own = ((from + 1) % n == to).then_some(first_edge + from as u32);
                    if let Some(edge) = own {
                        polygon_of_edge[edge as usize] = index;
                    }
                    own
                })
                .collect();
            mesh_edges.push(edges);
            polygons.push(Polygon {
                neighbours: vec![None; corners.len()],
                corners: corners.iter().map(|&k| vertices[k]).collect(),
                cell,
            });
        }
        join_cuts(&mut polygons[first..], first as u32, &mesh_edges[first..]);
    }
    for (polygon, edges) in polygons.iter_mut().zip(&mesh_edges) {
        for (neighbour, edge) in polygon.neighbours.iter_mut().zip(edges) {
            if let Some(edge) = edge {
                let twin = data.edge_twins[*edge as usize];
                if twin != NO_EDGE {
                    *neighbour = Some(polygon_of_edge[twin as usize]);
                }
            }
        }
    }
    polygons
}

/// Makes the parts of one cell neighbours along the cuts between them.
fn join_cuts(parts: &mut [Polygon], first: u32, mesh_edges: &[Vec<Option<u32>>]) {
    let mut cuts: Vec<(VertexId, VertexId, usize, usize)> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let n = part.corners.len();
        for k in (0..n).filter(|&k| mesh_edges[i][k].is_none()) {
            cuts.push((part.corners[k], part.corners[(k + 1) % n], i, k));
        }
    }
    cuts.sort_unstable();
    for &(from, to, i, k) in &cuts {
        if let Ok(at) = cuts.binary_search_by(|c| (c.0, c.1).cmp(&(to, from))) {
            parts[i].neighbours[k] = Some(first + cuts[at].2 as u32);
        }
    }
}

/// Cuts a cell into convex polygons of at most six corners, as indices of its vertices.
fn cut_cell(mesh: &NavMesh, cell: CellId, vertices: &[VertexId]) -> Vec<Vec<usize>> {
    let n = vertices.len();
    let point = |k: usize| mesh.data().vertex_points[vertices[k % n].index()];
    let notched = mesh.data().convex_distance_m > 0.0
        && (0..n).any(|k| orient(point(k), point(k + 1), point(k + 2)) < 0);
    if notched {
        let mut triangles = Vec::new();
        mesh.cell_triangles(cell, &mut triangles);
        let place = |v: VertexId| vertices.iter().position(|&w| w == v).unwrap_or(0);
        return triangles.iter().map(|t| t.iter().map(|&v| place(v)).collect()).collect();
    }
    let area2 = |part: &[usize]| {
        part.windows(2).map(|w| orient(point(part[0]), point(w[0]), point(w[1]))).sum::<i128>()
    };
    let mut done = Vec::new();
    let mut open = vec![(0..n).collect::<Vec<usize>>()];
    while let Some(part) = open.pop() {
        let m = part.len();
        if m <= MOST_CORNERS {
            done.push(part);
            continue;
        }
        let halves = |s: usize| {
            let near: Vec<usize> = (s..=s + m / 2).map(|k| part[k % m]).collect();
            let far: Vec<usize> = (s + m / 2..=s + m).map(|k| part[k % m]).collect();
            (near, far)
        };
        // Every diagonal between opposite corners is tried, up to a few dozen of them.
        let stride = (m / 64).max(1);
        let best = (0..m / 2 + m % 2)
            .step_by(stride)
            .max_by_key(|&s| {
                let (near, far) = halves(s);
                (area2(&near).min(area2(&far)), std::cmp::Reverse(s))
            })
            .unwrap_or(0);
        let (near, far) = halves(best);
        open.push(far);
        open.push(near);
    }
    done
}

/// A node of Detour's tree of boxes.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: [u16; 3],
    high: [u16; 3],
    /// The polygon of a leaf, or how many nodes to skip, negated.
    index: i32,
}

/// The tree in preorder, halved along its longest side.
fn box_tree(boxes: &[[[u16; 3]; 2]]) -> Vec<Node> {
    let mut items: Vec<Node> = boxes
        .iter()
        .enumerate()
        .map(|(i, b)| Node { low: b[0], high: b[1], index: i as i32 })
        .collect();
    let mut nodes = Vec::with_capacity(boxes.len() * 2);
    if !items.is_empty() {
        add_subtree(&mut items, &mut nodes);
    }
    nodes
}

/// Depth grows with the logarithm of the number of polygons, of which there are at most 2¹⁵.
fn add_subtree(items: &mut [Node], nodes: &mut Vec<Node>) {
    if let [leaf] = items {
        nodes.push(*leaf);
        return;
    }
    let mut node = Node { low: [u16::MAX; 3], high: [0; 3], index: 0 };
    for item in items.iter() {
        for k in 0..3 {
            node.low[k] = node.low[k].min(item.low[k]);
            node.high[k] = node.high[k].max(item.high[k]);
        }
    }
    let side = |k: usize| node.high[k] - node.low[k];
    let axis = (1..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
    items.sort_by_key(|item| (item.low[axis], item.index));
    let at = nodes.len();
    nodes.push(node);
    let (near, far) = items.split_at_mut(items.len() / 2);
    add_subtree(near, nodes);
    add_subtree(far, nodes);
    nodes[at].index = -((nodes.len() - at) as i32);
}

/// Little-endian numbers in a row.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    /// Four letters as one number, the first letter in its highest byte.
    fn tag(&mut self, letters: &[u8; 4]) {
        self.u32(u32::from_be_bytes(*letters));
    }
    fn u16(&mut self, v: u16) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    fn u32(&mut self, v: u32) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    fn i32s<const N: usize>(&mut self, values: [i32; N]) {
        values.iter().for_each(|v| self.0.extend_from_slice(&v.to_le_bytes()));
    }
    fn f32s<const N: usize>(&mut self, values: [f32; N]) {
        values.iter().for_each(|v| self.0.extend_from_slice(&v.to_le_bytes()));
    }
}
