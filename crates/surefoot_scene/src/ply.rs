//! Polygon files of Stanford, text and binary.
//!
//! The elements `vertex`, `face` and `tristrips` go in, in any order, with properties of any type
//! among any others; triangles come out. Follows "PLY - Polygon File Format" by G. Turk (1994) in
//! its three encodings. A face can carry a tag, as [`Scene::write_ply`](crate::Scene::write_ply)
//! writes it: the property `surefoot_tag` is the number of a name that a comment of the header
//! gives (`comment surefoot_tag 3 water`).

use std::collections::BTreeMap;

use memchr::memchr;

use crate::error::{ReadError, line_error, quoted};
use crate::number::{is_blank, read_number, word_end};
use crate::raw_scene::RawScene;
use crate::tags::NO_TAG;
use crate::triangulate::{MAX_CONCAVE_CORNERS, PolygonCutter};

/// The face property and the comment that carry tags.
pub(crate) const TAG_WORD: &str = "surefoot_tag";

const EXPORT_AGAIN: &str = "the file is damaged or cut short; export it again";

pub(crate) fn read(bytes: &[u8], origin: [f64; 3]) -> Result<RawScene, ReadError> {
    let header = read_header(bytes)?;
    let mut body = Body { bytes, at: header.body, encoding: header.encoding };

    // Faces may stand before the points that they refer to: they are read last, from where they
    // begin. Elements behind the last one that matters are not even skipped.
    let Some(last) = header.elements.iter().rposition(Element::matters) else {
        return Err(ReadError::NoTriangles);
    };
    let mut points: Option<Vec<[f32; 3]>> = None;
    let mut faces = Vec::new();
    for (i, element) in header.elements[..=last].iter().enumerate() {
        if element.name == "vertex" && points.is_none() {
            points = Some(read_points(&mut body, element, origin)?);
            continue;
        }
        if element.is_of_faces() {
            faces.push((element, body.at));
        }
        if i < last {
            body.skip_element(element)?;
        }
    }
    let mut raw = RawScene { points: points.unwrap_or_default(), ..RawScene::default() };
    for (element, at) in faces {
        body.at = at;
        if element.name == "face" {
            read_polygons(&mut body, element, &header.tag_names, &mut raw)?;
        } else {
            read_strips(&mut body, element, &mut raw)?;
        }
    }
    Ok(raw)
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number(Type),
    List { count: Type, item: Type },
}

#[derive(Debug)]
struct Property {
    name: String,
    kind: Kind,
}

#[derive(Debug)]
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

impl Element {
    fn is_of_faces(&self) -> bool {
        matches!(self.name.as_str(), "face" | "tristrips") && self.count > 0
    }

    fn matters(&self) -> bool {
        self.name == "vertex" || self.is_of_faces()
    }

    /// The position of a property, if it is there.
    fn position(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|p| names.contains(&p.name.as_str()))
    }

    /// The list of corners of a face.
    fn corners(&self) -> Result<usize, ReadError> {
        self.position(&["vertex_indices", "vertex_index"])
            .filter(|&i| matches!(self.properties[i].kind, Kind::List { .. }))
            .ok_or_else(|| ReadError::Line {
                line: 1,
                what: format!("the element \"{}\" has no list \"vertex_indices\"", self.name),
                fix: "export the scene as polygons with a list of corners each",
            })
    }

    /// The fewest bytes that one of them can take (a text may lack the last blank).
    fn least_bytes(&self, encoding: Encoding) -> usize {
        self.properties
            .iter()
            .map(|p| match (encoding, p.kind) {
                (Encoding::Text, _) => 2,
                (_, Kind::Number(number)) => number.bytes(),
                (_, Kind::List { count, .. }) => count.bytes(),
            })
            .sum()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    tag_names: BTreeMap<u16, String>,
    /// Where the numbers begin.
    body: usize,
}

