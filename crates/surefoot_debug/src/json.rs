//! A mesh as JSON, for programs that want all of it and know no other format.

use crate::numbers::push_point;
use std::fmt::Write;
use surefoot_mesh::{EdgeId, NavMesh, VertexId};

/// Writes a mesh as one JSON object. Positions are in the user's frame, in metres.
///
/// | key | holds |
/// |---|---|
/// | `format`, `version` | `"surefoot-navmesh"`, `1` |
/// | `agent` | `height_m`, `radius_m`, `max_slope_deg`, `max_step_m` |
/// | `up` | the up direction, a unit vector |
/// | `bounds` | `min` and `max`, or `null` for a mesh without cells |
/// | `areas` | the names of the area types |
/// | `components` | how many there are |
/// | `vertices` | a list of `[x, y, z]` |
/// | `cells` | a list of objects, see below |
/// | `portals` | a list of objects, see below |
/// | `links` | a list of objects, see below |
///
/// A cell has `vertices` (indices, counter-clockwise seen from above), `neighbours` (for the edge
/// that starts at each vertex the cell on its other side, or `null`), `edges` (the class of each
/// edge: `inner`, `step`, `open`, `blocked`, `inner-wall`, `gap`), `kind` (`ground`, `ramp`, `gap`),
/// `area` (an index of `areas`) and `component`. Two neighbours across a step have vertices of
/// their own.
///
/// A portal has `cells` (the two that meet there, the lower index first), `ends` (two points, as the
/// first cell has them; that cell lies to the left of the way from one to the other) and `edge` (its
/// class). With `cells` it is the cell-and-portal graph.
///
/// A link has `from` and `to` (cells), `from_segment` and `to_segment` (two points each: any point
/// of the one leads to the point at the same share of the other), `kind` (`step`, `gap`, `jump`,
/// `door`), `two_way` and `area`.
#[must_use]
pub fn mesh_to_json(mesh: &NavMesh) -> String {
    let data = mesh.data();
    let agent = mesh.agent();
    let mut out = String::with_capacity(512 + mesh.vertex_count() * 32 + mesh.cell_count() * 128);
    let _ = write!(
        out,
        "{{\"format\":\"surefoot-navmesh\",\"version\":1,\n\"agent\":{{\"height_m\":{},\
         \"radius_m\":{},\"max_slope_deg\":{},\"max_step_m\":{}}},\n\"up\":[",
        agent.height_m,
        agent.radius_m,
        rounded_degrees(agent.max_slope_rad),
        agent.max_step_m
    );
    push_point(&mut out, &mesh.frame().up(), ',');
    out.push_str("],\n\"bounds\":");
    match mesh.bounds() {
        Some(bounds) => {
            out.push_str("{\"min\":[");
            push_point(&mut out, &bounds.low, ',');
            out.push_str("],\"max\":[");
            push_point(&mut out, &bounds.high, ',');
            out.push_str("]}");
        }
        None => out.push_str("null"),
    }
    let names: Vec<serde_json::Value> = data.area_names.iter().map(|n| n.as_str().into()).collect();
    let _ = write!(
        out,
        ",\n\"areas\":{},\n\"components\":{},\n\"vertices\":[",
        serde_json::Value::Array(names),
        mesh.component_count()
    );
    for v in 0..mesh.vertex_count() as u32 {
        out.push_str(if v == 0 { "\n[" } else { ",\n[" });
        push_point(&mut out, &mesh.vertex_position(VertexId(v)), ',');
        out.push(']');
    }
    out.push_str("],\n\"cells\":[");
    push_cells(&mut out, mesh);
    out.push_str("],\n\"portals\":[");
    push_portals(&mut out, mesh);
    out.push_str("],\n\"links\":[");
    push_links(&mut out, mesh);
    out.push_str("]}\n");
    out
}

