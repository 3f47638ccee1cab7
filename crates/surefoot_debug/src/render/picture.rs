//! A picture of a mesh: from above, in perspective, or both side by side.
//!
//! In: a view in the user's frame, and what may stand around it (the scene, a path, marks). Out: a PNG
//! file. The mesh is lifted a little off the ground that it lies on; where the scene hides it, it
//! shines through faintly, so that a picture of a building shows the floors inside.

use super::camera::Camera;
use super::lines::{LineMask, Pen};
use super::raster::{Buffer, NOTHING, Sides, rasterize};
use super::shade::{self, Light, Sun, from_srgb, over, to_srgb};
use crate::colours::{self, ColourBy, Rgb};
use crate::layers::{face_colours, points_of, triangles_of};
use crate::svg::frame_of;
use glam::DVec3;
use rayon::prelude::*;
use surefoot_bake::StageView;
use surefoot_mesh::EdgeClass;
use surefoot_scene::Scene;
use thiserror::Error;

/// Samples along each side of a pixel.
const SAMPLES: usize = 3;

/// The widest picture, in pixels.
const LARGEST_PX: u32 = 8192;

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Views {
    /// From above and in perspective, side by side.
    #[default]
    Both,
    /// From above.
    Top,
    /// In perspective.
    Perspective,
}

/// What stands around the mesh, and how large the picture is.
#[derive(Clone, Debug)]
pub struct PictureOptions<'a> {
    /// The geometry that the mesh came from.
    pub scene: Option<&'a Scene>,
    /// A path to draw, in the user's frame.
    pub path: &'a [[f64; 3]],
    /// Places to mark, in the user's frame.
    pub marks: &'a [([f64; 3], Rgb)],
    /// Leave out what lies higher than this along the up direction, in metres.
    pub cut_height_m: Option<f64>,
    /// What faces are coloured by.
    pub colour_by: ColourBy,
    /// Which views.
    pub views: Views,
    /// The picture's width, in pixels: from 16 to 8192.
    pub width_px: u32,
    /// The picture's height, in pixels: from 16 to 8192.
    pub height_px: u32,
}

impl Default for PictureOptions<'_> {
    fn default() -> Self {
        Self {
            scene: None,
            path: &[],
            marks: &[],
            cut_height_m: None,
            colour_by: ColourBy::Component,
            views: Views::Both,
            width_px: 1800,
            height_px: 900,
        }
    }
}

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The size makes no picture.
    #[error(
        "a picture of {width_px} × {height_px} pixels cannot be drawn; give each side from 16 to \
         {LARGEST_PX} pixels"
    )]
    Size {
        /// Width in pixels.
        width_px: u32,
        /// Height in pixels.
        height_px: u32,
    },
    /// More triangles than can be numbered.
    #[error("{count} triangles are more than one picture can hold; draw a smaller part")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The PNG encoder failed.
    #[error("the picture could not be encoded: {0}")]
    Encode(#[from] png::EncodingError),
}

/// Everything to draw, in canonical axes around the middle of it.
struct Stage {
    /// The scene's triangles, then the mesh's.
    corners: Vec<[DVec3; 3]>,
    scene_count: usize,
    /// One colour per triangle of the mesh.
    mesh_colours: Vec<Light>,
    edges: Vec<(DVec3, DVec3, EdgeClass)>,
    path: Vec<DVec3>,
    marks: Vec<(DVec3, Rgb)>,
    low: DVec3,
    high: DVec3,
    cut_z: f64,
    /// How far the mesh is lifted off the ground.
    lift_m: f64,
}

