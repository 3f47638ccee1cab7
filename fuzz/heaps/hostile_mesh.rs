//! Meshes that hold every promise and that nobody would build: storeys that share corners, spirals,
//! slivers, links from anywhere to anywhere, cells of every kind and area.

use surefoot_mesh::{
    Agent, AreaId, CellId, CellKind, FromPolygonsError, Link, LinkKind, NavMesh, NavMeshData,
};

/// Points of a mesh, and the most polygons.
const POINTS: usize = 24;
const MAX_POLYGONS: usize = 40;

/// Bytes taken one after another; zeros where there are no more.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One of some values.
    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::from(self.next()) % values.len()]
    }
}

/// A mesh made of bytes, Z up; `None` where they make none.
pub(crate) fn hostile_mesh(bytes: &mut Bytes<'_>) -> Option<NavMesh> {
    let size_m = bytes.pick(&[1.0_f32, 0.01, 30.0, 2000.0, 1.0 / 4096.0]);
    let points: Vec<[f32; 3]> = (0..POINTS)
        .map(|_| {
            let (x, y) = (bytes.next(), bytes.next());
            let hair = |b: u8| if b >= 240 { 1.0 / 65_536.0 } else { 0.0 };
            let place = |b: u8| f32::from(b & 15) * size_m + hair(b);
            [place(x), place(y), f32::from(x >> 4) * bytes.pick(&[0.0_f32, 0.2, 3.0, 6e4])]
        })
        .collect();
    let mut polygons: Vec<Vec<u32>> = Vec::new();
    for _ in 0..usize::from(bytes.next()) % MAX_POLYGONS {
        let corners = 3 + usize::from(bytes.next() & 3);
        polygons.push((0..corners).map(|_| u32::from(bytes.next()) % POINTS as u32).collect());
    }
    let agent = Agent {
        radius_m: bytes.pick(&[0.3, 0.0, 40.0]),
        height_m: bytes.pick(&[1.8, 1e5]),
        ..Agent::default()
    };
    let mut data = join_what_fits(&points, polygons, agent)?;
    data.convex_distance_m = bytes.pick(&[0.0, 0.0, 1.0, 1e9]);
    data.area_names.extend(["mud".to_owned(), "ice".to_owned()]);
    for cell in 0..data.cell_kinds.len() {
        let choice = bytes.next();
        data.cell_kinds[cell] = CellKind::ALL[usize::from(choice) % CellKind::ALL.len()];
        data.cell_areas[cell] = AreaId(u16::from(choice >> 4) % 3);
    }
    for _ in 0..bytes.next() & 7 {
        let link = any_link(&data, bytes);
        data.links.extend(link);
    }
    data.validate().ok()
}

/// Joins polygons, without those that do not fit the others.
fn join_what_fits(
    points: &[[f32; 3]],
    mut polygons: Vec<Vec<u32>>,
    agent: Agent,
) -> Option<NavMeshData> {
    loop {
        match NavMeshData::from_polygons(points, &polygons, agent, [0.0, 0.0, 1.0]) {
            Ok(data) => match data.clone().validate() {
                Ok(_) => return Some(data),
                // Which cell is at fault is not asked: the last one goes.
                Err(_) => drop(polygons.pop()?),
            },
            Err(FromPolygonsError::EdgeUsedTwice { second: polygon, .. }) => {
                polygons.remove(polygon);
            }
            Err(FromPolygonsError::NoArea { polygon }) => {
                let turned: Vec<u32> = polygons[polygon].iter().rev().copied().collect();
                let three = turned.len() > 3;
                polygons.remove(polygon);
                if three {
                    polygons.push(turned[..3].to_vec());
                }
            }
            Err(_) => return None,
        }
    }
}

/// A link between corners of two cells.
fn any_link(data: &NavMeshData, bytes: &mut Bytes<'_>) -> Option<Link> {
    let cells = data.cell_kinds.len();
    if cells < 2 {
        return None;
    }
    let from = usize::from(bytes.next()) % cells;
    let to = usize::from(bytes.next()) % cells;
    let mut segment = |cell: usize| {
        let first = data.cell_first_edges[cell] as usize;
        let count = data.cell_first_edges[cell + 1] as usize - first;
        [0, 1].map(|_| {
            let corner = first + usize::from(bytes.next()) % count;
            let vertex = data.edge_vertices[corner].0 as usize;
            let [x, y] = data.vertex_points[vertex].to_m();
            [x as f32, y as f32, data.vertex_heights_m[vertex]]
        })
    };
    let (from_segment, to_segment) = (segment(from), segment(to));
    let kind = LinkKind::ALL[usize::from(bytes.next()) % LinkKind::ALL.len()];
    Some(Link {
        from_cell: CellId(from as u32),
        to_cell: CellId(to as u32),
        from_segment,
        to_segment,
        kind,
        two_way: bytes.next() & 1 == 0,
        area: AreaId(u16::from(bytes.next()) % 3),
    })
}
