//! The bytes behind a glTF document: its container, its buffers and the numbers in them.
//!
//! A file goes in; its JSON part, the bytes of its buffers and views of accessors come out. Every
//! offset, length and count is checked against the bytes that are there before anything is read
//! or allocated. Buffers may be the binary part of a `.glb`, `data:` addresses, or files in the
//! folder of the document and below.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::document::{Accessor, Document};
use super::problem::{EXPORT_AGAIN, problem};
use crate::error::{ReadError, quoted};

/// Cuts a file into its JSON part and the binary part that a `.glb` may have.
pub(super) fn split_container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), None));
    }
    let word = |at: usize| {
        bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|b| u32::from_le_bytes(*b))
    };
    let error = |offset: usize, what: String| {
        Err(ReadError::Byte { offset: offset as u64, what, fix: EXPORT_AGAIN })
    };
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return error(bytes.len(), "the file ends within its header".to_owned());
    };
    if version != 2 {
        return Err(ReadError::Byte {
            offset: 4,
            what: format!("its version is {version}"),
            fix: "convert it to glTF 2.0",
        });
    }
    let length = length as usize;
    if length > bytes.len() {
        let present = bytes.len();
        return error(8, format!("{length} bytes are announced, but there are {present} only"));
    }
    let (mut json, mut binary) = (None, None);
    let mut at = 12;
    while at + 8 <= length {
        let (size, kind) = (word(at).unwrap_or(0) as usize, word(at + 4).unwrap_or(0));
        let Some(chunk) = bytes[..length].get(at + 8..).and_then(|rest| rest.get(..size)) else {
            let left = length - at - 8;
            return error(at, format!("a part of {size} bytes begins, but there are {left} only"));
        };
        match &kind.to_le_bytes() {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at = (at + 8 + size).next_multiple_of(4);
    }
    match json {
        Some(json) => Ok((json, binary)),
        None => error(12, "the file has no JSON part".to_owned()),
    }
}

/// The bytes of all buffers that are needed.
pub(super) struct Buffers<'a> {
    bytes: Vec<Option<Rc<Cow<'a, [u8]>>>>,
    /// What an accessor without any bytes behind it may count up to.
    most_zeros: u64,
}

impl<'a> Buffers<'a> {
    /// Reads the buffers that are marked as needed.
    pub(super) fn load(
        document: &Document,
        needed: &[bool],
        binary: Option<&'a [u8]>,
        folder: Option<&Path>,
        file_bytes: usize,
    ) -> Result<Self, ReadError> {
        let mut bytes = Vec::with_capacity(document.buffers.len());
        let mut files: BTreeMap<PathBuf, Rc<Cow<'a, [u8]>>> = BTreeMap::new();
        for (i, buffer) in document.buffers.iter().enumerate() {
            if !needed.get(i).copied().unwrap_or(false) {
                bytes.push(None);
                continue;
            }
            let place = || format!("buffer {i}");
            let data = match (&buffer.uri, binary) {
                (Some(uri), _) if uri.starts_with("data:") => {
                    Rc::new(Cow::Owned(decode_data_uri(uri, place())?))
                }
                (Some(uri), _) => {
                    let path = path_below(uri).ok_or_else(|| {
                        let what = format!("it refers to {}", quoted(uri.as_bytes()));
                        let fix = "only files in the folder of the glTF file and below are read; \
                                   put the file there";
                        problem(place(), what, fix)
                    })?;
                    match files.get(&path) {
                        Some(data) => Rc::clone(data),
                        None => {
                            let data = Rc::new(Cow::Owned(read_beside(folder, &path, place())?));
                            files.insert(path, Rc::clone(&data));
                            data
                        }
                    }
                }
                (None, Some(binary)) if i == 0 => Rc::new(Cow::Borrowed(binary)),
                (None, _) => {
                    return Err(match buffer.extensions.name() {
                        Some(extension) => ReadError::Compressed { extension },
                        None => problem(place(), "it has no bytes".to_owned(), EXPORT_AGAIN),
                    });
                }
            };
            if (data.len() as u64) < buffer.byte_length {
                let what =
                    format!("it should have {} bytes, but has {}", buffer.byte_length, data.len());
                return Err(problem(place(), what, EXPORT_AGAIN));
            }
            bytes.push(Some(data));
        }
        Ok(Self { bytes, most_zeros: file_bytes as u64 })
    }

