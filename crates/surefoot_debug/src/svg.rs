//! A top view as SVG.
//!
//! In: a view in the user's frame. Out: SVG text seen along the up direction, one unit a metre.
//! Faces are drawn from the lowest to the highest, so that an upper floor covers a lower one. SVG's
//! second axis points down the page, hence the mirrored coordinate.

use crate::colours::{self, ColourBy, Rgb};
use crate::layers::{face_colours, points_of};
use crate::numbers::push_point;
use std::fmt::Write;
use surefoot_bake::StageView;
use surefoot_geom::Frame;
use surefoot_mesh::EdgeClass;

/// What a top view shows besides its faces.
#[derive(Clone, Debug, Default)]
pub struct SvgOptions<'a> {
    /// What faces are coloured by.
    pub colour_by: ColourBy,
    /// A path to draw over everything, in the user's frame.
    pub path: &'a [[f64; 3]],
    /// Leave out what lies higher than this along the up direction, in metres.
    pub cut_height_m: Option<f64>,
}

/// Draws a view from above.
#[must_use]
pub fn write_svg(view: &StageView, options: &SvgOptions<'_>) -> String {
    let page = Page::new(view, options);
    let mut out = String::with_capacity(256 + view.faces.len() * 96 + view.edges.len() * 48);
    page.push_head(&mut out);
    page.push_faces(&mut out);
    page.push_borders(&mut out);
    page.push_path(&mut out);
    out.push_str("</svg>\n");
    out
}

/// What is drawn, and where on the page.
struct Page<'a> {
    view: &'a StageView,
    options: &'a SvgOptions<'a>,
    frame: Frame,
    /// The faces that are drawn, from the lowest to the highest.
    faces: Vec<usize>,
    low: [f64; 2],
    size: [f64; 2],
    /// The width of a thin line.
    line: f64,
}

impl<'a> Page<'a> {
    fn new(view: &'a StageView, options: &'a SvgOptions<'a>) -> Self {
        let (low, size) = ([0.0; 2], [0.0; 2]);
        let frame = frame_of(view.up);
        let mut page = Self { view, options, frame, faces: Vec::new(), low, size, line: 0.0 };
        page.faces = page.faces_by_height();
        page.fit();
        page
    }

    /// A point on the page, and its height.
    fn plan(&self, p: [f64; 3]) -> ([f64; 2], f64) {
        let [x, y, z] = self.frame.canonical_from_user(p);
        ([x, -y], z)
    }

    fn is_below_cut(&self, z: f64) -> bool {
        self.options.cut_height_m.is_none_or(|cut| z <= cut)
    }

    /// Faces by height, equal ones in their own order.
    fn faces_by_height(&self) -> Vec<usize> {
        let height = |f| {
            let (n, sum) = points_of(f).fold((0_u32, 0.0), |(n, s), p| (n + 1, s + self.plan(p).1));
            sum / f64::from(n.max(1))
        };
        let mut faces: Vec<(f64, usize)> = self
            .view
            .faces
            .iter()
            .enumerate()
            .map(|(i, f)| (height(f), i))
            .filter(|&(z, _)| self.is_below_cut(z))
            .collect();
        faces.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        faces.into_iter().map(|(_, i)| i).collect()
    }

    /// Makes the page as large as what is drawn, with a margin.
    fn fit(&mut self) {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let drawn = self.faces.iter().flat_map(|&i| points_of(&self.view.faces[i]));
        let ends = self.view.edges.iter().flat_map(|e| [e.from, e.to]);
        for p in drawn.chain(ends).chain(self.options.path.iter().copied()) {
            let (p, _) = self.plan(p);
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        if !(low[0] <= high[0] && low[1] <= high[1]) {
            (low, high) = ([0.0; 2], [1.0; 2]);
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-3);
        let margin = extent * 0.03;
        self.line = extent / 1200.0;
        self.low = low.map(|c| c - margin);
        self.size = [high[0] - low[0] + 2.0 * margin, high[1] - low[1] + 2.0 * margin];
    }

    fn push_head(&self, out: &mut String) {
        let ([x, y], [width, height]) = (self.low, self.size);
        out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"");
        push_point(out, &[x, y, width, height], ' ');
        let _ = writeln!(
            out,
            "\" width=\"1200\" height=\"{}\">",
            (1200.0 * height / width).clamp(1.0, 60_000.0).round()
        );
        out.push_str("<rect x=\"");
        push_point(out, &[x], ' ');
        out.push_str("\" y=\"");
        push_point(out, &[y], ' ');
        out.push_str("\" width=\"100%\" height=\"100%\" fill=\"#fbfaf8\"/>\n");
    }