fn read_header(bytes: &[u8]) -> Result<Header, ReadError> {
    const FIX: &str = "it is no PLY file, or its header is damaged; export it again";
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut tag_names = BTreeMap::new();
    let mut at = 0;
    let mut line = 0_u64;
    loop {
        line += 1;
        let error = |what: String| Err(ReadError::Line { line, what, fix: FIX });
        let rest = &bytes[at..];
        let Some(end) = memchr(b'\n', rest) else {
            return error("the header does not end with \"end_header\"".to_owned());
        };
        let text = rest[..end].trim_ascii();
        at += end + 1;
        if line == 1 {
            if text != b"ply" {
                return error("the file does not begin with \"ply\"".to_owned());
            }
            continue;
        }
        let words: Vec<&[u8]> =
            text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let name = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
        match *words.as_slice() {
            [b"end_header"] => break,
            [b"format", format, ..] => {
                encoding = Some(match format {
                    b"ascii" => Encoding::Text,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => return error(format!("{} is not an encoding", quoted(format))),
                });
            }
            [b"comment", word, number, _, ..] if word == TAG_WORD.as_bytes() => {
                // The name is everything behind the number.
                let after = |text: &[u8]| text.iter().position(u8::is_ascii_whitespace);
                let mut rest = text;
                for _ in 0..3 {
                    rest = rest[after(rest).unwrap_or(rest.len())..].trim_ascii_start();
                }
                if let Some(number) = read_number(number, &mut 0)
                    && (0.0..f64::from(u16::MAX)).contains(&number)
                {
                    tag_names.insert(number as u16, name(rest));
                }
            }
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"element", element, count] => {
                let Some(count) = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok())
                else {
                    return error(format!("{} is not a count", quoted(count)));
                };
                elements.push(Element { name: name(element), count, properties: Vec::new() });
            }
            [b"property", b"list", count, item, property] => {
                let (Some(count), Some(item)) = (Type::from_name(count), Type::from_name(item))
                else {
                    return error("a list of unknown type".to_owned());
                };
                let Some(element) = elements.last_mut() else {
                    return error("a property stands before the first element".to_owned());
                };
                let kind = Kind::List { count, item };
                element.properties.push(Property { name: name(property), kind });
            }
            [b"property", number, property] => {
                let Some(number) = Type::from_name(number) else {
                    return error(format!("{} is not a type of numbers", quoted(number)));
                };
                let Some(element) = elements.last_mut() else {
                    return error("a property stands before the first element".to_owned());
                };
                let kind = Kind::Number(number);
                element.properties.push(Property { name: name(property), kind });
            }
            _ => return error(format!("{} makes no sense in the header", quoted(text))),
        }
    }
    let Some(encoding) = encoding else {
        let what = "the header says no format".to_owned();
        return Err(ReadError::Line { line, what, fix: FIX });
    };
    Ok(Header { encoding, elements, tag_names, body: at })
}

