//! Stereolithography files, text and binary.
//!
//! A soup of triangles goes in; the same triangles with equal corners welded come out, without
//! tags. Follows the StereoLithography Interface Specification (3D Systems, 1989). Stored normals
//! and attributes are not looked at: the order of the corners says where the front is. Many binary
//! files begin with the word "solid" as text files do, so the size decides first.

use crate::error::{ReadError, line_error, quoted};
use crate::number::{is_blank, read_number, word_end};
use crate::raw_scene::RawScene;
use crate::triangulate::{MAX_CONCAVE_CORNERS, PolygonCutter};
use crate::weld::PointWelder;

/// Bytes before the triangles of a binary file: a header of 80 and a count of 4.
const HEADER_BYTES: usize = 84;

/// Bytes of a triangle in a binary file: a normal, three corners and an attribute of 2.
const TRIANGLE_BYTES: usize = 50;

const EXPORT_AGAIN: &str = "the file is damaged or cut short; export it again";

pub(crate) fn read(bytes: &[u8], origin: [f64; 3]) -> Result<RawScene, ReadError> {
    if is_binary(bytes) { read_binary(bytes, origin) } else { read_text(bytes, origin) }
}

fn declared_triangles(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..HEADER_BYTES)?.first_chunk()?;
    Some(u64::from(u32::from_le_bytes(*count)))
}

fn is_binary(bytes: &[u8]) -> bool {
    let size =
        declared_triangles(bytes).map(|count| HEADER_BYTES as u64 + count * TRIANGLE_BYTES as u64);
    if size == Some(bytes.len() as u64) {
        return true;
    }
    let text = bytes.trim_ascii_start();
    let solid = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    !solid || bytes[..bytes.len().min(512)].contains(&0)
}

fn read_binary(bytes: &[u8], origin: [f64; 3]) -> Result<RawScene, ReadError> {
    let Some(count) = declared_triangles(bytes) else {
        let what = format!("the file ends within the header of {HEADER_BYTES} bytes");
        return Err(ReadError::Byte { offset: bytes.len() as u64, what, fix: EXPORT_AGAIN });
    };
    let body = &bytes[HEADER_BYTES..];
    let present = (body.len() / TRIANGLE_BYTES) as u64;
    if count > present {
        let what = format!("{count} triangles are announced, but there is room for {present} only");
        return Err(ReadError::Byte { offset: 80, what, fix: EXPORT_AGAIN });
    }
    let mut welder = PointWelder::new();
    let mut triangles = Vec::with_capacity(count as usize);
    for record in body.chunks_exact(TRIANGLE_BYTES).take(count as usize) {
        let mut triangle = [0_u32; 3];
        for (corner, bytes) in triangle.iter_mut().zip(record[12..48].chunks_exact(12)) {
            let point = std::array::from_fn(|k| {
                let value =
                    bytes[4 * k..].first_chunk().map_or(f32::NAN, |b| f32::from_le_bytes(*b));
                (f64::from(value) - origin[k]) as f32
            });
            *corner = welder.insert(point).ok_or_else(too_many_points)?;
        }
        triangles.push(triangle);
    }
    Ok(RawScene { points: welder.into_points(), triangles, ..RawScene::default() })
}

fn too_many_points() -> ReadError {
    let limit = u64::from(u32::MAX) - 1;
    ReadError::TooLarge { what: "points", count: limit + 1, limit }
}