    fn push_faces(&self, out: &mut String) {
        let colours = face_colours(self.view, self.options.colour_by);
        out.push_str("<g stroke-linejoin=\"round\" fill-rule=\"evenodd\" stroke-width=\"");
        push_point(out, &[self.line * 0.6], ' ');
        out.push_str("\">\n");
        for &i in &self.faces {
            let colour = colours[i];
            out.push_str("<path fill=\"");
            push_colour(out, colour);
            out.push_str("\" stroke=\"");
            push_colour(out, colours::darker(colour, 0.7));
            out.push_str("\" d=\"");
            for l in &self.view.faces[i].loops {
                for (k, &p) in l.iter().enumerate() {
                    out.push(if k == 0 { 'M' } else { 'L' });
                    push_point(out, &self.plan(p).0, ' ');
                }
                out.push('Z');
            }
            out.push_str("\"/>\n");
        }
        out.push_str("</g>\n");
    }

    /// Borders by class over the faces; inner edges are already there as the faces' own outlines.
    fn push_borders(&self, out: &mut String) {
        use EdgeClass::{Blocked, Gap, InnerWall, Open, Step};
        for class in [Step, Gap, Open, InnerWall, Blocked] {
            let mut d = String::new();
            for e in self.view.edges.iter().filter(|e| e.class == class) {
                let ((a, za), (b, zb)) = (self.plan(e.from), self.plan(e.to));
                if self.is_below_cut(za.max(zb)) {
                    d.push('M');
                    push_point(&mut d, &a, ' ');
                    d.push('L');
                    push_point(&mut d, &b, ' ');
                }
            }
            if !d.is_empty() {
                out.push_str("<path fill=\"none\" stroke-linecap=\"round\" stroke=\"");
                push_colour(out, colours::class_colour(class));
                out.push_str("\" stroke-width=\"");
                push_point(out, &[self.line * 1.6], ' ');
                let _ = writeln!(out, "\" d=\"{d}\"/>");
            }
        }
    }

    fn push_path(&self, out: &mut String) {
        let path = self.options.path;
        if path.len() > 1 {
            out.push_str(
                "<polyline fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke=\"",
            );
            push_colour(out, colours::PATH);
            out.push_str("\" stroke-width=\"");
            push_point(out, &[self.line * 4.0], ' ');
            out.push_str("\" points=\"");
            for (i, &p) in path.iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                push_point(out, &self.plan(p).0, ',');
            }
            out.push_str("\"/>\n");
        }
        for &end in path.first().iter().chain(&path.last()) {
            let (p, _) = self.plan(*end);
            out.push_str("<circle fill=\"#ffffff\" stroke=\"");
            push_colour(out, colours::PATH);
            out.push_str("\" stroke-width=\"");
            push_point(out, &[self.line * 3.0], ' ');
            out.push_str("\" cx=\"");
            push_point(out, &[p[0]], ' ');
            out.push_str("\" cy=\"");
            push_point(out, &[p[1]], ' ');
            out.push_str("\" r=\"");
            push_point(out, &[self.line * 6.0], ' ');
            out.push_str("\"/>\n");
        }
    }
}

/// The frame of an up direction; Y up where it has none.
pub(crate) fn frame_of(up: [f64; 3]) -> Frame {
    Frame::with_up(up).or_else(|_| Frame::with_up([0.0, 1.0, 0.0])).expect("Y is a direction")
}

fn push_colour(out: &mut String, [r, g, b]: Rgb) {
    let _ = write!(out, "#{r:02x}{g:02x}{b:02x}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_bake::{ViewEdge, ViewFace};
    use surefoot_mesh::{AreaId, CellKind};

    fn square(y: f64) -> ViewFace {
        ViewFace {
            loops: vec![vec![[0.0, y, 0.0], [1.0, y, 0.0], [1.0, y, -2.0], [0.0, y, -2.0]]],
            triangles: Vec::new(),
            kind: if y > 1.0 { CellKind::Ramp } else { CellKind::Ground },
            area: AreaId(0),
            component: None,
        }
    }

    #[test]
    fn upper_floors_cover_lower_ones_and_can_be_cut_away() {
        let view = StageView {
            up: [0.0, 1.0, 0.0],
            faces: vec![square(3.0), square(0.0)],
            edges: vec![ViewEdge {
                from: [0.0; 3],
                to: [1.0, 0.0, 0.0],
                class: EdgeClass::Blocked,
            }],
            counts: Vec::new(),
        };
        let svg = write_svg(&view, &SvgOptions::default());
        let ground = svg.find("#48a6d0").unwrap();
        let ramp = svg.find("#7abe68").unwrap();
        assert!(ground < ramp);
        // Z grows down the page: the far side of the square is at its top.
        assert!(svg.contains("M0 0L1 0L1 -2L0 -2Z"));
        assert!(svg.contains("#c42830"));
        let cut = SvgOptions { cut_height_m: Some(2.0), ..SvgOptions::default() };
        assert!(!write_svg(&view, &cut).contains("#7abe68"));
    }

    #[test]
    fn an_empty_view_is_still_a_picture() {
        let svg = write_svg(&StageView::default(), &SvgOptions::default());
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("inf") && !svg.contains("NaN"));
    }
}
