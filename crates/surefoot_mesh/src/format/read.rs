//! Reading a mesh: nothing in the file is believed before it is checked.
//!
//! In go bytes of any origin; out comes a [`SnavView`], which knows that header, table, checksums
//! and section sizes are sound and shows the arrays without copying them where their place in
//! memory allows, or a [`NavMesh`](crate::NavMesh), for which everything else is checked as well.
//! Memory is only asked for in proportion to bytes that are there.

use super::layout::{
    ALIGNMENT, BUILD, BUILD_ELEMENT_BYTES, CELL_AREAS, CELL_FIRST_EDGES, CELL_KINDS, EDGE_CLASSES,
    EDGE_TWINS, EDGE_VERTICES, ENTRY_BYTES, HEADER_BYTES, LINK_BYTES, LINK_TWO_WAY, LINKS, MAGIC,
    MAX_SECTIONS, NAME_ENDS, NAME_TEXT, SECTIONS, SETTINGS, SETTINGS_NUMBERS, SNAV_VERSION,
    TAG_RULES, VERTEX_HEIGHTS, VERTEX_POINTS,
};
use crate::agent::Agent;
use crate::build_info::{BUILD_NUMBERS, BUILD_NUMBERS_WITH_GAPS, BuildInfo, TagRules};
use crate::data::{AreaId, CellId, CellKind, EdgeClass, Link, LinkKind, NavMeshData, VertexId};
use crate::mesh::NavMesh;
use crate::validate::ValidateError;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use surefoot_geom::{Frame, LatticePoint};
use thiserror::Error;

/// Why a `.snav` file cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SnavError {
    /// The file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is something else.
    #[error("this is no .snav file: it does not begin with its mark")]
    NotSnav,
    /// It comes from another version.
    #[error(
        "the file is of version {found} of the format, and this program reads version {}; build \
         the mesh again or use a newer program",
        SNAV_VERSION
    )]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// It is shorter or longer than it says.
    #[error("the file has {found} bytes where it should have {expected}; it was cut or added to")]
    Length {
        /// How long it says it is.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// There are more sections than any writer makes.
    #[error("the file claims {count} sections; at most {} are possible", MAX_SECTIONS)]
    TooManySections {
        /// How many it claims.
        count: u32,
    },
    /// Header or table are damaged.
    #[error("the header or the section table is damaged (its checksum does not match)")]
    TableChecksum,
    /// A section does not lie where it may.
    #[error("section {section} is out of place: {length} bytes at {offset}")]
    SectionPlace {
        /// Which section.
        section: SectionName,
        /// Where it is said to begin.
        offset: u64,
        /// How long it is said to be.
        length: u64,
    },
    /// A section is damaged.
    #[error("section {section} is damaged (its checksum does not match)")]
    SectionChecksum {
        /// Which section.
        section: SectionName,
    },
    /// A section that must be there is not.
    #[error("section {section} is missing")]
    MissingSection {
        /// Which section.
        section: SectionName,
    },
    /// A section is there twice.
    #[error("section {section} appears twice")]
    DuplicateSection {
        /// Which section.
        section: SectionName,
    },
    /// A section that must be understood is unknown.
    #[error("section {section} is unknown to this version of the format")]
    UnknownSection {
        /// Which section.
        section: SectionName,
    },
    /// A section is no whole number of elements, or not as many as another asks for.
    #[error("section {section} has {found} bytes, which is not what its contents ask for")]
    SectionLength {
        /// Which section.
        section: SectionName,
        /// How long it is.
        found: u64,
    },
    /// A byte that must be zero is not.
    #[error("the byte at {offset} must be zero")]
    Padding {
        /// Where.
        offset: u64,
    },
    /// A number stands for nothing.
    #[error("element {index} of section {section} has the value {value}, which has no meaning")]
    Value {
        /// Which section.
        section: SectionName,
        /// Which element.
        index: usize,
        /// Its value.
        value: u64,
    },
    /// The frame is no rotation.
    #[error("the frame in section SETT is no rotation with a finite origin")]
    Frame,
    /// A name is not text.
    #[error("area name {index} is not UTF-8 text")]
    NameText {
        /// Which name.
        index: usize,
    },
    /// The arrays are no mesh.
    #[error("the file holds no sound mesh: {0}")]
    Invalid(#[from] ValidateError),
}

/// The four characters that name a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SectionName(pub [u8; 4]);

impl std::fmt::Display for SectionName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// The bytes of a file whose header, table, sizes and checksums are sound.
#[derive(Clone, Debug)]
pub struct SnavView<'a> {
    sections: [&'a [u8]; SECTIONS.len()],
    build: Option<&'a [u8]>,
    tag_rules: Option<&'a [u8]>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut b = [0; 4];
    b.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(b)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut b = [0; 8];
    b.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(b)
}

fn wrong_file_length(expected: u64, bytes: &[u8]) -> SnavError {
    SnavError::Length { expected, found: bytes.len() as u64 }
}

/// Checks all that comes before the sections; returns where the section table ends.
fn check_header(bytes: &[u8]) -> Result<usize, SnavError> {
    if bytes.len() < MAGIC.len() || bytes[..MAGIC.len()] != MAGIC {
        return Err(SnavError::NotSnav);
    }
    if bytes.len() < HEADER_BYTES {
        return Err(wrong_file_length(HEADER_BYTES as u64, bytes));
    }
    let version = u32_at(bytes, 8);
    if version != SNAV_VERSION {
        return Err(SnavError::Version { found: version });
    }
    let count = u32_at(bytes, 12);
    if count as usize > MAX_SECTIONS {
        return Err(SnavError::TooManySections { count });
    }
    let expected = u64_at(bytes, 16);
    if expected != bytes.len() as u64 {
        return Err(wrong_file_length(expected, bytes));
    }
    let table_end = HEADER_BYTES + count as usize * ENTRY_BYTES;
    if bytes.len() < table_end {
        return Err(wrong_file_length(table_end as u64, bytes));
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..HEADER_BYTES - 4]);
    crc.update(&bytes[HEADER_BYTES..table_end]);
    if crc.finalize() != u32_at(bytes, HEADER_BYTES - 4) {
        return Err(SnavError::TableChecksum);
    }
    if u32_at(bytes, 24) != 0 {
        return Err(SnavError::Padding { offset: 24 });
    }
    Ok(table_end)
}