fn read_text(text: &[u8], origin: [f64; 3]) -> Result<RawScene, ReadError> {
    let mut welder = PointWelder::new();
    let mut raw = RawScene::default();
    let mut corners: Vec<u32> = Vec::new();
    let mut cutter = PolygonCutter::default();
    let mut at = 0;
    loop {
        at = skip_space(text, at);
        if at >= text.len() {
            break;
        }
        // A backslash is no word's end here; a word must be at least one byte.
        let end = word_end(text, at).max(at + 1);
        let word = &text[at..end];
        let start = at;
        at = end;
        match word.to_ascii_lowercase().as_slice() {
            // A name follows, of any words.
            b"solid" | b"endsolid" => {
                at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n);
            }
            b"facet" | b"outer" | b"endfacet" => {}
            b"normal" => {
                for _ in 0..3 {
                    at = skip_space(text, at);
                    at = word_end(text, at);
                }
            }
            b"loop" => corners.clear(),
            b"vertex" => {
                let mut point = [0.0_f32; 3];
                for k in 0..3 {
                    at = skip_space(text, at);
                    let value = read_number(text, &mut at).ok_or_else(|| {
                        let word = quoted(&text[at..word_end(text, at)]);
                        let what = format!("{word} is not a number");
                        line_error(text, at, what, "a corner is \"vertex\" and three numbers")
                    })?;
                    point[k] = (value - origin[k]) as f32;
                }
                corners.push(welder.insert(point).ok_or_else(too_many_points)?);
            }
            b"endloop" => {
                if corners.len() < 3 {
                    raw.flat_faces += 1;
                } else {
                    cutter.cut(welder.points(), &corners, &mut raw.triangles).map_err(|_| {
                        let what = format!(
                            "a facet that is not convex has {} corners, more than {}",
                            corners.len(),
                            MAX_CONCAVE_CORNERS
                        );
                        line_error(text, start, what, "export the scene as triangles")
                    })?;
                }
                corners.clear();
            }
            _ => {
                let what = format!("{} is not a word of an STL file", quoted(word));
                return Err(line_error(text, start, what, EXPORT_AGAIN));
            }
        }
    }
    if !corners.is_empty() {
        let what = "the file ends within a facet".to_owned();
        return Err(line_error(text, text.len(), what, EXPORT_AGAIN));
    }
    raw.points = welder.into_points();
    Ok(raw)
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&b| is_blank(b) || b == b'\n') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::{Scene, SceneFormat};

    fn load(bytes: &[u8]) -> Scene {
        Scene::from_bytes(bytes, SceneFormat::Stl).unwrap()
    }

    fn error(bytes: &[u8]) -> String {
        Scene::from_bytes(bytes, SceneFormat::Stl).unwrap_err().to_string()
    }

    const TEXT: &str = "solid a name with words\n\
         facet normal 0 1 0\n outer loop\n  vertex 0 0 0\n  vertex 0 0 1\n  vertex 1 0 0\n endloop\n\
         endfacet\n facet normal nan nan nan\nouter loop\nvertex 1 0 0\nvertex 0 0 1\n\
         vertex 1e0 -0.0 +1\nendloop\nendfacet\nendsolid a name\n";

    fn binary(header: &[u8], triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes[..header.len()].copy_from_slice(header);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for t in triangles {
            bytes.extend([0xFF; 12]);
            bytes.extend(t.iter().flatten().flat_map(|c| c.to_le_bytes()));
            bytes.extend([7, 7]);
        }
        bytes
    }

    const TWO: [[[f32; 3]; 3]; 2] = [
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, -0.0, 1.0]],
    ];

    #[test]
    fn text_and_binary_give_the_same_welded_scene() {
        let scene = load(TEXT.as_bytes());
        assert_eq!(scene.triangles(), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(scene.points().len(), 4);
        assert!(scene.tag_names().is_empty());
        assert_eq!(load(&binary(b"made by a program", &TWO)), scene);
        assert_eq!(load(&binary(b"solid lies", &TWO)), scene);
        assert_eq!(load(TEXT.replace('\n', "\r\n").to_uppercase().as_bytes()), scene);
        // Everything on one line but the name.
        let (name, rest) = TEXT.split_once('\n').unwrap();
        assert_eq!(load(format!("{name}\n{}", rest.replace('\n', " ")).as_bytes()), scene);
    }

    #[test]
    fn bytes_behind_the_last_triangle_do_not_matter() {
        let mut bytes = binary(b"x", &TWO);
        bytes.extend([1; 33]);
        assert_eq!(load(&bytes).triangle_count(), 2);
    }

    #[test]
    fn facets_of_more_corners_are_cut_and_of_fewer_counted() {
        let scene = load(
            b"solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 2 vertex 2 0 2 vertex 2 0 0 \
              endloop endfacet facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 1 1 endloop endfacet",
        );
        assert_eq!(scene.triangle_count(), 2);
        assert_eq!(scene.ignored().zero_area, 1);
    }

    #[test]
    fn errors_say_where() {
        let mut cut = binary(b"solid x", &TWO);
        cut.truncate(cut.len() - 1);
        let message = error(&cut);
        assert!(message.contains("byte 80") && message.contains("2 triangles"), "{message}");
        assert!(message.contains("room for 1"), "{message}");
        let mut huge = binary(b"x", &TWO);
        huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(error(&huge).contains("4294967295 triangles"));
        assert!(error(b"").contains("byte 0"));
        assert!(error(b"solid x\nfacet\nouter loop\nvertex 1 2 x\n").contains("line 4"));
        assert!(
            error(b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\n")
                .contains("ends within")
        );
        assert!(error(b"solid x\n\nwhatever\n").contains("\"whatever\""));
        assert!(error(b"solid x\nendsolid\n").contains("no triangles"));
    }
}
