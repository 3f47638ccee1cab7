//! A mesh as Wavefront OBJ: its cells as polygons, in the user's frame.
//!
//! Cells are grouped by area type and kind (`g ground/ramp`), in the order of the types' numbers.
//! Polygons turn counter-clockwise seen from above, so that their normals point up.

use crate::numbers::push_point;
use std::fmt::Write;
use surefoot_mesh::{AreaId, CellId, CellKind, NavMesh, VertexId};

/// Writes a mesh as OBJ text.
#[must_use]
pub fn mesh_to_obj(mesh: &NavMesh) -> String {
    let mut out = String::with_capacity(64 + mesh.vertex_count() * 32 + mesh.cell_count() * 24);
    let _ = writeln!(
        out,
        "# navigation mesh: {} cells, {} vertices",
        mesh.cell_count(),
        mesh.vertex_count()
    );
    for v in 0..mesh.vertex_count() as u32 {
        out.push_str("v ");
        push_point(&mut out, &mesh.vertex_position(VertexId(v)), ' ');
        out.push('\n');
    }
    let group = |c: &CellId| (mesh.cell_area_type(*c), mesh.cell_kind(*c));
    let mut cells: Vec<CellId> = mesh.cells().collect();
    cells.sort_by_key(group);
    let mut last: Option<(AreaId, CellKind)> = None;
    for cell in cells {
        let now = group(&cell);
        if last != Some(now) {
            let _ = writeln!(out, "g {}/{}", one_word(mesh.area_name(now.0)), now.1.name());
            last = Some(now);
        }
        out.push('f');
        for v in mesh.cell_vertices(cell) {
            let _ = write!(out, " {}", u64::from(v.0) + 1);
        }
        out.push('\n');
    }
    out
}

/// A name that cannot break its line.
fn one_word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::two_rooms;

    #[test]
    fn every_cell_is_a_face_with_its_normal_up() {
        let mesh = two_rooms();
        let text = mesh_to_obj(&mesh);
        let points: Vec<Vec<f64>> = text
            .lines()
            .filter_map(|l| l.strip_prefix("v "))
            .map(|l| l.split(' ').map(|n| n.parse().unwrap()).collect())
            .collect();
        assert_eq!(points.len(), mesh.vertex_count());
        let faces: Vec<Vec<usize>> = text
            .lines()
            .filter_map(|l| l.strip_prefix("f "))
            .map(|l| l.split(' ').map(|n| n.parse::<usize>().unwrap() - 1).collect())
            .collect();
        assert_eq!(faces.len(), mesh.cell_count());
        for f in &faces {
            let (a, b, c) = (&points[f[0]], &points[f[1]], &points[f[2]]);
            let up = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
            assert!(up > 0.0);
        }
        assert_eq!(text.lines().filter(|l| l.starts_with("g ")).count(), 1);
        assert_eq!(text, mesh_to_obj(&mesh));
    }

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(one_word("deep water\n f 1 2 3"), "deep_water__f_1_2_3");
    }
}
