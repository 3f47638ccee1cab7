//! Wavefront OBJ.
//!
//! Text goes in; triangles come out, tagged with the names of object, group and material that were
//! in effect ("Object/Group/Material"). Follows "Object Files (.obj)" by Wavefront Technologies:
//! `v`, `f`, `o`, `g` and `usemtl` are read, with negative indices, line continuations and all
//! forms of corners; everything else is skipped.
//!
//! The text is cut at line ends into pieces of fixed size, which are read in parallel in two
//! rounds: first points and names, then faces, when the number of points before each piece and
//! the positions of all points are known. Pieces are joined in order, so the result is the same for
//! any number of threads.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use surefoot_geom::threads::prelude::*;

use crate::error::{ReadError, line_error, quoted};
use crate::number::{is_blank, read_number, word_end};
use crate::raw_scene::{RawScene, join_names};
use crate::triangulate::{MAX_CONCAVE_CORNERS, PolygonCutter};
use crate::weld::PointWelder;

/// How much text one task reads. Part of no result.
const PIECE_BYTES: usize = 1 << 20;

/// How much of a name is looked at; a tag keeps less of it.
const MAX_NAME_LINE_BYTES: usize = 1024;

pub(crate) fn read(bytes: &[u8], origin: [f64; 3]) -> Result<RawScene, ReadError> {
    let text = with_line_feeds(bytes);
    read_text(&text, origin, PIECE_BYTES)
}

/// Files of old systems end their lines with a carriage return alone.
fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\n', bytes).is_some() || memchr(b'\r', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|&b| if b == b'\r' { b'\n' } else { b }).collect())
}

fn read_text(text: &[u8], origin: [f64; 3], piece_bytes: usize) -> Result<RawScene, ReadError> {
    let pieces = cut_into_pieces(text, piece_bytes);
    let parts = in_order(pieces, |piece| read_points(text, piece, origin))?;
    let count: usize = parts.iter().map(|part| part.points.len()).sum();
    if count >= u32::MAX as usize {
        let limit = u64::from(u32::MAX) - 1;
        return Err(ReadError::TooLarge { what: "points", count: count as u64, limit });
    }
    // A mesh with shared corners has fewer points than this, a soup more. Its points are joined
    // here already, because they take three times the memory of its triangles.
    let faces: usize = parts.iter().map(|part| part.face_count).sum();
    let mut points = Points::new(count, count > faces + faces / 2);
    let mut tasks = Vec::with_capacity(parts.len());
    let mut names = Names::default();
    for part in parts {
        if let Some(mut task) = part.faces {
            task.points_before += points.count();
            task.names = names.then(task.names);
            tasks.push(task);
        }
        names = names.then(part.names);
        points.extend(&part.points);
    }
    let points = points.finish();

    let parts = in_order(tasks, |task| read_faces(text, task, &points))?;
    let points = points.points;
    let mut raw = RawScene {
        points,
        triangles: Vec::with_capacity(parts.iter().map(|part| part.triangles.len()).sum()),
        ..RawScene::default()
    };
    for part in parts {
        raw.flat_faces += part.flat_faces;
        let mut from = 0;
        for run in &part.runs {
            let first = raw.triangles.len();
            raw.triangles.extend_from_slice(&part.triangles[from..run.end]);
            from = run.end;
            let tag = raw.names.intern(&run.names.path(text));
            raw.tag_from(first, tag);
        }
    }
    Ok(raw)
}

/// The points of the file, welded or as they are.
struct Points {
    points: Vec<[f32; 3]>,
    /// For the points of a soup: what each has become.
    index: Option<Vec<u32>>,
    welder: Option<PointWelder<f32>>,
}

impl Points {
    fn new(count: usize, is_soup: bool) -> Self {
        if is_soup {
            let index = Some(Vec::with_capacity(count));
            return Self { points: Vec::new(), index, welder: Some(PointWelder::new()) };
        }
        Self { points: Vec::with_capacity(count), index: None, welder: None }
    }