    /// The bytes of a buffer view from an offset on, and its stride.
    fn view(
        &self,
        document: &Document,
        index: usize,
        offset: u64,
        place: &str,
    ) -> Result<(&[u8], Option<u64>), ReadError> {
        let error = |what: String| problem(place.to_owned(), what, EXPORT_AGAIN);
        let Some(view) = document.buffer_views.get(index) else {
            return Err(error(format!("it refers to buffer view {index}, which does not exist")));
        };
        let Some(buffer) = self.bytes.get(view.buffer) else {
            let buffer = view.buffer;
            return Err(error(format!("it refers to buffer {buffer}, which does not exist")));
        };
        let bytes = buffer.as_ref().map_or(&[][..], |b| &***b);
        let end = view.byte_offset.checked_add(view.byte_length);
        let range = end.and_then(|end| {
            let start = view.byte_offset.checked_add(offset)?;
            Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
        });
        let Some(bytes) = range.and_then(|range| bytes.get(range)) else {
            return Err(error(format!(
                "buffer view {index} ({} bytes from {}, and {offset} within) goes beyond the {} \
                 bytes of its buffer",
                view.byte_length,
                view.byte_offset,
                bytes.len()
            )));
        };
        Ok((bytes, view.byte_stride))
    }

    /// A view of an accessor whose elements must have so many components.
    pub(super) fn accessor(
        &self,
        document: &Document,
        index: usize,
        components: usize,
    ) -> Result<AccessorView<'_>, ReadError> {
        let place = format!("accessor {index}");
        let error = |what: String| problem(place.clone(), what, EXPORT_AGAIN);
        let Some(accessor) = document.accessors.get(index) else {
            return Err(error("it does not exist, but is referred to".to_owned()));
        };
        let present = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 0,
        };
        if present != components {
            let kind = quoted(accessor.kind.as_bytes());
            return Err(error(format!(
                "its type is {kind}, where {components} numbers are needed"
            )));
        }
        let component = component_type(accessor.component_type, &place)?;
        let count = u32::try_from(accessor.count)
            .map_err(|_| error(format!("{} elements are more than can be", accessor.count)))?;
        let size = component.bytes() * components;
        let dense = match accessor.buffer_view {
            Some(view) => {
                let (bytes, stride) = self.view(document, view, accessor.byte_offset, &place)?;
                let stride = stride.unwrap_or(size as u64);
                Some(Dense::new(bytes, stride, size, accessor.count).map_err(&error)?)
            }
            // All zeros, of which only the sparse ones have bytes.
            None if accessor.count > self.most_zeros => {
                let count = accessor.count;
                return Err(error(format!("{count} elements have no bytes behind them")));
            }
            None => None,
        };
        let sparse = self.sparse(document, accessor, component, size, &place)?;
        let normalized = accessor.normalized;
        Ok(AccessorView { dense, sparse, component, count, normalized })
    }

    fn sparse(
        &self,
        document: &Document,
        accessor: &Accessor,
        component: ComponentType,
        size: usize,
        place: &str,
    ) -> Result<Option<SparseView<'_>>, ReadError> {
        let Some(sparse) = accessor.sparse.as_ref().filter(|sparse| sparse.count > 0) else {
            return Ok(None);
        };
        let error = |what: String| problem(place.to_owned(), what, EXPORT_AGAIN);
        let (bytes, _) =
            self.view(document, sparse.indices.buffer_view, sparse.indices.byte_offset, place)?;
        let index_type = component_type(sparse.indices.component_type, place)?;
        let size_of_index = index_type.bytes();
        let indices =
            Dense::new(bytes, size_of_index as u64, size_of_index, sparse.count).map_err(&error)?;
        let (bytes, _) =
            self.view(document, sparse.values.buffer_view, sparse.values.byte_offset, place)?;
        let values = Dense::new(bytes, size as u64, size, sparse.count).map_err(&error)?;
        let view = SparseView { indices, index_type, values, count: sparse.count as usize };
        // They are searched for, so their order matters.
        let mut before = None;
        for i in 0..view.count {
            let index = view.index(i);
            if before.is_some_and(|before| index <= before) || u64::from(index) >= accessor.count {
                let what = format!("sparse index {i} is {index}, out of order or out of range");
                return Err(error(what));
            }
            before = Some(index);
        }
        debug_assert!(component.bytes() <= size);
        Ok(Some(view))
    }
}

