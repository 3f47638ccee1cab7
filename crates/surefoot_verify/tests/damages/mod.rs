//! Ways to damage a good mesh.

use std::collections::BTreeMap;
use surefoot_bake::{BakeSettings, bake};
use surefoot_mesh::{
    Agent, AreaId, CellId, CellKind, EdgeClass, LatticePoint, Link, LinkKind, NO_EDGE, NavMeshData,
    VertexId,
};
use surefoot_scene::{Scene, SceneBuilder};

/// The part of the report that must speak of a damage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Sound,
    Complete,
    Connection,
    /// A fault of this name.
    Structure(&'static str),
}

/// Makes a damaged mesh from a sound one and its scene.
pub(crate) type Make = fn(&Scene, NavMeshData) -> NavMeshData;

/// One kind of damage, and the scenes with their sizes on which it is tried.
pub(crate) struct Damage {
    pub(crate) name: &'static str,
    pub(crate) part: Part,
    pub(crate) on: &'static [(&'static str, u32)],
    pub(crate) make: Make,
}

const FLAT: &[(&str, u32)] = &[("doorways", 2), ("pillars", 3), ("maze", 5)];
const LOW: &[(&str, u32)] = &[("overhang", 1), ("kerbs", 1), ("spiral-stairs", 12)];
const HIGH_STEPS: &[(&str, u32)] = &[("kerbs", 1), ("stairs", 4), ("spiral-stairs", 12)];
const STEEP: &[(&str, u32)] = &[("overhang", 1), ("kerbs", 1), ("terrain", 48)];