    /// How many points of the file there are.
    fn count(&self) -> usize {
        self.index.as_ref().map_or(self.points.len(), Vec::len)
    }

    fn extend(&mut self, points: &[[f32; 3]]) {
        match (&mut self.index, &mut self.welder) {
            (Some(index), Some(welder)) => {
                // There is an index for each, because there are not too many points.
                index.extend(points.iter().map(|&p| welder.insert(p).unwrap_or_default()));
            }
            _ => self.points.extend_from_slice(points),
        }
    }

    fn finish(mut self) -> Self {
        if let Some(welder) = self.welder.take() {
            self.points = welder.into_points();
        }
        self
    }
}

/// Does the tasks in parallel; of several errors, the first in order is returned.
fn in_order<T: Send, R: Send>(
    tasks: Vec<T>,
    work: impl Fn(T) -> Result<R, ReadError> + Sync + Send,
) -> Result<Vec<R>, ReadError> {
    let done: Vec<_> = tasks.into_par_iter().map(work).collect();
    done.into_iter().collect()
}

/// Cuts the text behind line feeds that end a statement.
fn cut_into_pieces(text: &[u8], piece_bytes: usize) -> Vec<Range<usize>> {
    let bom = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut pieces = Vec::with_capacity(text.len() / piece_bytes.max(1) + 1);
    let mut start = bom;
    while start < text.len() {
        let end = next_statement(text, (start + piece_bytes).min(text.len()));
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// The names in effect: of object, group and material, each as a range of the text. A name that was
/// said to be empty is an empty range, one that was not said at all is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Names([Option<(usize, usize)>; 3]);

impl Names {
    /// These names, and then what was said later.
    fn then(self, later: Self) -> Self {
        Self(std::array::from_fn(|k| later.0[k].or(self.0[k])))
    }

    fn path(&self, text: &[u8]) -> String {
        let parts = self.0.map(|range| {
            let (start, end) = range?;
            let said = text[start..end].trim_ascii();
            let name = String::from_utf8_lossy(&said[..said.len().min(MAX_NAME_LINE_BYTES)]);
            if name.contains('\n') {
                // A continued line: the words of its parts belong together.
                let words: Vec<&str> = name.split(['\\', '\r', '\n']).collect();
                let words: Vec<&str> = words.iter().flat_map(|w| w.split_whitespace()).collect();
                return Some(words.join(" "));
            }
            Some(name.into_owned())
        });
        join_names(parts.iter().map(Option::as_deref))
    }
}

/// What a piece says before its faces are read.
struct PointPart {
    points: Vec<[f32; 3]>,
    /// What was said by the end of the piece.
    names: Names,
    face_count: usize,
    faces: Option<FaceTask>,
}

/// The faces of a piece, from the first one on.
struct FaceTask {
    range: Range<usize>,
    points_before: usize,
    names: Names,
}

struct FacePart {
    triangles: Vec<[u32; 3]>,
    runs: Vec<Run>,
    flat_faces: u64,
}

/// Triangles in a row with the same names.
struct Run {
    /// Behind the last of them.
    end: usize,
    names: Names,
}

/// A line's first word, with the position behind it.
enum Statement {
    Point(usize),
    Face(usize),
    /// Which of the three names.
    Name(usize, usize),
    Other,
}

fn statement_at(text: &[u8], at: usize) -> Statement {
    let mut at = at;
    while text.get(at).is_some_and(|&b| is_blank(b)) {
        at += 1;
    }
    let rest = &text[at.min(text.len())..];
    let ends = |n: usize| rest.get(n).is_none_or(|&b| is_blank(b) || matches!(b, b'\n' | b'\\'));
    match rest.first() {
        Some(b'v') if ends(1) => Statement::Point(at + 1),
        Some(b'f') if ends(1) => Statement::Face(at + 1),
        // A filled outline, as old files call a face.
        Some(b'f') if rest.get(1) == Some(&b'o') && ends(2) => Statement::Face(at + 2),
        Some(b'o') if ends(1) => Statement::Name(0, at + 1),
        Some(b'g') if ends(1) => Statement::Name(1, at + 1),
        Some(b'u') if rest.starts_with(b"usemtl") && ends(6) => Statement::Name(2, at + 6),
        _ => Statement::Other,
    }
}

/// The beginning of the line after `at`.
fn next_line(text: &[u8], at: usize) -> usize {
    memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1)
}

/// The beginning of the statement after `at`: that of the next line, unless a backslash continues
/// this one.
fn next_statement(text: &[u8], at: usize) -> usize {
    let mut end = next_line(text, at);
    while end < text.len() && is_continued(&text[..end - 1]) {
        end = next_line(text, end);
    }
    end
}

/// The beginning of the statement after `at`, which is most likely the end of this one.
#[inline]
fn end_statement(text: &[u8], at: usize) -> usize {
    if text.get(at) == Some(&b'\n') { at + 1 } else { next_statement(text, at) }
}

/// Whether a line, given without its line feed, goes on in the next.
fn is_continued(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

/// The next byte of a statement that is not blank; stops at its end.
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(&b) if is_blank(b) => at += 1,
            Some(b'\\') if text[at + 1..].starts_with(b"\n") => at += 2,
            Some(b'\\') if text[at + 1..].starts_with(b"\r\n") => at += 3,
            _ => return at,
        }
    }
}