/// The type of a number in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComponentType {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl ComponentType {
    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

fn component_type(code: u32, place: &str) -> Result<ComponentType, ReadError> {
    Ok(match code {
        5120 => ComponentType::I8,
        5121 => ComponentType::U8,
        5122 => ComponentType::I16,
        5123 => ComponentType::U16,
        5125 => ComponentType::U32,
        5126 => ComponentType::F32,
        _ => {
            let what = format!("{code} is not a type of numbers");
            return Err(problem(place.to_owned(), what, EXPORT_AGAIN));
        }
    })
}

/// Elements that lie in a buffer at equal distances.
#[derive(Clone, Copy, Debug)]
struct Dense<'a> {
    bytes: &'a [u8],
    stride: usize,
}

impl<'a> Dense<'a> {
    /// Checks that so many elements of this size are there.
    fn new(bytes: &'a [u8], stride: u64, size: usize, count: u64) -> Result<Self, String> {
        if stride < size as u64 {
            return Err(format!("its elements of {size} bytes lie {stride} bytes apart"));
        }
        let needed = match count.checked_sub(1) {
            Some(last) => last.checked_mul(stride).and_then(|n| n.checked_add(size as u64)),
            None => Some(0),
        };
        match needed {
            Some(needed) if needed <= bytes.len() as u64 => {
                Ok(Self { bytes, stride: usize::try_from(stride).unwrap_or(usize::MAX) })
            }
            _ => Err(format!(
                "its {count} elements go beyond the {} bytes of its buffer view",
                bytes.len()
            )),
        }
    }

    /// The bytes from an element on.
    fn from(&self, index: usize) -> &'a [u8] {
        self.bytes.get(index.saturating_mul(self.stride)..).unwrap_or(&[])
    }
}

#[derive(Clone, Copy, Debug)]
struct SparseView<'a> {
    indices: Dense<'a>,
    index_type: ComponentType,
    values: Dense<'a>,
    count: usize,
}

impl SparseView<'_> {
    fn index(&self, i: usize) -> u32 {
        read_component(self.indices.from(i), self.index_type, 0) as u32
    }

    /// Where in the values an element is, if it is there.
    fn find(&self, element: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.index(middle).cmp(&element) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// The elements of an accessor. All of them are known to be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessorView<'a> {
    /// Without it all elements are zero.
    dense: Option<Dense<'a>>,
    sparse: Option<SparseView<'a>>,
    component: ComponentType,
    count: u32,
    normalized: bool,
}

impl AccessorView<'_> {
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn component(&self) -> ComponentType {
        self.component
    }

    /// The numbers of an element, normalized where the accessor says so.
    pub(super) fn element<const N: usize>(&self, index: u32) -> [f64; N] {
        let bytes = self.bytes_of(index);
        std::array::from_fn(|k| {
            let value = read_component(bytes, self.component, k);
            match self.component {
                ComponentType::I8 if self.normalized => (value / 127.0).max(-1.0),
                ComponentType::U8 if self.normalized => value / 255.0,
                ComponentType::I16 if self.normalized => (value / 32_767.0).max(-1.0),
                ComponentType::U16 if self.normalized => value / 65_535.0,
                _ => value,
            }
        })
    }

    /// An element of one whole number.
    pub(super) fn whole(&self, index: u32) -> u32 {
        let bytes = self.bytes_of(index);
        match self.component {
            ComponentType::U8 => bytes.first().map_or(0, |&b| u32::from(b)),
            ComponentType::U16 => {
                bytes.first_chunk().map_or(0, |b| u32::from(u16::from_le_bytes(*b)))
            }
            _ => bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)),
        }
    }

    fn bytes_of(&self, index: u32) -> &[u8] {
        if let Some(sparse) = &self.sparse
            && let Some(found) = sparse.find(index)
        {
            return sparse.values.from(found);
        }
        self.dense.as_ref().map_or(&[], |dense| dense.from(index as usize))
    }
}