/// Draws a view as a PNG file.
pub fn render_overview(
    view: &StageView,
    options: &PictureOptions<'_>,
) -> Result<Vec<u8>, PictureError> {
    let (width_px, height_px) = (options.width_px, options.height_px);
    let fits = |px: u32| (16..=LARGEST_PX).contains(&px);
    if !(fits(width_px) && fits(height_px)) {
        return Err(PictureError::Size { width_px, height_px });
    }
    let (width, height) = (width_px as usize, height_px as usize);
    let stage = gather(view, options)?;
    let extent = stage.high - stage.low;
    // Look across the longer side, a little from the corner.
    let direction = if extent.x >= extent.y {
        DVec3::new(-0.45, 0.80, -0.72)
    } else {
        DVec3::new(0.80, 0.45, -0.72)
    };
    let top = |size| Camera::from_above(stage.low, stage.high, size, margin(size));
    let side = |size| {
        let mut camera = Camera::towards(direction, stage.low, stage.high, size, margin(size));
        let below_cut = |p: DVec3| DVec3::new(p.x, p.y, p.z.min(stage.high.z));
        let points = stage.corners.iter().flatten().chain(&stage.path).copied().map(below_cut);
        camera.fit_points(points, margin(size));
        camera
    };
    let sun_direction = DVec3::new(0.55, 0.35, -1.0);
    let casters = if stage.scene_count > 0 {
        &stage.corners[..stage.scene_count]
    } else {
        &stage.corners[..]
    };
    let sun = Sun::new(sun_direction, stage.low, stage.high, casters, stage.cut_z);

    let mut pixels = vec![0_u8; width * height * 3];
    let mut put = |camera: Camera, left: usize, panel_width: usize| {
        let panel = draw(&stage, &camera, &sun);
        pixels.par_chunks_mut(width * 3).enumerate().for_each(|(y, row)| {
            for x in 0..panel_width {
                let mut sum = [0.0_f32; 3];
                for sy in 0..SAMPLES {
                    let from = (y * SAMPLES + sy) * panel_width * SAMPLES + x * SAMPLES;
                    for sample in &panel[from..from + SAMPLES] {
                        for k in 0..3 {
                            sum[k] += sample[k];
                        }
                    }
                }
                let n = (SAMPLES * SAMPLES) as f32;
                let at = (left + x) * 3;
                row[at..at + 3].copy_from_slice(&to_srgb(sum.map(|c| c / n)));
            }
        });
    };
    let samples = |panel_width: usize| [panel_width * SAMPLES, height * SAMPLES];
    match options.views {
        Views::Top => put(top(samples(width)), 0, width),
        Views::Perspective => put(side(samples(width)), 0, width),
        Views::Both => {
            let left = width * 9 / 20;
            put(top(samples(left)), 0, left);
            put(side(samples(width - left)), left, width - left);
        }
    }
    Ok(encode(&pixels, width_px, height_px)?)
}

fn margin(size: [usize; 2]) -> f64 {
    size[0].min(size[1]) as f64 * 0.05
}

fn gather(view: &StageView, options: &PictureOptions<'_>) -> Result<Stage, PictureError> {
    let frame = frame_of(view.up);
    let canonical = |p: [f64; 3]| DVec3::from(frame.canonical_from_user(p));
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    let mut grow = |p: DVec3| {
        low = low.min(p);
        high = high.max(p);
    };
    let scene_points: Vec<DVec3> = options.scene.map_or_else(Vec::new, |scene| {
        (0..scene.points().len() as u32)
            .into_par_iter()
            .map(|i| canonical(scene.point(i)))
            .collect()
    });
    // Only points that a triangle uses count: the others are not drawn.
    if let Some(scene) = options.scene {
        for t in scene.triangles() {
            t.iter().for_each(|&i| grow(scene_points[i as usize]));
        }
    }
    view.faces.iter().flat_map(points_of).for_each(|p| grow(canonical(p)));
    view.edges.iter().for_each(|e| {
        grow(canonical(e.from));
        grow(canonical(e.to));
    });
    let marks = options.marks.iter().map(|m| m.0);
    options.path.iter().copied().chain(marks).for_each(|p| grow(canonical(p)));
    if !(low.is_finite() && high.is_finite()) {
        (low, high) = (DVec3::ZERO, DVec3::ONE);
    }
    let cut_z = options.cut_height_m.map_or(f64::INFINITY, |cut| cut.max(low.z + 1e-3));
    high.z = high.z.min(cut_z);
    let middle = (low + high) * 0.5;
    let extent = (high - low).length().max(1e-3);
    let lift_m = (extent * 4e-4).clamp(0.005, 0.5);
    let lifted = |p: [f64; 3]| canonical(p) - middle + DVec3::Z * lift_m;

    let mut corners: Vec<[DVec3; 3]> = options.scene.map_or_else(Vec::new, |scene| {
        let triangles = scene.triangles().par_iter();
        triangles.map(|t| t.map(|i| scene_points[i as usize] - middle)).collect()
    });
    let scene_count = corners.len();
    let mut mesh_colours = Vec::new();
    for (face, colour) in view.faces.iter().zip(face_colours(view, options.colour_by)) {
        let points: Vec<DVec3> = points_of(face).map(lifted).collect();
        for t in triangles_of(face) {
            corners.push(t.map(|i| points[i as usize]));
            mesh_colours.push(from_srgb(colour));
        }
    }
    if corners.len() >= NOTHING as usize {
        return Err(PictureError::TooMany { count: corners.len() });
    }
    let edges = view.edges.iter().map(|e| (lifted(e.from), lifted(e.to), e.class)).collect();
    Ok(Stage {
        corners,
        scene_count,
        mesh_colours,
        edges,
        path: options.path.iter().map(|&p| lifted(p)).collect(),
        marks: options.marks.iter().map(|&(p, colour)| (lifted(p), colour)).collect(),
        low: low - middle,
        high: high - middle,
        cut_z: cut_z - middle.z,
        lift_m,
    })
}