fn read_points(text: &[u8], piece: Range<usize>, origin: [f64; 3]) -> Result<PointPart, ReadError> {
    let mut part =
        PointPart { points: Vec::new(), names: Names::default(), face_count: 0, faces: None };
    let mut at = piece.start;
    while at < piece.end {
        match statement_at(text, at) {
            Statement::Point(mut i) => {
                let mut point = [0.0_f32; 3];
                for k in 0..3 {
                    i = skip_blanks(text, i);
                    let Some(value) = read_number(text, &mut i) else {
                        return Err(bad_coordinate(text, i));
                    };
                    point[k] = (value - origin[k]) as f32;
                }
                part.points.push(point);
                at = end_statement(text, skip_blanks(text, i));
            }
            Statement::Face(_) => {
                part.face_count += 1;
                part.faces.get_or_insert(FaceTask {
                    range: at..piece.end,
                    points_before: part.points.len(),
                    names: part.names,
                });
                at = next_statement(text, at);
            }
            Statement::Name(which, start) => {
                at = next_statement(text, start);
                part.names.0[which] = Some((start, at));
            }
            Statement::Other => at = next_line(text, at),
        }
    }
    Ok(part)
}

#[cold]
fn bad_coordinate(text: &[u8], at: usize) -> ReadError {
    let fix = "a point is \"v\" and three numbers with decimal points";
    let what = match text.get(at) {
        None | Some(b'\n' | b'#') => "a point has fewer than three coordinates".to_owned(),
        _ => format!("{} is not a number", quoted(&text[at..word_end(text, at)])),
    };
    line_error(text, at, what, fix)
}