/// The number at a place in an element; zero where there are no bytes.
fn read_component(bytes: &[u8], component: ComponentType, k: usize) -> f64 {
    let rest = bytes.get(k * component.bytes()..).unwrap_or(&[]);
    match component {
        ComponentType::I8 => rest.first().map_or(0.0, |&b| f64::from(b as i8)),
        ComponentType::U8 => rest.first().map_or(0.0, |&b| f64::from(b)),
        ComponentType::I16 => rest.first_chunk().map_or(0.0, |b| f64::from(i16::from_le_bytes(*b))),
        ComponentType::U16 => rest.first_chunk().map_or(0.0, |b| f64::from(u16::from_le_bytes(*b))),
        ComponentType::U32 => rest.first_chunk().map_or(0.0, |b| f64::from(u32::from_le_bytes(*b))),
        ComponentType::F32 => rest.first_chunk().map_or(0.0, |b| f64::from(f32::from_le_bytes(*b))),
    }
}

/// The path that a relative address stands for; `None` when it leads out of the folder or is no
/// file at all.
fn path_below(uri: &str) -> Option<PathBuf> {
    let decoded = decode_percent(uri)?;
    // A scheme, a drive or a Windows path: none of them stays in the folder for sure.
    if decoded.contains([':', '\\', '\0']) {
        return None;
    }
    let mut below = PathBuf::new();
    for component in Path::new(&decoded).components() {
        match component {
            Component::Normal(name) => below.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!below.as_os_str().is_empty()).then_some(below)
}

fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&b, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.filter(|_| b == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(b));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

fn read_beside(folder: Option<&Path>, path: &Path, place: String) -> Result<Vec<u8>, ReadError> {
    let Some(folder) = folder else {
        let what =
            format!("it refers to the file {}", quoted(path.display().to_string().as_bytes()));
        let fix = "data in memory cannot refer to files; use a .glb, or load it from disk";
        return Err(problem(place, what, fix));
    };
    let full = folder.join(path);
    let read = match std::fs::metadata(&full) {
        Ok(data) if data.is_file() => std::fs::read(&full),
        Ok(_) => Err(std::io::Error::other("not a plain file")),
        Err(error) => Err(error),
    };
    read.map_err(|error| {
        let what = format!("its file {} cannot be read: {error}", full.display());
        problem(place, what, "put the file there")
    })
}

fn decode_data_uri(uri: &str, place: String) -> Result<Vec<u8>, ReadError> {
    const FIX: &str = "write it as data:application/octet-stream;base64,...";
    let parts = uri.split_once(',').filter(|(head, _)| head.ends_with(";base64"));
    let Some((_, data)) = parts else {
        return Err(problem(place, "its data: address is not in base64".to_owned(), FIX));
    };
    decode_base64(data.as_bytes())
        .ok_or_else(|| problem(place, "its data: address is damaged".to_owned(), FIX))
}

fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = match text {
        [rest @ .., b'=', b'='] | [rest @ .., b'='] => rest,
        _ => text,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for &c in group {
            let value = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * (4 - group.len());
        let [_, a, b, c] = bits.to_be_bytes();
        match group.len() {
            4 => bytes.extend([a, b, c]),
            3 => bytes.extend([a, b]),
            2 => bytes.push(a),
            _ => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_with_and_without_padding() {
        assert_eq!(decode_base64(b"").as_deref(), Some(&b""[..]));
        assert_eq!(decode_base64(b"Zg==").as_deref(), Some(&b"f"[..]));
        assert_eq!(decode_base64(b"Zm8=").as_deref(), Some(&b"fo"[..]));
        assert_eq!(decode_base64(b"Zm8").as_deref(), Some(&b"fo"[..]));
        assert_eq!(decode_base64(b"Zm9vYmFy").as_deref(), Some(&b"foobar"[..]));
        assert_eq!(decode_base64(b"+/+/").as_deref(), Some(&[0xFB, 0xFF, 0xBF][..]));
        assert_eq!(decode_base64(b"Z"), None);
        assert_eq!(decode_base64(b"Zm 8"), None);
    }

    #[test]
    fn addresses_stay_in_the_folder() {
        assert_eq!(path_below("a.bin"), Some(PathBuf::from("a.bin")));
        assert_eq!(path_below("./sub/my%20file.bin"), Some(PathBuf::from("sub/my file.bin")));
        for outside in [
            "",
            ".",
            "../a.bin",
            "sub/../../a.bin",
            "%2e%2e/a.bin",
            "/etc/passwd",
            "%2Fetc/passwd",
            "file:///etc/passwd",
            "https://example.org/a.bin",
            "C:/a.bin",
            "..\\a.bin",
            "a%00.bin",
        ] {
            assert_eq!(path_below(outside), None, "{outside}");
        }
    }
}