/// The content of the section that follows on `end`, which moves to where that ends. Sections
/// follow one another without gaps beyond the alignment, so every byte of the file is accounted for
/// and none is looked at twice.
fn section_content<'a>(
    bytes: &'a [u8],
    entry: &[u8],
    end: &mut usize,
) -> Result<&'a [u8], SnavError> {
    let section = SectionName([entry[0], entry[1], entry[2], entry[3]]);
    let (offset, length) = (u64_at(entry, 8), u64_at(entry, 16));
    let place = end.next_multiple_of(ALIGNMENT);
    let section_end = offset.checked_add(length).filter(|&e| e <= bytes.len() as u64);
    let (true, Some(section_end)) = (offset == place as u64, section_end) else {
        return Err(SnavError::SectionPlace { section, offset, length });
    };
    if let Some(at) = bytes[*end..place].iter().position(|&b| b != 0) {
        return Err(SnavError::Padding { offset: (*end + at) as u64 });
    }
    *end = section_end as usize;
    let content = &bytes[place..*end];
    if crc32fast::hash(content) != u32_at(entry, 4) {
        return Err(SnavError::SectionChecksum { section });
    }
    let padding = u32_at(entry, 28);
    if padding != 0 {
        return Err(SnavError::Value { section, index: 0, value: padding.into() });
    }
    Ok(content)
}

impl<'a> SnavView<'a> {
    /// Checks the frame of a file and finds its sections.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, SnavError> {
        let table_end = check_header(bytes)?;
        let mut found: [Option<&'a [u8]>; SECTIONS.len()] = [None; SECTIONS.len()];
        let (mut build, mut tag_rules) = (None, None);
        let mut end = table_end;
        for entry in bytes[HEADER_BYTES..table_end].chunks_exact(ENTRY_BYTES) {
            let id = [entry[0], entry[1], entry[2], entry[3]];
            let section = SectionName(id);
            let content = section_content(bytes, entry, &mut end)?;
            let wrong_length = SnavError::SectionLength { section, found: content.len() as u64 };
            let element_bytes = u32_at(entry, 24) as usize;
            let place = if id == BUILD {
                let lengths = [BUILD_NUMBERS, BUILD_NUMBERS_WITH_GAPS].map(|count| count * 8);
                if element_bytes != BUILD_ELEMENT_BYTES || !lengths.contains(&content.len()) {
                    return Err(wrong_length);
                }
                &mut build
            } else if id == TAG_RULES {
                if element_bytes != 1 {
                    return Err(wrong_length);
                }
                &mut tag_rules
            } else if let Some(number) = SECTIONS.iter().position(|(name, _)| *name == id) {
                if element_bytes != SECTIONS[number].1 || content.len() % element_bytes != 0 {
                    return Err(wrong_length);
                }
                &mut found[number]
            } else if id[0].is_ascii_lowercase() {
                // As in PNG: a small first letter says that a reader may pass over the section.
                continue;
            } else {
                return Err(SnavError::UnknownSection { section });
            };
            if place.replace(content).is_some() {
                return Err(SnavError::DuplicateSection { section });
            }
        }
        if end != bytes.len() {
            return Err(wrong_file_length(end as u64, bytes));
        }
        let mut sections: [&[u8]; SECTIONS.len()] = [&[]; SECTIONS.len()];
        for (number, content) in found.into_iter().enumerate() {
            let section = SectionName(SECTIONS[number].0);
            sections[number] = content.ok_or(SnavError::MissingSection { section })?;
        }
        Ok(Self { sections, build, tag_rules })
    }