fn read_faces(text: &[u8], task: FaceTask, points: &Points) -> Result<FacePart, ReadError> {
    let mut part = FacePart { triangles: Vec::new(), runs: Vec::new(), flat_faces: 0 };
    let mut names = task.names;
    let mut points_before = task.points_before;
    let mut corners: Vec<u32> = Vec::new();
    let mut cutter = PolygonCutter::default();
    let mut at = task.range.start;
    while at < task.range.end {
        match statement_at(text, at) {
            Statement::Face(after) => {
                corners.clear();
                let mut i = skip_blanks(text, after);
                while !matches!(text.get(i), None | Some(b'\n' | b'#')) {
                    let corner = read_corner(text, &mut i, points_before, points.count())?;
                    corners.push(points.index.as_ref().map_or(corner, |ix| ix[corner as usize]));
                    i = skip_blanks(text, i);
                }
                if corners.len() > 3 {
                    corners.dedup();
                    if corners.first() == corners.last() {
                        corners.pop();
                    }
                }
                if corners.len() < 3 {
                    part.flat_faces += 1;
                } else {
                    cutter.cut(&points.points, &corners, &mut part.triangles).map_err(|_| {
                        let what = format!(
                            "a face that is not convex has {} corners, more than {}",
                            corners.len(),
                            MAX_CONCAVE_CORNERS
                        );
                        line_error(text, at, what, "export the scene as triangles")
                    })?;
                }
                at = end_statement(text, i);
            }
            Statement::Point(_) => {
                points_before += 1;
                at = next_statement(text, at);
            }
            Statement::Name(which, start) => {
                part.end_run(names);
                at = next_statement(text, start);
                names.0[which] = Some((start, at));
            }
            Statement::Other => at = next_line(text, at),
        }
    }
    part.end_run(names);
    Ok(part)
}

impl FacePart {
    fn end_run(&mut self, names: Names) {
        let end = self.triangles.len();
        if self.runs.last().map_or(0, |run| run.end) < end {
            self.runs.push(Run { end, names });
        }
    }
}