fn push_cells(out: &mut String, mesh: &NavMesh) {
    for cell in mesh.cells() {
        out.push_str(if cell.0 == 0 { "\n{\"vertices\":[" } else { ",\n{\"vertices\":[" });
        push_list(out, mesh.cell_vertices(cell), |out, v| {
            let _ = write!(out, "{}", v.0);
        });
        out.push_str("],\"neighbours\":[");
        push_list(out, mesh.cell_edges(cell), |out, e: EdgeId| match mesh.neighbour(e) {
            Some(other) => {
                let _ = write!(out, "{}", other.0);
            }
            None => out.push_str("null"),
        });
        out.push_str("],\"edges\":[");
        push_list(out, mesh.cell_edges(cell), |out, e: EdgeId| {
            let _ = write!(out, "\"{}\"", mesh.edge_class(e).name());
        });
        let _ = write!(
            out,
            "],\"kind\":\"{}\",\"area\":{},\"component\":{}}}",
            mesh.cell_kind(cell).name(),
            mesh.cell_area_type(cell).0,
            mesh.cell_component(cell)
        );
    }
}

fn push_portals(out: &mut String, mesh: &NavMesh) {
    let mut first = true;
    for cell in mesh.cells() {
        let vertices: Vec<VertexId> = mesh.cell_vertices(cell).collect();
        for (i, edge) in mesh.cell_edges(cell).enumerate() {
            let Some(other) = mesh.neighbour(edge).filter(|other| *other > cell) else { continue };
            let comma = if first { "" } else { "," };
            first = false;
            let _ = write!(out, "{comma}\n{{\"cells\":[{},{}],\"ends\":[[", cell.0, other.0);
            push_point(out, &mesh.vertex_position(vertices[i]), ',');
            out.push_str("],[");
            push_point(out, &mesh.vertex_position(vertices[(i + 1) % vertices.len()]), ',');
            let _ = write!(out, "]],\"edge\":\"{}\"}}", mesh.edge_class(edge).name());
        }
    }
}

fn push_links(out: &mut String, mesh: &NavMesh) {
    let user = |p: [f32; 3]| mesh.frame().user_from_canonical(p.map(f64::from));
    for (i, link) in mesh.links().iter().enumerate() {
        let _ = write!(
            out,
            "{}\n{{\"from\":{},\"to\":{},\"from_segment\":",
            if i == 0 { "" } else { "," },
            link.from_cell.0,
            link.to_cell.0
        );
        let segment = |out: &mut String, s: [[f32; 3]; 2]| {
            out.push_str("[[");
            push_point(out, &user(s[0]), ',');
            out.push_str("],[");
            push_point(out, &user(s[1]), ',');
            out.push_str("]]");
        };
        segment(out, link.from_segment);
        out.push_str(",\"to_segment\":");
        segment(out, link.to_segment);
        let _ = write!(
            out,
            ",\"kind\":\"{}\",\"two_way\":{},\"area\":{}}}",
            link.kind.name(),
            link.two_way,
            link.area.0
        );
    }
}

/// An angle in degrees as a person wrote it: 45° has no exact radians.
#[must_use]
pub fn rounded_degrees(radians: f64) -> f64 {
    (radians.to_degrees() * 1e9).round() / 1e9
}

fn push_list<T>(
    out: &mut String,
    items: impl Iterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(',');
        }
        push(out, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::two_rooms;
    use serde_json::Value;

    #[test]
    fn the_text_parses_and_neighbours_are_mutual() {
        let mesh = two_rooms();
        let v: Value = serde_json::from_str(&mesh_to_json(&mesh)).unwrap();
        assert_eq!(v["agent"]["max_slope_deg"], 45.0);
        assert_eq!(v["components"], 2);
        assert_eq!(v["vertices"].as_array().unwrap().len(), mesh.vertex_count());
        let cells = v["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 3);
        let mut mutual = 0;
        for (i, cell) in cells.iter().enumerate() {
            let n = cell["vertices"].as_array().unwrap().len();
            assert_eq!(cell["edges"].as_array().unwrap().len(), n);
            for other in cell["neighbours"].as_array().unwrap() {
                if let Some(other) = other.as_u64() {
                    let back = cells[other as usize]["neighbours"].as_array().unwrap();
                    assert!(back.iter().any(|b| b.as_u64() == Some(i as u64)));
                    mutual += 1;
                }
            }
        }
        assert_eq!(mutual, 2);
        let portals = v["portals"].as_array().unwrap();
        assert_eq!(portals.len(), 1);
        let ids: Vec<u64> =
            portals[0]["cells"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        let around = &cells[ids[0] as usize]["neighbours"];
        assert!(ids[0] < ids[1] && around.as_array().unwrap().contains(&ids[1].into()));
        assert_eq!(portals[0]["ends"].as_array().unwrap().len(), 2);
    }
}