/// The numbers behind the header, read one by one.
struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl Body<'_> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[cold]
    fn error(&self, at: usize, what: String) -> ReadError {
        match self.encoding {
            Encoding::Text => line_error(self.bytes, at, what, EXPORT_AGAIN),
            _ => ReadError::Byte { offset: at as u64, what, fix: EXPORT_AGAIN },
        }
    }

    #[cold]
    fn cut_short(&self, element: &Element) -> ReadError {
        let what = format!(
            "the file ends before its {} elements \"{}\" do",
            element.count,
            quoted(element.name.as_bytes()).trim_matches('"')
        );
        self.error(self.bytes.len(), what)
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&b| is_blank(b) || b == b'\n') {
            self.at += 1;
        }
    }

    fn number(&mut self, number: Type, element: &Element) -> Result<f64, ReadError> {
        if self.encoding == Encoding::Text {
            self.skip_space();
            if self.left() == 0 {
                return Err(self.cut_short(element));
            }
            return read_number(self.bytes, &mut self.at).ok_or_else(|| {
                let end = word_end(self.bytes, self.at).max(self.at + 1);
                let word = quoted(&self.bytes[self.at..end]);
                self.error(self.at, format!("{word} is not a number"))
            });
        }
        let size = number.bytes();
        let Some(bytes) = self.bytes.get(self.at..self.at + size) else {
            return Err(self.cut_short(element));
        };
        self.at += size;
        // The bytes as an integer, whatever their order.
        let bits = match self.encoding {
            Encoding::BigEndian => bytes.iter().fold(0_u64, |n, &b| n << 8 | u64::from(b)),
            _ => bytes.iter().rev().fold(0_u64, |n, &b| n << 8 | u64::from(b)),
        };
        Ok(match number {
            Type::I8 => f64::from(bits as u8 as i8),
            Type::I16 => f64::from(bits as u16 as i16),
            Type::I32 => f64::from(bits as u32 as i32),
            Type::U8 | Type::U16 | Type::U32 => bits as f64,
            Type::F32 => f64::from(f32::from_bits(bits as u32)),
            Type::F64 => f64::from_bits(bits),
        })
    }

    /// The length of a list. So many items are there: each takes at least a byte.
    fn list_length(
        &mut self,
        count: Type,
        item: Type,
        element: &Element,
    ) -> Result<usize, ReadError> {
        let at = self.at;
        let length = self.number(count, element)?;
        let least = if self.encoding == Encoding::Text { 1 } else { item.bytes() };
        let room = (self.left() / least) as f64;
        // Written so that NaN fails.
        if !(length >= 0.0 && length.fract() == 0.0 && length <= room) {
            let what = format!("a list of {length} items, with room for {room} at most");
            return Err(self.error(at, what));
        }
        Ok(length as usize)
    }

    fn skip_property(&mut self, kind: Kind, element: &Element) -> Result<(), ReadError> {
        let (length, item) = match kind {
            Kind::Number(number) => (1, number),
            Kind::List { count, item } => (self.list_length(count, item, element)?, item),
        };
        match self.encoding {
            Encoding::Text => {
                for _ in 0..length {
                    self.number(item, element)?;
                }
            }
            _ => {
                let size = length * item.bytes();
                if size > self.left() {
                    return Err(self.cut_short(element));
                }
                self.at += size;
            }
        }
        Ok(())
    }

    fn skip_element(&mut self, element: &Element) -> Result<(), ReadError> {
        // Without properties there is nothing to skip, however many there are.
        if element.properties.is_empty() {
            return Ok(());
        }
        for _ in 0..element.count {
            for property in &element.properties {
                self.skip_property(property.kind, element)?;
            }
        }
        Ok(())
    }

    /// How many of an element to make room for: never more than the file has bytes for, when each
    /// has so many items in a list.
    fn room_for(&self, element: &Element, items: usize) -> usize {
        let most = self.left() / (element.least_bytes(self.encoding) + items).max(1) + 1;
        usize::try_from(element.count).map_or(most, |count| count.min(most))
    }

    /// Reads a list of corners as indices of points, with -1 as `None`.
    fn corners(
        &mut self,
        (count, item): (Type, Type),
        element: &Element,
        points: usize,
        corners: &mut Vec<Option<u32>>,
    ) -> Result<(), ReadError> {
        corners.clear();
        for _ in 0..self.list_length(count, item, element)? {
            let at = self.at;
            let value = self.number(item, element)?;
            // Written so that NaN fails.
            if value >= 0.0 && value < points as f64 && value.fract() == 0.0 {
                corners.push(Some(value as u32));
            } else if value + 1.0 == 0.0 {
                corners.push(None);
            } else {
                let what = format!("a corner refers to point {value}, but there are {points} only");
                return Err(self.error(at, what));
            }
        }
        Ok(())
    }
}

fn read_points(
    body: &mut Body<'_>,
    element: &Element,
    origin: [f64; 3],
) -> Result<Vec<[f32; 3]>, ReadError> {
    let mut axes = [usize::MAX; 3];
    for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
        let found = element
            .position(&[name])
            .filter(|&i| matches!(element.properties[i].kind, Kind::Number(_)));
        *axis = found.ok_or_else(|| ReadError::Line {
            line: 1,
            what: format!("the points have no coordinate \"{name}\""),
            fix: "export the points with x, y and z",
        })?;
    }
    let limit = u64::from(u32::MAX) - 1;
    let mut points = Vec::with_capacity(body.room_for(element, 0));
    for i in 0..element.count {
        if i >= limit {
            return Err(ReadError::TooLarge { what: "points", count: element.count, limit });
        }
        let mut point = [0.0_f32; 3];
        for (k, property) in element.properties.iter().enumerate() {
            match (property.kind, axes.iter().position(|&axis| axis == k)) {
                (Kind::Number(number), Some(axis)) => {
                    point[axis] = (body.number(number, element)? - origin[axis]) as f32;
                }
                (kind, _) => body.skip_property(kind, element)?,
            }
        }
        points.push(point);
    }
    Ok(points)
}

