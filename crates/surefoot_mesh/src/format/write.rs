//! Writing a mesh: one way only, so the same mesh gives the same bytes everywhere.

use super::layout::{
    ALIGNMENT, BUILD, BUILD_ELEMENT_BYTES, CELL_AREAS, CELL_FIRST_EDGES, CELL_KINDS, EDGE_CLASSES,
    EDGE_TWINS, EDGE_VERTICES, ENTRY_BYTES, HEADER_BYTES, LINK_BYTES, LINK_TWO_WAY, LINKS, MAGIC,
    NAME_ENDS, NAME_TEXT, SECTIONS, SETTINGS, SETTINGS_NUMBERS, SNAV_VERSION, TAG_RULES,
    VERTEX_HEIGHTS, VERTEX_POINTS,
};
use crate::data::NavMeshData;
use crate::mesh::NavMesh;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

impl NavMesh {
    /// The mesh as the bytes of a `.snav` file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let data = self.data();
        let build = data.build.map(|_| (BUILD, BUILD_ELEMENT_BYTES));
        let tag_rules = (!data.tag_rules.is_empty()).then_some((TAG_RULES, 1));
        let sections = || SECTIONS.into_iter().chain(build).chain(tag_rules);
        let count = sections().count();
        let table_end = HEADER_BYTES + count * ENTRY_BYTES;
        let mut bytes = vec![0; table_end];
        let mut table = Vec::with_capacity(count * ENTRY_BYTES);
        for (id, element_bytes) in sections() {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            let offset = bytes.len();
            write_section(data, id, &mut bytes);
            let length = bytes.len() - offset;
            table.extend_from_slice(&id);
            table.extend_from_slice(&crc32fast::hash(&bytes[offset..]).to_le_bytes());
            table.extend_from_slice(&(offset as u64).to_le_bytes());
            table.extend_from_slice(&(length as u64).to_le_bytes());
            table.extend_from_slice(&(element_bytes as u32).to_le_bytes());
            table.extend_from_slice(&0_u32.to_le_bytes());
        }
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(&MAGIC);
        header.extend_from_slice(&SNAV_VERSION.to_le_bytes());
        header.extend_from_slice(&(count as u32).to_le_bytes());
        header.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        header.extend_from_slice(&0_u32.to_le_bytes());
        let mut crc = crc32fast::Hasher::new();
        crc.update(&header);
        crc.update(&table);
        header.extend_from_slice(&crc.finalize().to_le_bytes());
        bytes[..HEADER_BYTES].copy_from_slice(&header);
        bytes[HEADER_BYTES..table_end].copy_from_slice(&table);
        bytes
    }

    /// Writes the mesh as a `.snav` file's bytes.
    pub fn write_to(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(&self.to_bytes())
    }

    /// Saves the mesh as a `.snav` file. The file appears whole or not at all: it is written beside
    /// its place under another name, and then renamed.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} names no file", path.display()),
            ));
        };
        let mut beside_name = OsString::from(".");
        beside_name.push(name);
        beside_name.push(format!(".{}.part", std::process::id()));
        let beside = path.with_file_name(beside_name);
        let written = std::fs::File::create(&beside).and_then(|mut file| {
            self.write_to(&mut file)?;
            file.sync_all()
        });
        let done = written.and_then(|()| std::fs::rename(&beside, path));
        if done.is_err() {
            // The first error is the one to tell; a leftover is the lesser evil.
            let _ = std::fs::remove_file(&beside);
        }
        done
    }
}

fn write_section(data: &NavMeshData, id: [u8; 4], out: &mut Vec<u8>) {
    let numbers = |out: &mut Vec<u8>, values: &mut dyn Iterator<Item = u32>| {
        values.for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
    };
    match id {
        SETTINGS => {
            for v in settings_of(data) {
                out.extend_from_slice(&v.to_le_bytes());
            }
        }
        VERTEX_POINTS => {
            for p in &data.vertex_points {
                out.extend_from_slice(&p.x.to_le_bytes());
                out.extend_from_slice(&p.y.to_le_bytes());
            }
        }
        VERTEX_HEIGHTS => {
            numbers(out, &mut data.vertex_heights_m.iter().map(|h| h.to_bits()));
        }
        CELL_FIRST_EDGES => numbers(out, &mut data.cell_first_edges.iter().copied()),
        CELL_KINDS => out.extend(data.cell_kinds.iter().map(|&k| k as u8)),
        CELL_AREAS => {
            data.cell_areas.iter().for_each(|a| out.extend_from_slice(&a.0.to_le_bytes()));
        }
        EDGE_VERTICES => numbers(out, &mut data.edge_vertices.iter().map(|v| v.0)),
        EDGE_TWINS => numbers(out, &mut data.edge_twins.iter().copied()),
        EDGE_CLASSES => out.extend(data.edge_classes.iter().map(|&c| c as u8)),
        LINKS => {
            for link in &data.links {
                let start = out.len();
                numbers(out, &mut [link.from_cell.0, link.to_cell.0].into_iter());
                let ends = link.from_segment.iter().chain(&link.to_segment).flatten();
                numbers(out, &mut ends.map(|c| c.to_bits()));
                out.extend_from_slice(&link.area.0.to_le_bytes());
                out.push(link.kind as u8);
                out.push(if link.two_way { LINK_TWO_WAY } else { 0 });
                out.resize(start + LINK_BYTES, 0);
            }
        }
        NAME_ENDS => {
            let mut end = 0;
            for name in &data.area_names {
                end += name.len() as u32;
                out.extend_from_slice(&end.to_le_bytes());
            }
        }
        NAME_TEXT => data.area_names.iter().for_each(|n| out.extend_from_slice(n.as_bytes())),
        BUILD => {
            for v in data.build.iter().flat_map(|b| b.to_numbers()) {
                out.extend_from_slice(&v.to_le_bytes());
            }
        }
        TAG_RULES => out.extend_from_slice(data.tag_rules.to_text().as_bytes()),
        _ => {}
    }
}

/// The numbers of the settings' section, in order.
fn settings_of(data: &NavMeshData) -> [f64; SETTINGS_NUMBERS] {
    let agent = &data.agent;
    let [x, y, z] = data.frame.axes();
    let origin = data.frame.origin();
    [
        agent.height_m,
        agent.radius_m,
        agent.max_slope_rad,
        agent.max_step_m,
        data.convex_distance_m,
        x[0],
        x[1],
        x[2],
        y[0],
        y[1],
        y[2],
        z[0],
        z[1],
        z[2],
        origin[0],
        origin[1],
        origin[2],
    ]
}