pub(crate) fn all() -> Vec<Damage> {
    use Part::{Complete, Connection, Sound, Structure};
    type Kind = (&'static str, Part, &'static [(&'static str, u32)], Make);
    let kinds: &[Kind] = &[
        ("one border 5 cm too far out", Sound, FLAT, |_, m| grow_one_border(m, 0.05)),
        ("all borders 5 cm too far out", Sound, FLAT, |s, m| bake_as(s, m, |a| a.radius_m -= 0.05)),
        ("all borders 10 cm too far in", Complete, FLAT, |s, m| {
            bake_as(s, m, |a| a.radius_m += 0.1)
        }),
        ("the largest cell dropped", Complete, FLAT, |_, m| {
            drop_cells(m, |c, _, largest| c == largest)
        }),
        ("one half dropped", Complete, FLAT, |_, m| {
            drop_cells(m, |_, beyond_middle, _| beyond_middle)
        }),
        ("a cell lifted by 30 cm", Sound, FLAT, |_, m| lift_largest(m, 0.3)),
        ("a cell lifted by 5 cm", Sound, FLAT, |_, m| lift_largest(m, 0.05)),
        ("a cell sunk by 30 cm", Sound, FLAT, |_, m| lift_largest(m, -0.3)),
        ("a cell tilted", Sound, FLAT, |_, m| tilt_largest(m)),
        ("all moved aside by 5 cm", Sound, FLAT, |_, m| map_points(m, |p| [p[0] + 0.05, p[1]])),
        ("all turned by 2°", Sound, FLAT, |_, m| turn(m, 2.0)),
        ("all enlarged by 2 %", Sound, FLAT, |_, m| map_points(m, |p| [p[0] * 1.02, p[1] * 1.02])),
        ("all lifted by 20 cm", Sound, FLAT, |_, mut m| {
            m.vertex_heights_m.iter_mut().for_each(|z| *z += 0.2);
            m
        }),
        ("head room of 1.5 m", Sound, LOW, |s, m| bake_as(s, m, |a| a.height_m = 1.5)),
        ("steps of 60 cm", Sound, HIGH_STEPS, |s, m| bake_as(s, m, |a| a.max_step_m = 0.6)),
        ("slopes of 65°", Sound, STEEP, |s, m| {
            bake_as(s, m, |a| a.max_slope_rad = 65.0_f64.to_radians())
        }),
        ("walls not seen", Sound, FLAT, without_walls),
        ("joined into a wall or over a ledge", Connection, FLAT, |_, m| add_pair_beyond_border(m)),
        ("a cell across the border", Sound, FLAT, |_, m| add_beyond_border(m)),
        ("a cell in the void", Sound, FLAT, |_, m| copy_largest(m, [500.0, 0.0], 0.0)),
        ("a cell far below", Sound, FLAT, |_, m| copy_largest(m, [0.0, 0.0], -5.0)),
        ("a cell flipped", Structure("flipped"), FLAT, |_, m| {
            reorder_largest(m, <[VertexId]>::reverse)
        }),
        ("a cell without area", Structure("flipped"), FLAT, |_, m| flatten_largest(m)),
        ("a cell with an edge of no length", Structure("zero-edge"), FLAT, |_, m| {
            reorder_largest(m, |c| c[1] = c[0])
        }),
        ("a cell crossing itself", Structure("crossing"), FLAT, |_, m| cross_over(m)),
        ("a notch in a cell", Structure("not-convex"), FLAT, |_, m| notch_largest(m)),
        ("a cell over another", Structure("overlap"), FLAT, |_, m| {
            copy_largest(m, [0.1, 0.07], 0.0)
        }),
        ("a cell twice", Structure("overlap"), FLAT, |_, m| copy_largest(m, [0.0, 0.0], 0.0)),
        ("a cell 1 m over another", Structure("overlap"), FLAT, |_, m| {
            copy_largest(m, [0.0, 0.0], 1.0)
        }),
        ("a neighbour that does not know it", Structure("one-sided"), FLAT, |_, mut m| {
            let e = a_portal(&m);
            m.edge_twins[e] = NO_EDGE;
            m
        }),
        ("a neighbour that does not exist", Structure("one-sided"), FLAT, |_, mut m| {
            let e = a_portal(&m);
            m.edge_twins[e] = 4_000_000;
            m
        }),
        ("a false portal", Structure("twin-elsewhere"), FLAT, |_, m| pair_far_borders(m)),
        ("a cell its own neighbour", Structure("own-neighbour"), FLAT, |_, mut m| {
            let first = m.cell_first_edges[largest(&m)];
            join(&mut m, first as usize, first as usize + 1);
            m
        }),
        ("a class that contradicts", Structure("wrong-class"), FLAT, |_, mut m| {
            let e = a_portal(&m);
            m.edge_classes[e] = EdgeClass::Blocked;
            m
        }),
        ("a portal lost", Structure("t-joint"), FLAT, |_, mut m| {
            let e = a_portal(&m);
            let twin = m.edge_twins[e] as usize;
            part(&mut m, e, twin);
            m
        }),
        ("a T-joint", Structure("t-joint"), FLAT, |_, m| split_one_side(m)),
        ("neighbours a storey apart", Structure("step-too-high"), FLAT, |_, m| {
            lift_largest(m, 2.5)
        }),
        ("a height that is no number", Structure("unreadable"), FLAT, |_, mut m| {
            m.vertex_heights_m[0] = f32::NAN;
            m
        }),
        ("a vertex that does not exist", Structure("unreadable"), FLAT, |_, mut m| {
            m.edge_vertices[0] = VertexId(u32::MAX - 1);
            m
        }),
        ("an array cut short", Structure("unreadable"), FLAT, |_, mut m| {
            m.edge_classes.pop();
            m
        }),
        ("a crumb of a component", Structure("small-component"), FLAT, |_, m| {
            let keep = smallest(&m);
            drop_cells(m, |c, _, _| c != keep)
        }),
        ("a link off its cell", Structure("link-off-cell"), FLAT, |_, m| {
            link(m, |l| l.to_segment[0][0] += 30.0)
        }),
        ("a link from a cell to itself", Structure("link-cells"), FLAT, |_, m| {
            link(m, |l| l.to_cell = l.from_cell)
        }),
        ("a link through walls", Connection, FLAT, link_through_wall),
        ("a link up a storey", Connection, FLAT, |_, m| {
            link(m, |l| l.to_segment.iter_mut().for_each(|p| p[2] += 3.0))
        }),
        ("a bridge over nothing", Sound, FLAT, |_, m| {
            let mut m = add_beyond_border(m);
            *m.cell_kinds.last_mut().unwrap() = CellKind::Ramp;
            m
        }),
        ("torn in two", Connection, FLAT, |_, m| tear(m, 0.02)),
    ];
    kinds.iter().map(|&(name, part, on, make)| Damage { name, part, on, make }).collect()
}

/// Bakes for another agent and says that it was for this one.
fn bake_as(scene: &Scene, good: NavMeshData, change: impl Fn(&mut Agent)) -> NavMeshData {
    let mut agent = good.agent;
    change(&mut agent);
    let settings = BakeSettings { agent, ..BakeSettings::default() };
    let mut data = bake(scene, &settings).unwrap().into_data();
    data.agent = good.agent;
    data
}

/// Bakes from a scene in which only what faces up is left.
fn without_walls(scene: &Scene, good: NavMeshData) -> NavMeshData {
    let mut builder = SceneBuilder::new();
    for t in scene.triangles() {
        let corners = t.map(|i| scene.point(i));
        let low = corners.iter().all(|p| p[1].abs() < 0.01);
        let [a, b, c] = corners;
        let up = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
        if low && up > 0.0 {
            builder.triangle(corners);
        }
    }
    bake_as(&builder.finish(), good, |_| {})
}

fn edges(m: &NavMeshData, cell: usize) -> std::ops::Range<usize> {
    m.cell_first_edges[cell] as usize..m.cell_first_edges[cell + 1] as usize
}

fn next(m: &NavMeshData, edge: usize) -> usize {
    let cell = m.cell_first_edges.partition_point(|&f| f as usize <= edge) - 1;
    let run = edges(m, cell);
    if edge + 1 == run.end { run.start } else { edge + 1 }
}

fn at(m: &NavMeshData, edge: usize) -> LatticePoint {
    m.vertex_points[m.edge_vertices[edge].index()]
}

fn area2(m: &NavMeshData, cell: usize) -> f64 {
    let run = edges(m, cell);
    run.map(|e| {
        let (a, b) = (at(m, e).to_m(), at(m, next(m, e)).to_m());
        a[0] * b[1] - a[1] * b[0]
    })
    .sum()
}

fn largest(m: &NavMeshData) -> usize {
    let cells = 0..m.cell_kinds.len();
    cells.max_by(|&a, &b| area2(m, a).total_cmp(&area2(m, b))).unwrap()
}

fn smallest(m: &NavMeshData) -> usize {
    let cells = 0..m.cell_kinds.len();
    cells.min_by(|&a, &b| area2(m, a).total_cmp(&area2(m, b))).unwrap()
}

fn length(m: &NavMeshData, edge: usize) -> f64 {
    let (a, b) = (at(m, edge).to_m(), at(m, next(m, edge)).to_m());
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The longest edge with a neighbour.
fn a_portal(m: &NavMeshData) -> usize {
    (0..m.edge_twins.len())
        .filter(|&e| m.edge_twins[e] != NO_EDGE)
        .max_by(|&a, &b| length(m, a).total_cmp(&length(m, b)))
        .unwrap()
}

/// The edges without a neighbour, the longest first.
fn borders(m: &NavMeshData) -> Vec<usize> {
    let mut list: Vec<usize> =
        (0..m.edge_twins.len()).filter(|&e| m.edge_twins[e] == NO_EDGE).collect();
    list.sort_by(|&a, &b| length(m, b).total_cmp(&length(m, a)));
    list
}

fn part(m: &mut NavMeshData, e: usize, f: usize) {
    for edge in [e, f] {
        m.edge_twins[edge] = NO_EDGE;
        m.edge_classes[edge] = EdgeClass::Open;
    }
}

fn join(m: &mut NavMeshData, e: usize, f: usize) {
    for (a, b) in [(e, f), (f, e)] {
        m.edge_twins[a] = b as u32;
        m.edge_classes[a] = EdgeClass::Inner;
    }
}

fn lattice([x, y]: [f64; 2]) -> LatticePoint {
    LatticePoint::from_m(x, y).unwrap()
}

fn map_points(mut m: NavMeshData, f: impl Fn([f64; 2]) -> [f64; 2]) -> NavMeshData {
    for p in &mut m.vertex_points {
        *p = lattice(f(p.to_m()));
    }
    m
}

fn turn(m: NavMeshData, degrees: f64) -> NavMeshData {
    let n = m.vertex_points.len() as f64;
    let middle = m.vertex_points.iter().fold([0.0; 2], |s, p| {
        let p = p.to_m();
        [s[0] + p[0] / n, s[1] + p[1] / n]
    });
    let (s, c) = degrees.to_radians().sin_cos();
    map_points(m, |p| {
        let d = [p[0] - middle[0], p[1] - middle[1]];
        [middle[0] + c * d[0] - s * d[1], middle[1] + s * d[0] + c * d[1]]
    })
}

/// The outward unit normal of an edge.
fn outwards(m: &NavMeshData, edge: usize) -> [f64; 2] {
    let (a, b) = (at(m, edge).to_m(), at(m, next(m, edge)).to_m());
    let l = length(m, edge);
    [(b[1] - a[1]) / l, -(b[0] - a[0]) / l]
}

/// Moves the two ends of the longest border outwards, with everything that is fixed to them.
fn grow_one_border(mut m: NavMeshData, by_m: f64) -> NavMeshData {
    let edge = borders(&m)[0];
    let out = outwards(&m, edge);
    let ends = [at(&m, edge), at(&m, next(&m, edge))];
    for p in &mut m.vertex_points {
        if ends.contains(p) {
            let q = p.to_m();
            *p = lattice([q[0] + out[0] * by_m, q[1] + out[1] * by_m]);
        }
    }
    m
}

/// Gives the largest cell vertices of its own; their ids.
fn own_vertices(m: &mut NavMeshData) -> Vec<VertexId> {
    let run = edges(m, largest(m));
    run.map(|e| {
        let v = m.edge_vertices[e].index();
        m.vertex_points.push(m.vertex_points[v]);
        m.vertex_heights_m.push(m.vertex_heights_m[v]);
        let own = VertexId(m.vertex_points.len() as u32 - 1);
        m.edge_vertices[e] = own;
        own
    })
    .collect()
}

fn lift_largest(mut m: NavMeshData, by_m: f32) -> NavMeshData {
    for v in own_vertices(&mut m) {
        m.vertex_heights_m[v.index()] += by_m;
    }
    m
}

fn tilt_largest(mut m: NavMeshData) -> NavMeshData {
    let own = own_vertices(&mut m);
    m.vertex_heights_m[own[0].index()] += 0.5;
    m
}

fn flatten_largest(mut m: NavMeshData) -> NavMeshData {
    let own = own_vertices(&mut m);
    let first = m.vertex_points[own[0].index()].to_m();
    for (k, v) in own.iter().enumerate() {
        m.vertex_points[v.index()] = lattice([first[0] + k as f64, first[1]]);
    }
    m
}

fn notch_largest(mut m: NavMeshData) -> NavMeshData {
    let own = own_vertices(&mut m);
    // A corner in the middle of the first edge, pushed inwards.
    let cell = largest(&m);
    let edge = edges(&m, cell).start;
    let (a, b) = (m.vertex_points[own[0].index()].to_m(), m.vertex_points[own[1].index()].to_m());
    let out = outwards(&m, edge);
    let middle = [0.5 * (a[0] + b[0]) - 0.1 * out[0], 0.5 * (a[1] + b[1]) - 0.1 * out[1]];
    m.vertex_points.push(lattice(middle));
    m.vertex_heights_m.push(m.vertex_heights_m[own[0].index()]);
    let vertex = VertexId(m.vertex_points.len() as u32 - 1);
    insert_edge(&mut m, edge, vertex);
    m
}

/// Adds a corner after the start of an edge; both halves have no neighbour.
fn insert_edge(m: &mut NavMeshData, edge: usize, vertex: VertexId) {
    let twin = m.edge_twins[edge];
    if twin != NO_EDGE {
        part(m, edge, twin as usize);
    }
    m.edge_vertices.insert(edge + 1, vertex);
    m.edge_twins.insert(edge + 1, NO_EDGE);
    m.edge_classes.insert(edge + 1, EdgeClass::Open);
    for t in &mut m.edge_twins {
        if *t != NO_EDGE && *t as usize > edge {
            *t += 1;
        }
    }
    let cell = m.cell_first_edges.partition_point(|&f| f as usize <= edge) - 1;
    for f in &mut m.cell_first_edges[cell + 1..] {
        *f += 1;
    }
}

fn split_one_side(mut m: NavMeshData) -> NavMeshData {
    let edge = a_portal(&m);
    let (a, b) = (at(&m, edge).to_m(), at(&m, next(&m, edge)).to_m());
    m.vertex_points.push(lattice([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]));
    m.vertex_heights_m.push(m.vertex_heights_m[m.edge_vertices[edge].index()]);
    let vertex = VertexId(m.vertex_points.len() as u32 - 1);
    insert_edge(&mut m, edge, vertex);
    m
}

fn reorder_largest(mut m: NavMeshData, f: impl Fn(&mut [VertexId])) -> NavMeshData {
    let run = edges(&m, largest(&m));
    f(&mut m.edge_vertices[run]);
    m
}

fn cross_over(mut m: NavMeshData) -> NavMeshData {
    // Of cells with four corners or more, the largest.
    let cell = (0..m.cell_kinds.len())
        .filter(|&c| edges(&m, c).len() >= 4)
        .max_by(|&a, &b| area2(&m, a).total_cmp(&area2(&m, b)))
        .unwrap();
    // A small loop in the first edge: the area stays positive.
    let run = edges(&m, cell);
    let (a, b) = (at(&m, run.start).to_m(), at(&m, run.start + 1).to_m());
    let out = outwards(&m, run.start);
    let cut =
        |p: [f64; 2], q: [f64; 2], t: f64| [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t];
    let past = cut(a, b, 0.7);
    let back = cut(a, b, 0.3);
    let depth = 0.02;
    for p in [
        [past[0] + out[0] * depth, past[1] + out[1] * depth],
        [back[0] + out[0] * depth, back[1] + out[1] * depth],
        [cut(a, b, 0.5)[0] - out[0] * depth, cut(a, b, 0.5)[1] - out[1] * depth],
    ]
    .into_iter()
    .rev()
    {
        m.vertex_points.push(lattice(p));
        let height = m.vertex_heights_m[m.edge_vertices[run.start].index()];
        m.vertex_heights_m.push(height);
        let vertex = VertexId(m.vertex_points.len() as u32 - 1);
        insert_edge(&mut m, run.start, vertex);
    }
    m
}

/// Drops cells; `which` is told the cell, whether it lies beyond the middle, and the largest cell.
fn drop_cells(m: NavMeshData, which: impl Fn(usize, bool, usize) -> bool) -> NavMeshData {
    let n = m.vertex_points.len() as f64;
    let middle = m.vertex_points.iter().map(|p| p.to_m()[0]).sum::<f64>() / n;
    let big = largest(&m);
    let mut out = NavMeshData {
        cell_first_edges: vec![0],
        cell_kinds: Vec::new(),
        cell_areas: Vec::new(),
        edge_vertices: Vec::new(),
        edge_twins: Vec::new(),
        edge_classes: Vec::new(),
        ..m.clone()
    };
    let mut number = vec![NO_EDGE; m.edge_vertices.len()];
    for cell in 0..m.cell_kinds.len() {
        let run = edges(&m, cell);
        let beyond = run.clone().all(|e| at(&m, e).to_m()[0] > middle);
        if which(cell, beyond, big) {
            continue;
        }
        for e in run {
            number[e] = out.edge_vertices.len() as u32;
            out.edge_vertices.push(m.edge_vertices[e]);
            out.edge_twins.push(m.edge_twins[e]);
            out.edge_classes.push(m.edge_classes[e]);
        }
        out.cell_first_edges.push(out.edge_vertices.len() as u32);
        out.cell_kinds.push(m.cell_kinds[cell]);
        out.cell_areas.push(m.cell_areas[cell]);
    }
    for (twin, class) in out.edge_twins.iter_mut().zip(&mut out.edge_classes) {
        if *twin != NO_EDGE {
            *twin = number[*twin as usize];
            if *twin == NO_EDGE {
                *class = EdgeClass::Open;
            }
        }
    }
    out
}

fn add_cell(m: &mut NavMeshData, corners: &[([f64; 2], f32)]) {
    for &(p, z) in corners {
        m.vertex_points.push(lattice(p));
        m.vertex_heights_m.push(z);
        m.edge_vertices.push(VertexId(m.vertex_points.len() as u32 - 1));
        m.edge_twins.push(NO_EDGE);
        m.edge_classes.push(EdgeClass::Open);
    }
    m.cell_first_edges.push(m.edge_vertices.len() as u32);
    m.cell_kinds.push(CellKind::Ground);
    m.cell_areas.push(AreaId(0));
}

fn add_beyond_border(mut m: NavMeshData) -> NavMeshData {
    let edge = borders(&m)[0];
    let out = outwards(&m, edge);
    let (a, b) = (at(&m, edge).to_m(), at(&m, next(&m, edge)).to_m());
    let z = m.vertex_heights_m[m.edge_vertices[edge].index()];
    let far = |p: [f64; 2]| [p[0] + 0.8 * out[0], p[1] + 0.8 * out[1]];
    add_cell(&mut m, &[(b, z), (a, z), (far(a), z), (far(b), z)]);
    m
}

/// Two cells beyond the border, joined to it, with a portal between them where nobody can be.
fn add_pair_beyond_border(mut m: NavMeshData) -> NavMeshData {
    let edge = borders(&m)[0];
    let out = outwards(&m, edge);
    let (a, b) = (at(&m, edge).to_m(), at(&m, next(&m, edge)).to_m());
    let z = m.vertex_heights_m[m.edge_vertices[edge].index()];
    let far = |p: [f64; 2], d: f64| ([p[0] + d * out[0], p[1] + d * out[1]], z);
    let near = m.edge_vertices.len();
    add_cell(&mut m, &[(b, z), (a, z), far(a, 0.4), far(b, 0.4)]);
    add_cell(&mut m, &[far(b, 0.4), far(a, 0.4), far(a, 0.8), far(b, 0.8)]);
    join(&mut m, edge, near);
    join(&mut m, near + 2, near + 4);
    m
}

fn copy_largest(mut m: NavMeshData, by: [f64; 2], up_m: f32) -> NavMeshData {
    let corners: Vec<([f64; 2], f32)> = edges(&m, largest(&m))
        .map(|e| {
            let p = at(&m, e).to_m();
            let z = m.vertex_heights_m[m.edge_vertices[e].index()];
            ([p[0] + by[0], p[1] + by[1]], z + up_m)
        })
        .collect();
    add_cell(&mut m, &corners);
    m
}

fn pair_far_borders(mut m: NavMeshData) -> NavMeshData {
    let list = borders(&m);
    let cell_of = |e: usize| m.cell_first_edges.partition_point(|&f| f as usize <= e);
    let e = list[0];
    let f = *list[1..].iter().find(|&&f| cell_of(f) != cell_of(e)).unwrap();
    join(&mut m, e, f);
    m
}

/// The middle of a cell.
fn middle(m: &NavMeshData, cell: usize) -> [f32; 3] {
    let run = edges(m, cell);
    let n = run.len() as f64;
    let mut sum = [0.0_f64; 3];
    for e in run {
        let p = at(m, e).to_m();
        let z = f64::from(m.vertex_heights_m[m.edge_vertices[e].index()]);
        for (s, v) in sum.iter_mut().zip([p[0], p[1], z]) {
            *s += v / n;
        }
    }
    sum.map(|v| v as f32)
}

fn add_link(m: &mut NavMeshData, from: usize, to: usize, change: impl Fn(&mut Link)) {
    let mut link = Link {
        from_cell: CellId(from as u32),
        to_cell: CellId(to as u32),
        from_segment: [middle(m, from); 2],
        to_segment: [middle(m, to); 2],
        kind: LinkKind::Step,
        two_way: true,
        area: AreaId(0),
    };
    change(&mut link);
    m.links.push(link);
}

/// Adds a link between the middles of the two largest cells.
fn link(mut m: NavMeshData, change: impl Fn(&mut Link)) -> NavMeshData {
    let [from, to, ..] = by_size(&m)[..] else { return m };
    add_link(&mut m, from, to, change);
    m
}

/// All cells, the largest first.
fn by_size(m: &NavMeshData) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..m.cell_kinds.len()).collect();
    cells.sort_by(|&a, &b| area2(m, b).total_cmp(&area2(m, a)));
    cells
}

/// Adds a link between two cells with something between them at chest height.
fn link_through_wall(scene: &Scene, mut m: NavMeshData) -> NavMeshData {
    const CHEST_M: f32 = 1.2;
    // Near the first corner of each cell: middles may all see each other through the doors.
    let inside = |m: &NavMeshData, c: usize| -> [f32; 3] {
        let (p, e) = (middle(m, c), edges(m, c).start);
        let [x, y] = at(m, e).to_m().map(|v| v as f32);
        let corner = [x, y, m.vertex_heights_m[m.edge_vertices[e].index()]];
        std::array::from_fn(|k| 0.2 * p[k] + 0.8 * corner[k])
    };
    let chest = |c: usize| {
        let [x, y, z] = inside(&m, c);
        m.frame.user_from_canonical([x, y, z + CHEST_M].map(f64::from))
    };
    let hit = |(from, to): &(usize, usize)| {
        let (p, q) = (chest(*from), chest(*to));
        scene.triangles().iter().any(|t| crosses(p, q, t.map(|i| scene.point(i))))
    };
    let cells = by_size(&m);
    let mut pairs = cells.iter().flat_map(|&a| cells.iter().map(move |&b| (a, b)));
    let (from, to) = pairs.find(hit).unwrap();
    let (start, end) = (inside(&m, from), inside(&m, to));
    add_link(&mut m, from, to, |l| {
        (l.from_segment, l.to_segment) = ([start; 2], [end; 2]);
    });
    m
}

/// Whether a segment crosses a triangle.
fn crosses(p: [f64; 3], q: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> bool {
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    // Six times the volume of a tetrahedron.
    let volume = |a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]| {
        let (u, v, w) = (minus(b, a), minus(c, a), minus(d, a));
        u[0] * (v[1] * w[2] - v[2] * w[1])
            + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0])
    };
    let (s, t) = (volume(a, b, c, p), volume(a, b, c, q));
    let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    s * t < 0.0 && (sides.iter().all(|v| *v > 0.0) || sides.iter().all(|v| *v < 0.0))
}