fn read_polygons(
    body: &mut Body<'_>,
    element: &Element,
    tag_names: &BTreeMap<u16, String>,
    raw: &mut RawScene,
) -> Result<(), ReadError> {
    let list = element.corners()?;
    let tag = element.position(&[TAG_WORD]).filter(|_| !tag_names.is_empty());
    let mut cutter = PolygonCutter::default();
    let mut listed = Vec::new();
    let mut corners: Vec<u32> = Vec::new();
    raw.triangles.reserve_exact(body.room_for(element, 3));
    let (mut run_start, mut run_number) = (raw.triangles.len(), None);
    for _ in 0..element.count {
        let start = body.at;
        let mut number = None;
        for (k, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::List { count, item } if k == list => {
                    body.corners((count, item), element, raw.points.len(), &mut listed)?;
                }
                Kind::Number(kind) if Some(k) == tag => number = Some(body.number(kind, element)?),
                kind => body.skip_property(kind, element)?,
            }
        }
        if number != run_number {
            tag_run(raw, run_start, run_number, tag_names);
            (run_start, run_number) = (raw.triangles.len(), number);
        }
        corners.clear();
        for corner in &listed {
            let Some(corner) = *corner else {
                return Err(body.error(start, "a corner of a face refers to point -1".to_owned()));
            };
            corners.push(corner);
        }
        if corners.len() > 3 {
            corners.dedup();
            if corners.first() == corners.last() {
                corners.pop();
            }
        }
        if corners.len() < 3 {
            raw.flat_faces += 1;
            continue;
        }
        cutter.cut(&raw.points, &corners, &mut raw.triangles).map_err(|_| {
            let what = format!(
                "a face that is not convex has {} corners, more than {}",
                corners.len(),
                MAX_CONCAVE_CORNERS
            );
            body.error(start, what)
        })?;
    }
    tag_run(raw, run_start, run_number, tag_names);
    Ok(())
}

/// Gives the triangles from `start` on the tag of this number.
fn tag_run(raw: &mut RawScene, start: usize, number: Option<f64>, names: &BTreeMap<u16, String>) {
    if start == raw.triangles.len() {
        return;
    }
    let number = number.filter(|n| n.fract() == 0.0 && (0.0..f64::from(u16::MAX)).contains(n));
    let name = number.and_then(|n| names.get(&(n as u16)));
    let tag = name.map_or(NO_TAG, |name| raw.names.intern(name));
    raw.tag_from(start, tag);
}