/// Draws one panel, a colour per sample.
fn draw(stage: &Stage, camera: &Camera, sun: &Sun) -> Vec<Light> {
    let (scene, mesh) = stage.corners.split_at(stage.scene_count);
    let behind = rasterize(camera, scene, Sides::Front, stage.cut_z);
    // The mesh is cut a little higher than the scene, since it is lifted.
    let over_it = rasterize(camera, mesh, Sides::Both, stage.cut_z + stage.lift_m);
    let mut both = behind.clone();
    for i in 0..both.near.len() {
        if over_it.near[i] >= both.near[i] && over_it.triangle[i] != NOTHING {
            both.near[i] = over_it.near[i];
            both.triangle[i] = over_it.triangle[i] + stage.scene_count as u32;
        }
    }
    let normals: Vec<DVec3> = stage
        .corners
        .par_iter()
        .map(|t| (t[1] - t[0]).cross(t[2] - t[0]).normalize_or(DVec3::Z))
        .collect();
    let extent = (stage.high - stage.low).length();
    let radius_m = (extent * 0.03).clamp(0.3, 40.0);
    let open = shade::openness(camera, &both, |t| normals[t as usize], radius_m, SAMPLES);

    let [width, height] = camera.size;
    let scene_colour = from_srgb(colours::SCENE);
    let (sky, horizon) = (from_srgb([250, 251, 253]), from_srgb([226, 231, 238]));
    let mut picture = vec![[0.0_f32; 3]; width * height];
    picture.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        let backdrop = over(sky, horizon, y as f32 / height.max(1) as f32);
        for (x, out) in row.iter_mut().enumerate() {
            let i = y * width + x;
            let triangle = both.triangle[i];
            let mut colour = backdrop;
            if triangle != NOTHING {
                let near = f64::from(both.near[i]);
                let p = camera.point_at(x as f64 + 0.5, y as f64 + 0.5, near);
                let mut normal = normals[triangle as usize];
                if normal.dot(camera.towards_eye(p)) < 0.0 {
                    normal = -normal;
                }
                let on_mesh = triangle as usize >= stage.scene_count;
                let base = if on_mesh {
                    stage.mesh_colours[triangle as usize - stage.scene_count]
                } else {
                    scene_colour
                };
                let share = open.at(x, y);
                colour = shade::light(sun, base, p, normal).map(|c| c * share);
                let hidden = over_it.triangle[i];
                if !on_mesh && hidden != NOTHING {
                    colour = over(colour, stage.mesh_colours[hidden as usize], 0.24);
                }
            }
            *out = colour;
        }
    });
    draw_lines(stage, camera, &behind, &mut picture);
    picture
}