/// Parts the mesh along the portals nearest to its middle and draws the two halves apart there, by
/// less than any wall or hole would.
fn tear(mut m: NavMeshData, by_m: f64) -> NavMeshData {
    let n = m.vertex_points.len() as f64;
    let seam = m.vertex_points.iter().map(|p| p.to_m()[0]).sum::<f64>() / n;
    let beyond: Vec<bool> =
        (0..m.cell_kinds.len()).map(|c| f64::from(middle(&m, c)[0]) > seam).collect();
    let cell_of =
        |m: &NavMeshData, e: usize| m.cell_first_edges.partition_point(|&f| f as usize <= e) - 1;
    let cut: Vec<usize> = (0..m.edge_twins.len())
        .filter(|&e| m.edge_twins[e] != NO_EDGE && beyond[cell_of(&m, e)])
        .filter(|&e| !beyond[cell_of(&m, m.edge_twins[e] as usize)])
        .collect();
    // Every corner on the seam moves into its own cells, for all cells beyond it.
    let mut moved: BTreeMap<VertexId, [f64; 2]> = BTreeMap::new();
    for &e in &cut {
        let out = outwards(&m, e);
        for v in [m.edge_vertices[e], m.edge_vertices[next(&m, e)]] {
            let by = moved.entry(v).or_default();
            *by = [by[0] - out[0] * by_m, by[1] - out[1] * by_m];
        }
    }
    for &e in &cut {
        let twin = m.edge_twins[e] as usize;
        part(&mut m, e, twin);
    }
    let mut own: BTreeMap<VertexId, VertexId> = BTreeMap::new();
    for (v, by) in moved {
        let p = m.vertex_points[v.index()].to_m();
        m.vertex_points.push(lattice([p[0] + by[0], p[1] + by[1]]));
        m.vertex_heights_m.push(m.vertex_heights_m[v.index()]);
        own.insert(v, VertexId(m.vertex_points.len() as u32 - 1));
    }
    for cell in (0..beyond.len()).filter(|&c| beyond[c]) {
        for e in edges(&m, cell) {
            if let Some(&v) = own.get(&m.edge_vertices[e]) {
                m.edge_vertices[e] = v;
            }
        }
    }
    m
}