fn read_strips(
    body: &mut Body<'_>,
    element: &Element,
    raw: &mut RawScene,
) -> Result<(), ReadError> {
    let list = element.corners()?;
    let mut listed = Vec::new();
    let start = raw.triangles.len();
    for _ in 0..element.count {
        for (k, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::List { count, item } if k == list => {
                    body.corners((count, item), element, raw.points.len(), &mut listed)?;
                }
                kind => body.skip_property(kind, element)?,
            }
        }
        // A -1 begins a new strip.
        for strip in listed.split(Option::is_none) {
            for (i, corners) in strip.windows(3).enumerate() {
                if let [Some(a), Some(b), Some(c)] = *corners {
                    raw.triangles.push(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }
        }
    }
    raw.tag_from(start, NO_TAG);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, SceneFormat};

    fn load(bytes: &[u8]) -> Scene {
        Scene::from_bytes(bytes, SceneFormat::Ply).unwrap()
    }

    fn error(bytes: &[u8]) -> String {
        Scene::from_bytes(bytes, SceneFormat::Ply).unwrap_err().to_string()
    }

    const TEXT: &str = "ply\r\nformat ascii 1.0\r\ncomment hello\r\nobj_info x\r\n\
         element vertex 4\r\nproperty float x\r\nproperty uchar red\r\nproperty double y\r\n\
         property int z\r\nelement face 2\r\nproperty uchar flag\r\n\
         property list uchar int vertex_indices\r\nproperty list uchar float texcoord\r\n\
         end_header\r\n\
         0 9 0 0\r\n0 9 0 1\r\n1 9 0 1\r\n1 9 0 0\r\n1 4 0 1 2 3 2 0.5 0.5\r\n1 3 0 1 2 0\r\n";

    /// The scene of `TEXT`, with a skipped element in between and faces before the points if asked.
    fn binary(big: bool, faces_first: bool) -> Vec<u8> {
        let order = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            if big {
                bytes.reverse();
            }
            bytes
        };
        let vertex = "element vertex 4\nproperty float x\nproperty uchar red\nproperty double y\n\
                      property int z\n";
        let face = "element face 2\nproperty uchar flag\nproperty list ushort uint vertex_index\n\
                    property list uchar float texcoord\n";
        let other = "element nothing 4000000000\nelement junk 2\nproperty list uint int16 a\nproperty int8 b\n";
        let (first, last) = if faces_first { (face, vertex) } else { (vertex, face) };
        let encoding = if big { "big" } else { "little" };
        let mut bytes =
            format!("ply\nformat binary_{encoding}_endian 1.0\n{first}{other}{last}end_header\n")
                .into_bytes();
        let mut points = Vec::new();
        for [x, z] in [[0_i32, 0], [0, 1], [1, 1], [1, 0]] {
            points.extend(order(&(x as f32).to_le_bytes()));
            points.push(9);
            points.extend(order(&0.0_f64.to_le_bytes()));
            points.extend(order(&z.to_le_bytes()));
        }
        let mut faces = Vec::new();
        for corners in [&[0_u32, 1, 2, 3][..], &[0, 1, 2]] {
            faces.push(1);
            faces.extend(order(&(corners.len() as u16).to_le_bytes()));
            faces.extend(corners.iter().flat_map(|c| order(&c.to_le_bytes())));
            faces.push(1);
            faces.extend(order(&0.5_f32.to_le_bytes()));
        }
        let mut junk = Vec::new();
        for n in 0..2_u32 {
            junk.extend(order(&n.to_le_bytes()));
            junk.extend(vec![3; 2 * n as usize + 1]);
        }
        bytes.extend(if faces_first { &faces } else { &points });
        bytes.extend(junk);
        bytes.extend(if faces_first { &points } else { &faces });
        bytes
    }

    #[test]
    fn the_three_encodings_give_the_same_scene() {
        let want = load(TEXT.as_bytes());
        assert_eq!(want.triangles(), [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(want.point(2).map(|c| c as i32), [1, 0, 1]);
        assert_eq!(load(TEXT.replace("\r\n", "\n").as_bytes()), want);
        for big in [false, true] {
            for faces_first in [false, true] {
                assert_eq!(load(&binary(big, faces_first)), want, "{big} {faces_first}");
            }
        }
    }

    #[test]
    fn every_type_of_number_is_read() {
        for (name, bytes) in [
            ("char", &[0xFE][..]),
            ("int8", &[0xFE]),
            ("short", &[0xFE, 0xFF]),
            ("int16", &[0xFE, 0xFF]),
            ("int", &[0xFE, 0xFF, 0xFF, 0xFF]),
            ("int32", &[0xFE, 0xFF, 0xFF, 0xFF]),
            ("float", &[0, 0, 0, 0xC0]),
            ("float32", &[0, 0, 0, 0xC0]),
            ("double", &[0, 0, 0, 0, 0, 0, 0, 0xC0]),
            ("float64", &[0, 0, 0, 0, 0, 0, 0, 0xC0]),
            ("uchar", &[2]),
            ("uint8", &[2]),
            ("ushort", &[2, 0]),
            ("uint16", &[2, 0]),
            ("uint", &[2, 0, 0, 0]),
            ("uint32", &[2, 0, 0, 0]),
        ] {
            for big in [false, true] {
                let mut value = bytes.to_vec();
                if big {
                    value.reverse();
                }
                let encoding = if big { "big" } else { "little" };
                let mut file = format!(
                    "ply\nformat binary_{encoding}_endian 1.0\nelement vertex 3\nproperty char x\n\
                     property char y\nproperty {name} z\nelement face 1\n\
                     property list char char vertex_indices\nend_header\n"
                )
                .into_bytes();
                for [x, y] in [[0, 0], [1, 0], [0, 1]] {
                    file.extend([x, y]);
                    file.extend(&value);
                }
                file.extend([3, 0, 1, 2]);
                let scene = load(&file);
                assert_eq!(scene.point(1)[2].abs().to_bits(), 2.0_f64.to_bits(), "{name}");
                assert_eq!(scene.point(1)[2] < 0.0, !name.starts_with('u'), "{name}");
            }
        }
    }

    #[test]
    fn strips_turn_every_other_triangle() {
        let scene = load(
            b"ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n\
              property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n\
              0 0 0 0 0 1 1 0 0 1 0 1 2 0 0\n8 0 1 2 3 -1 2 3 4\n",
        );
        assert_eq!(scene.triangles(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    }

    #[test]
    fn tags_come_from_a_property_and_comments() {
        let scene = load(
            b"ply\nformat ascii 1.0\ncomment surefoot_tag 0 deep  water\ncomment surefoot_tag 7 road\n\
              element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
              element face 4\nproperty list int int vertex_indices\nproperty ushort surefoot_tag\n\
              end_header\n0 0 0 0 0 1 1 0 0\n3 0 1 2 7\n3 0 1 2 65535\n3 0 1 2 0\n3 0 1 2 3\n",
        );
        let tags: Vec<_> = (0..4).map(|i| scene.tag(i).0).collect();
        assert_eq!(tags, [0, NO_TAG.0, 1, NO_TAG.0]);
        assert_eq!(scene.tag_names(), ["road", "deep  water"]);
    }

    #[test]
    fn doubles_far_from_zero_keep_their_millimetres() {
        let scene = load(
            b"ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n\
              property double z\nelement face 1\nproperty list int int vertex_indices\nend_header\n\
              700000.001 0 0 700000.002 0 0 700000.001 0 0.001\n3 0 1 2\n",
        );
        assert!((scene.point(scene.triangles()[0][1])[0] - 700_000.002).abs() < 1e-8);
    }

    #[test]
    fn errors_say_where() {
        let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                      property float z\nelement face 1\nproperty list int int vertex_indices\n\
                      end_header\n";
        let three = "0 0 0\n0 0 1\n1 0 0\n";
        for (text, part) in [
            ("plz\n".to_owned(), "line 1: the file does not begin with \"ply\""),
            ("ply\nformat ascii 1.0\n".to_owned(), "line 3: the header does not end"),
            ("ply\nformat utf8 1.0\nend_header\n".to_owned(), "line 2: \"utf8\""),
            ("ply\nend_header\n".to_owned(), "says no format"),
            (
                "ply\nformat ascii 1.0\nproperty float x\nend_header\n".to_owned(),
                "line 3: a property",
            ),
            ("ply\nformat ascii 1.0\nelement face x\n".to_owned(), "\"x\" is not a count"),
            ("ply\nformat ascii 1.0\nelement face 1\nproperty long x\n".to_owned(), "\"long\""),
            ("ply\nformat ascii 1.0\nhello\n".to_owned(), "line 3: \"hello\" makes no sense"),
            (header.replace("float y", "float w") + three + "3 0 1 2", "no coordinate \"y\""),
            (
                header.replace("vertex_indices", "x") + three + "3 0 1 2",
                "no list \"vertex_indices\"",
            ),
            (format!("{header}{three}3 0 1 3"), "line 13: a corner refers to point 3"),
            (format!("{header}{three}3 0 1 0.5"), "refers to point 0.5"),
            (format!("{header}{three}3 0 1 -1"), "refers to point -1"),
            (format!("{header}{three}3 0 1"), "the file ends before its 1 elements \"face\" do"),
            (format!("{header}{three}900000000000 0 1"), "a list of 900000000000 items"),
            (format!("{header}{three}-3 0 1 2"), "a list of -3 items"),
            (format!("{header}0 0 0\n0 x 1\n"), "line 11: \"x\" is not a number"),
            (format!("{header}0 0 0\n0 0"), "the file ends before its 3 elements \"vertex\" do"),
            (header.replace("vertex 3", "vertex 0").replace("face 1", "face 0"), "no triangles"),
            ("ply\nformat ascii 1.0\nend_header\n".to_owned(), "no triangles"),
        ] {
            let message = error(text.as_bytes());
            assert!(message.contains(part), "{part:?} is not in {message:?}");
        }
        let mut cut = binary(false, false);
        cut.pop();
        assert!(error(&cut).contains("byte "), "{}", error(&cut));
        // A count is not believed: this would be 48 GB of points.
        let huge =
            header.replace("vertex 3", "vertex 4000000000").replace("ascii", "binary_big_endian");
        assert!(error(huge.as_bytes()).contains("ends before its 4000000000"));
    }
}
