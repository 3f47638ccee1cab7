//! Where things are in a file: the constants that reader and writer share.

/// The first eight bytes of a file. The line ends and the end-of-file character catch transfers
/// that take the file for text.
pub(crate) const MAGIC: [u8; 8] = *b"SNAV\r\n\x1a\n";

/// The version of the format that is written.
pub const SNAV_VERSION: u32 = 1;

/// Bytes before the section table.
pub(crate) const HEADER_BYTES: usize = 32;

/// Bytes of one entry of the section table.
pub(crate) const ENTRY_BYTES: usize = 32;

/// Sections begin at multiples of this many bytes.
pub(crate) const ALIGNMENT: usize = 16;

/// The most sections that a file may have.
pub(crate) const MAX_SECTIONS: usize = 64;

/// Numbers in the section of settings.
pub(crate) const SETTINGS_NUMBERS: usize = 17;

/// Bytes of one link.
pub(crate) const LINK_BYTES: usize = 64;

/// In a link's flags: it can be used backwards.
pub(crate) const LINK_TWO_WAY: u8 = 1;

/// The sections of version 1, in the order in which they are written, with the bytes of one
/// element of each.
pub(crate) const SECTIONS: [([u8; 4], usize); 12] = [
    (SETTINGS, 8),
    (VERTEX_POINTS, 8),
    (VERTEX_HEIGHTS, 4),
    (CELL_FIRST_EDGES, 4),
    (CELL_KINDS, 1),
    (CELL_AREAS, 2),
    (EDGE_VERTICES, 4),
    (EDGE_TWINS, 4),
    (EDGE_CLASSES, 1),
    (LINKS, LINK_BYTES),
    (NAME_ENDS, 4),
    (NAME_TEXT, 1),
];

/// The section that says how the mesh was built; it may be missing.
pub(crate) const BUILD: [u8; 4] = *b"bset";

/// The section that says which tags decided for geometry; missing where none did.
pub(crate) const TAG_RULES: [u8; 4] = *b"btag";

/// Bytes of one number of `BUILD`.
pub(crate) const BUILD_ELEMENT_BYTES: usize = 8;

pub(crate) const SETTINGS: [u8; 4] = *b"SETT";
pub(crate) const VERTEX_POINTS: [u8; 4] = *b"VPOS";
pub(crate) const VERTEX_HEIGHTS: [u8; 4] = *b"VHGT";
pub(crate) const CELL_FIRST_EDGES: [u8; 4] = *b"CFST";
pub(crate) const CELL_KINDS: [u8; 4] = *b"CKND";
pub(crate) const CELL_AREAS: [u8; 4] = *b"CARE";
pub(crate) const EDGE_VERTICES: [u8; 4] = *b"EVTX";
pub(crate) const EDGE_TWINS: [u8; 4] = *b"ETWN";
pub(crate) const EDGE_CLASSES: [u8; 4] = *b"ECLS";
pub(crate) const LINKS: [u8; 4] = *b"LINK";
pub(crate) const NAME_ENDS: [u8; 4] = *b"NEND";
pub(crate) const NAME_TEXT: [u8; 4] = *b"NTXT";