fn draw_lines(stage: &Stage, camera: &Camera, behind: &Buffer, picture: &mut [Light]) {
    let px = SAMPLES as f64;
    let mut mask = LineMask::new(camera.size);
    let pen = |rgb, width_px: f64, share, hidden_share| Pen {
        colour: from_srgb(rgb),
        half_width: width_px * 0.5 * px,
        share,
        hidden_share,
    };
    // Where cells are smaller than a few pixels their outlines would only darken the picture.
    let inner_edges = stage.edges.iter().filter(|e| e.2 == EdgeClass::Inner).count().max(1);
    let pixels = camera.size[0] * camera.size[1] / (SAMPLES * SAMPLES);
    let fine = (pixels as f32 * 0.02 / inner_edges as f32).min(1.0);
    let slack_m = stage.lift_m * 1.5;
    let cut = stage.cut_z + stage.lift_m;
    type Layer<'a> = (&'a dyn Fn(EdgeClass) -> bool, Pen);
    let layers: [Layer<'_>; 3] = [
        (&|c| c == EdgeClass::Inner, pen([20, 72, 104], 0.9, 0.42 * fine, 0.10 * fine)),
        (&|c| c == EdgeClass::Step, pen([26, 112, 70], 1.4, 0.80, 0.20)),
        (&|c| !matches!(c, EdgeClass::Inner | EdgeClass::Step), pen([14, 50, 78], 1.7, 0.92, 0.22)),
    ];
    for (wanted, pen) in layers {
        for &(from, to, class) in &stage.edges {
            if wanted(class) && from.z <= cut && to.z <= cut {
                mask.add(camera, behind, from, to, pen.half_width, slack_m);
            }
        }
        mask.lay(picture, &pen);
    }
    for &(at, rgb) in &stage.marks {
        for (rgb, width_px) in [([255, 255, 255], 13.0), (rgb, 9.0)] {
            let pen = pen(rgb, width_px, 1.0, 0.85);
            mask.add(camera, behind, at, at, pen.half_width, slack_m * 2.0);
            mask.lay(picture, &pen);
        }
    }
    if stage.path.is_empty() {
        return;
    }
    let ends = [stage.path[0], stage.path[stage.path.len() - 1]];
    let halo = pen([255, 255, 255], 7.0, 0.95, 0.30);
    let line = pen(colours::PATH, 4.2, 1.0, 0.50);
    for pen in [halo, line] {
        for pair in stage.path.windows(2) {
            mask.add(camera, behind, pair[0], pair[1], pen.half_width, slack_m * 2.0);
        }
        mask.lay(picture, &pen);
    }
    for (rgb, width_px, hidden_share) in
        [([255, 255, 255], 19.0, 0.45), (colours::PATH, 15.0, 0.70), ([255, 255, 255], 6.5, 0.80)]
    {
        let pen = pen(rgb, width_px, 1.0, hidden_share);
        for end in ends {
            mask.add(camera, behind, end, end, pen.half_width, slack_m * 2.0);
        }
        mask.lay(picture, &pen);
    }
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_bake::{ViewEdge, ViewFace};
    use surefoot_mesh::{AreaId, CellKind};

    fn square_view() -> StageView {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, -4.0], [0.0, 0.0, -4.0]];
        StageView {
            up: [0.0, 1.0, 0.0],
            faces: vec![ViewFace {
                loops: vec![corners.to_vec()],
                triangles: Vec::new(),
                kind: CellKind::Ground,
                area: AreaId(0),
                component: Some(0),
            }],
            edges: (0..4)
                .map(|i| ViewEdge {
                    from: corners[i],
                    to: corners[(i + 1) % 4],
                    class: EdgeClass::Open,
                })
                .collect(),
            counts: Vec::new(),
        }
    }

    #[test]
    fn a_marked_place_has_its_colour() {
        let marks = [([2.0, 0.0, -2.0], [230, 40, 40])];
        let options = PictureOptions {
            views: Views::Top,
            marks: &marks,
            width_px: 120,
            height_px: 80,
            ..PictureOptions::default()
        };
        let (width, height, buffer) = pixels(&render_overview(&square_view(), &options).unwrap());
        let at = 3 * (height / 2 * width + width / 2) as usize;
        let [red, green, blue] = [buffer[at], buffer[at + 1], buffer[at + 2]];
        assert!(red > 200 && green < 80 && blue < 80, "{red} {green} {blue}");
    }

    fn pixels(png_bytes: &[u8]) -> (u32, u32, Vec<u8>) {
        let decoder = png::Decoder::new(std::io::Cursor::new(png_bytes));
        let mut reader = decoder.read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut buffer).unwrap();
        (info.width, info.height, buffer)
    }

    #[test]
    fn ground_is_blue_and_the_corner_of_the_picture_is_not() {
        let options = PictureOptions {
            views: Views::Top,
            width_px: 120,
            height_px: 80,
            ..PictureOptions::default()
        };
        let png = render_overview(&square_view(), &options).unwrap();
        let (w, h, p) = pixels(&png);
        assert_eq!((w, h), (120, 80));
        let at = |x: usize, y: usize| &p[(y * 120 + x) * 3..][..3];
        let middle = at(60, 40);
        assert!(middle[2] > middle[0] + 40, "{middle:?}");
        let corner = at(2, 2);
        assert!(corner.iter().all(|&c| c > 220), "{corner:?}");
        assert_eq!(png, render_overview(&square_view(), &options).unwrap());
    }

    #[test]
    fn nothing_at_all_is_still_a_picture() {
        let options = PictureOptions { width_px: 64, height_px: 32, ..PictureOptions::default() };
        assert!(render_overview(&StageView::default(), &options).is_ok());
        let wrong = PictureOptions { width_px: 0, ..PictureOptions::default() };
        assert!(matches!(
            render_overview(&StageView::default(), &wrong),
            Err(PictureError::Size { .. })
        ));
    }

    #[test]
    fn a_path_is_seen_through_the_mesh_colour() {
        let path = [[0.5, 0.0, -2.0], [3.5, 0.0, -2.0]];
        let options = PictureOptions {
            views: Views::Top,
            width_px: 100,
            height_px: 100,
            path: &path,
            ..PictureOptions::default()
        };
        let (_, _, p) = pixels(&render_overview(&square_view(), &options).unwrap());
        let middle = &p[(50 * 100 + 50) * 3..][..3];
        assert!(middle[0] > 180 && middle[1] < 90, "{middle:?}");
    }
}