    fn bytes(&self, id: [u8; 4]) -> &'a [u8] {
        let number = SECTIONS.iter().position(|(name, _)| *name == id);
        number.map_or(&[], |n| self.sections[n])
    }

    /// A section as numbers: the bytes themselves where the machine stores numbers as the file
    /// does and the section is aligned in memory, a copy otherwise.
    fn numbers<T: bytemuck::Pod>(&self, id: [u8; 4], decode: impl Fn(&[u8]) -> T) -> Cow<'a, [T]> {
        let bytes = self.bytes(id);
        if cfg!(target_endian = "little")
            && let Ok(numbers) = bytemuck::try_cast_slice(bytes)
        {
            return Cow::Borrowed(numbers);
        }
        bytes.chunks_exact(size_of::<T>()).map(decode).collect()
    }

    /// Plan positions of the vertices, in lattice units.
    #[must_use]
    pub fn vertex_points(&self) -> Cow<'a, [[i32; 2]]> {
        self.numbers(VERTEX_POINTS, |b| [u32_at(b, 0) as i32, u32_at(b, 4) as i32])
    }

    /// Heights of the vertices, in metres.
    #[must_use]
    pub fn vertex_heights_m(&self) -> Cow<'a, [f32]> {
        self.numbers(VERTEX_HEIGHTS, |b| f32::from_bits(u32_at(b, 0)))
    }

    /// The first edge of each cell, and one past the last edge at the end.
    #[must_use]
    pub fn cell_first_edges(&self) -> Cow<'a, [u32]> {
        self.numbers(CELL_FIRST_EDGES, |b| u32_at(b, 0))
    }

    /// The kinds of the cells, as numbers.
    #[must_use]
    pub fn cell_kinds(&self) -> &'a [u8] {
        self.bytes(CELL_KINDS)
    }

    /// The area types of the cells.
    #[must_use]
    pub fn cell_areas(&self) -> Cow<'a, [u16]> {
        self.numbers(CELL_AREAS, |b| u16::from_le_bytes([b[0], b[1]]))
    }

    /// The vertex where each edge starts.
    #[must_use]
    pub fn edge_vertices(&self) -> Cow<'a, [u32]> {
        self.numbers(EDGE_VERTICES, |b| u32_at(b, 0))
    }

    /// The twin of each edge, or [`NO_EDGE`](crate::NO_EDGE).
    #[must_use]
    pub fn edge_twins(&self) -> Cow<'a, [u32]> {
        self.numbers(EDGE_TWINS, |b| u32_at(b, 0))
    }

    /// The classes of the edges, as numbers.
    #[must_use]
    pub fn edge_classes(&self) -> &'a [u8] {
        self.bytes(EDGE_CLASSES)
    }

    /// Copies everything into plain data, which still has to be validated.
    pub fn to_data(&self) -> Result<NavMeshData, SnavError> {
        let (agent, frame, convex_distance_m) = self.settings()?;
        Ok(NavMeshData {
            agent,
            frame,
            convex_distance_m,
            vertex_points: self
                .vertex_points()
                .iter()
                .map(|&[x, y]| LatticePoint::new(x, y))
                .collect(),
            vertex_heights_m: self.vertex_heights_m().into_owned(),
            cell_first_edges: self.cell_first_edges().into_owned(),
            cell_kinds: enums(CELL_KINDS, self.cell_kinds(), CellKind::from_number)?,
            cell_areas: self.cell_areas().iter().map(|&a| AreaId(a)).collect(),
            edge_vertices: self.edge_vertices().iter().map(|&v| VertexId(v)).collect(),
            edge_twins: self.edge_twins().into_owned(),
            edge_classes: enums(EDGE_CLASSES, self.edge_classes(), EdgeClass::from_number)?,
            links: self.links()?,
            area_names: self.area_names()?,
            build: self.build_info()?,
            tag_rules: self.tag_rules()?,
        })
    }

    fn tag_rules(&self) -> Result<TagRules, SnavError> {
        let section = SectionName(TAG_RULES);
        let Some(bytes) = self.tag_rules else { return Ok(TagRules::default()) };
        let refused = |index: usize| {
            let value = bytes.get(index).copied().unwrap_or_default().into();
            SnavError::Value { section, index, value }
        };
        let text = std::str::from_utf8(bytes).map_err(|e| refused(e.valid_up_to()))?;
        TagRules::from_text(text).map_err(refused)
    }

    fn build_info(&self) -> Result<Option<BuildInfo>, SnavError> {
        let Some(bytes) = self.build else { return Ok(None) };
        let count = bytes.len() / 8;
        let numbers: Vec<f64> = (0..count).map(|i| f64::from_bits(u64_at(bytes, i * 8))).collect();
        BuildInfo::from_numbers(&numbers).map(Some).map_err(|index| SnavError::Value {
            section: SectionName(BUILD),
            index,
            value: numbers[index].to_bits(),
        })
    }

    fn settings(&self) -> Result<(Agent, Frame, f64), SnavError> {
        let section = SectionName(SETTINGS);
        let bytes = self.bytes(SETTINGS);
        if bytes.len() != SETTINGS_NUMBERS * 8 {
            return Err(SnavError::SectionLength { section, found: bytes.len() as u64 });
        }
        let n = |i: usize| f64::from_bits(u64_at(bytes, i * 8));
        let v = |i: usize| [n(i), n(i + 1), n(i + 2)];
        let agent = Agent { height_m: n(0), radius_m: n(1), max_slope_rad: n(2), max_step_m: n(3) };
        let frame = Frame::from_parts([v(5), v(8), v(11)], v(14)).ok_or(SnavError::Frame)?;
        Ok((agent, frame, n(4)))
    }

    fn links(&self) -> Result<Vec<Link>, SnavError> {
        let section = SectionName(LINKS);
        let read = |(index, b): (usize, &[u8])| {
            let c = |i: usize| f32::from_bits(u32_at(b, 8 + i * 4));
            let p = |i: usize| [c(i), c(i + 1), c(i + 2)];
            let value = |v: u8| SnavError::Value { section, index, value: v.into() };
            if b[59] & !LINK_TWO_WAY != 0 || b[60..] != [0; 4] {
                return Err(value(b[59]));
            }
            Ok(Link {
                from_cell: CellId(u32_at(b, 0)),
                to_cell: CellId(u32_at(b, 4)),
                from_segment: [p(0), p(3)],
                to_segment: [p(6), p(9)],
                area: AreaId(u16::from_le_bytes([b[56], b[57]])),
                kind: LinkKind::from_number(b[58]).ok_or_else(|| value(b[58]))?,
                two_way: b[59] & LINK_TWO_WAY != 0,
            })
        };
        self.bytes(LINKS).chunks_exact(LINK_BYTES).enumerate().map(read).collect()
    }

    fn area_names(&self) -> Result<Vec<String>, SnavError> {
        let ends = self.numbers(NAME_ENDS, |b| u32_at(b, 0));
        let text = self.bytes(NAME_TEXT);
        let mut start = 0;
        let mut names = Vec::with_capacity(ends.len());
        for (index, &end) in ends.iter().enumerate() {
            let end = end as usize;
            let name = text.get(start..end).ok_or(SnavError::Value {
                section: SectionName(NAME_ENDS),
                index,
                value: end as u64,
            })?;
            let name = std::str::from_utf8(name).map_err(|_| SnavError::NameText { index })?;
            names.push(name.to_owned());
            start = end;
        }
        if start != text.len() {
            let section = SectionName(NAME_TEXT);
            return Err(SnavError::SectionLength { section, found: text.len() as u64 });
        }
        Ok(names)
    }
}

fn enums<T>(
    id: [u8; 4],
    bytes: &[u8],
    from_number: impl Fn(u8) -> Option<T>,
) -> Result<Vec<T>, SnavError> {
    let one = |(index, &number): (usize, &u8)| {
        let section = SectionName(id);
        from_number(number).ok_or(SnavError::Value { section, index, value: number.into() })
    };
    bytes.iter().enumerate().map(one).collect()
}

impl NavMesh {
    /// A mesh from the bytes of a `.snav` file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnavError> {
        Ok(SnavView::parse(bytes)?.to_data()?.validate()?)
    }

    /// Loads a `.snav` file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SnavError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path)
            .map_err(|source| SnavError::Io { path: path.to_owned(), source })?;
        Self::from_bytes(&bytes)
    }
}