/// Reads one corner (`7`, `-1`, `7/2`, `7//3` or `7/2/3`) and returns the index of its point.
fn read_corner(
    text: &[u8],
    at: &mut usize,
    points_before: usize,
    points: usize,
) -> Result<u32, ReadError> {
    let start = *at;
    let negative = text[start] == b'-';
    let mut i = start + usize::from(negative || text[start] == b'+');
    let first = i;
    let mut number = 0_u64;
    while let Some(digit) = text.get(i).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        number = number.saturating_mul(10).saturating_add(u64::from(digit));
        i += 1;
    }
    let end = match text.get(i) {
        Some(b'/') => word_end(text, i),
        _ => i,
    };
    if i == first || end != word_end(text, end) {
        let what = format!("{} is not a corner", quoted(&text[start..word_end(text, start)]));
        let fix = "a face is \"f\" and three or more corners of the form 1, 1/2, 1//3 or 1/2/3";
        return Err(line_error(text, start, what, fix));
    }
    *at = end;
    // Both ends of the range are counted: 1 is the first point, -1 the last one so far.
    let index = if negative {
        (points_before as u64).checked_sub(number).filter(|_| number > 0)
    } else {
        number.checked_sub(1)
    };
    match index {
        Some(index) if index < points as u64 => Ok(index as u32),
        _ => {
            let what = format!(
                "corner {} refers to no point: {points} points are in the file, {points_before} \
                 of them before this line",
                quoted(&text[start..i])
            );
            Err(line_error(text, start, what, "the file is damaged or cut short; export it again"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, SceneFormat};

    fn load(text: &str) -> Scene {
        Scene::from_bytes(text.as_bytes(), SceneFormat::Obj).unwrap()
    }

    fn error(text: &str) -> String {
        Scene::from_bytes(text.as_bytes(), SceneFormat::Obj).unwrap_err().to_string()
    }

    fn tag_of(scene: &Scene, triangle: usize) -> &str {
        scene.tag_names().get(usize::from(scene.tag(triangle).0)).map_or("", String::as_str)
    }

    const SQUARE: &str = "v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\n";

    #[test]
    fn all_forms_of_corners_mean_the_same() {
        let want = load(&format!("{SQUARE}f 1 2 3\n"));
        for face in ["f 1/1 2/2 3/3", "f 1//1 2//2 3//3", "f 1/1/1 2/2/2 3/3/3", "f -4 -3 -2"] {
            assert_eq!(load(&format!("{SQUARE}{face}\n")), want, "{face}");
        }
        assert_eq!(want.triangles(), [[0, 1, 2]]);
        assert_eq!(want.points(), [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]);
    }

    #[test]
    fn blanks_line_ends_and_comments_do_not_matter() {
        let want = load(&format!("{SQUARE}f 1 2 3 4\n"));
        assert_eq!(want.triangles(), [[0, 1, 2], [0, 2, 3]]);
        for text in [
            "\u{feff}v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\nf 1 2 3 4",
            "# C:\\folder\\\nv 0 0 0\r\nv 0 0 1\r\nv 1 0 1\r\nv 1 0 0\r\nf 1 2 3 4\r\n",
            "v 0 0 0\rv 0 0 1\rv 1 0 1\rv 1 0 0\rf 1 2 3 4\r",
            "\t v\t0  0\t0 # a corner\nv 0 0 1 1.0\nv 1 0 1 0.5 0.5 0.5\nv 1 0 0\n  f 1 2 3 4 # two\n",
            "v 0 \\\n0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\nf 1 2 \\\r\n3\\\n4\n",
            "mtllib a.mtl\nvn 0 1 0\nvt 0 0\nvp 1\ns off\nv 0e0 .0 0.\nv 0 0 1E+0\nv 10e-1 0 1\nv +1 -0 0\nl 1 2\np 1\nfo 1 2 3 4\nend\n",
        ] {
            assert_eq!(load(text), want, "{text:?}");
        }
    }

    #[test]
    fn indices_may_look_back_forward_and_from_the_end() {
        let scene = load(
            "f 1 2 3\nv 0 0 0\nv 0 0 1\nv 1 0 1\nf -3 -2 -1\nv 5 0 0\nv 5 0 1\nv 6 0 1\nf -3 -2 -1\n",
        );
        assert_eq!(scene.triangles(), [[0, 1, 2], [0, 1, 2], [3, 4, 5]]);
    }

    #[test]
    fn names_make_tags() {
        let scene = load(&format!(
            "{SQUARE}f 1 2 3\no Hall\nf 1 2 3\ng floor upper\nf 1 2 3\nusemtl Wood #2\nf 1 2 3\n\
             g\nf 1 2 3\no\nusemtl\nf 1 2 3\ng unused\ng east \\\n  wing\nf 1 2 3\nusemtl Wood #2\ng\n\
             o Hall\nf 1 2 3\n"
        ));
        let tags: Vec<&str> = (0..scene.triangle_count()).map(|i| tag_of(&scene, i)).collect();
        let want = [
            "",
            "Hall",
            "Hall/floor upper",
            "Hall/floor upper/Wood #2",
            "Hall/Wood #2",
            "",
            "east wing",
            "Hall/Wood #2",
        ];
        assert_eq!(tags, want);
        assert_eq!(scene.tag_names().len(), 5);
    }

    #[test]
    fn concave_faces_are_cut_inside_their_outline() {
        // An arrowhead whose fan from the first corner would leave the outline.
        let scene = load("v 0 0 0\nv 4 0 0\nv 1 0 -1\nv 0 0 -4\nf 2 3 4 1\nf 1 1 2 2 3 4 4 1\n");
        assert_eq!(scene.triangle_count(), 4);
        for t in scene.triangles() {
            let [a, b, c] = t.map(|i| scene.point(i));
            let up = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
            assert!(up > 0.0, "{t:?}");
        }
    }

    #[test]
    fn faces_without_a_surface_are_counted() {
        let scene = load(&format!(
            "{SQUARE}v nan 0 0\nv 1.#QNAN 0 0\nv 1e60 0 0\nf 1 2 3\nf 1 2\nf 1\nf\nf 1 1 1 1\n\
             f 1 2 2\nf 1 2 5\nf 6 1 2\nf 7 2 3\n"
        ));
        assert_eq!(scene.triangle_count(), 1);
        assert_eq!(scene.ignored().zero_area, 5);
        assert_eq!(scene.ignored().non_finite, 3);
        assert_eq!(scene.points().len(), 3);
    }

    #[test]
    fn far_coordinates_keep_their_millimetres() {
        let scene = load(
            "v 4500000.001 12.5 -5300000.002\nv 4500000.001 12.5 -5300000.001\n\
             v 4500000.002 12.5 -5300000.002\nv 1e30 nan 0\nf 1 2 3\n",
        );
        let origin = scene.origin();
        assert!(origin[0] > 4e6 && origin[1] == 0.0 && origin[2] < -5e6);
        let p = scene.point(scene.triangles()[0][1]);
        assert!(
            (p[0] - 4_500_000.001).abs() < 1e-7 && (p[2] + 5_300_000.001).abs() < 1e-7,
            "{p:?}"
        );
    }

    #[test]
    fn errors_say_which_line_and_what_to_do() {
        for (text, parts) in [
            ("v 0 0 0\nv 0 x 1\n", ["line 2", "\"x\" is not a number", "three numbers"]),
            ("\n\nv 0 1,5 0\n", ["line 3", "\"1,5\"", "decimal points"]),
            ("v 0 0\n", ["line 1", "fewer than three", "three numbers"]),
            ("v 0 0 0\nf 1 2 a\n", ["line 2", "refers to no point", "export"]),
            ("v 0 0 0\nf 1 b 1\n", ["line 2", "\"b\" is not a corner", "1//3"]),
            ("v 0 0 0\nf 1 1.5 1\n", ["line 2", "\"1.5\" is not a corner", "1//3"]),
            ("v 0 0 0\nf 0 1 1\n", ["line 2", "\"0\" refers to no point", "1 points"]),
            ("v 0 0 0\nf -2 -1 -1\n", ["line 2", "\"-2\" refers to no point", "1 points"]),
            ("v 0 0 0\nf 1 1 99999999999999999999999\n", ["line 2", "refers to no point", "99"]),
            ("v 0 0 0\n", ["holds no triangles", "check", "lines"]),
            ("", ["holds no triangles", "check", "lines"]),
        ] {
            let message = error(text);
            for part in parts {
                assert!(message.contains(part), "{part:?} is not in {message:?}");
            }
        }
    }

    #[test]
    fn a_scene_that_is_too_large_is_refused() {
        let message = error("v 0 0 0\nv 0 0 40000\nv -70000 0 1\nf 1 2 3\n");
        assert!(message.contains("70000 m long along x"), "{message}");
        assert!(message.contains("scale it to metres"), "{message}");
        // A point that no triangle uses does not make a scene large.
        load(&format!("{SQUARE}v 1e6 0 0\nf 1 2 3\n"));
    }

    #[test]
    fn pieces_of_any_size_give_the_same_scene() {
        let mut text = String::from("o start\n");
        for i in 0..60 {
            text += &format!("v {i} 0 0\nv {i}.5 0 1\nv {i} \\\n 1 1\n# f 1 2\\\n");
            text += match i % 4 {
                0 => "f -3 -2 -1\n",
                1 => "g room \\\n 7\nf 1/1 2/2 3//3 \\\n -1\n",
                2 => "usemtl wood\r\n",
                _ => "g\nf -1 -2 -6\nf 1 2 3\n",
            };
        }
        let whole = read_text(text.as_bytes(), [0.0; 3], usize::MAX / 2).unwrap();
        assert!(whole.triangles.len() > 60);
        for size in [1, 2, 3, 7, 64, 1000] {
            let pieces = read_text(text.as_bytes(), [0.0; 3], size).unwrap();
            assert_eq!(pieces.points, whole.points, "pieces of {size}");
            assert_eq!(pieces.triangles, whole.triangles, "pieces of {size}");
            assert_eq!(pieces.tags, whole.tags, "pieces of {size}");
            assert_eq!(
                pieces.names.into_names(),
                ["start", "start/room 7", "start/wood", "start/room 7/wood"]
            );
        }
        // Of several errors the first in the file is told.
        let broken = format!("{text}v x\n{text}v y\n");
        for size in [1, 64, 1000] {
            let error = read_text(broken.as_bytes(), [0.0; 3], size).unwrap_err();
            assert!(error.to_string().contains("\"x\""), "{error}");
        }
    }
}
