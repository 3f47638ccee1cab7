//! Charts as SVG: lines over one axis, with a legend beside them.
//!
//! In go named series of points; out comes the text of an SVG file. Axes are linear or logarithmic; a
//! logarithmic one has a line at 1, 2 and 5 of every decade that it covers.

use std::fmt::Write;

const COLOURS: [&str; 6] = ["#1f6f8b", "#c8553d", "#588157", "#8d6a9f", "#b08900", "#444c56"];

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<[f64; 2]>,
}

/// An axis: where its lines are, and what they are called.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it measures.
    pub title: String,
    /// The values that have a line, with their labels, the least first.
    pub ticks: Vec<(f64, String)>,
    /// Whether distances are ratios.
    pub logarithmic: bool,
}

impl Axis {
    /// A linear axis with these ticks.
    #[must_use]
    pub fn linear(title: &str, ticks: &[(f64, String)]) -> Self {
        Self { title: title.to_owned(), ticks: ticks.to_vec(), logarithmic: false }
    }

    /// A logarithmic axis that covers these values.
    #[must_use]
    pub fn logarithmic(
        title: &str,
        values: impl Iterator<Item = f64>,
        label: impl Fn(f64) -> String,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| *v > 0.0 && v.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if !(low <= high) {
            (low, high) = (1.0, 10.0);
        }
        let mut ticks: Vec<f64> = Vec::new();
        let (first, last) = (low.log10().floor() as i32, high.log10().floor() as i32);
        // Many decades need no lines within them.
        let within: &[f64] = if last - first > 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        for decade in first..=last + 1 {
            ticks.extend(within.iter().map(|k| k * 10.0_f64.powi(decade)));
        }
        // One line beyond the values on either side.
        let begin = ticks.iter().rposition(|t| *t <= low * 1.000_001).unwrap_or(0);
        let end = ticks.iter().position(|t| *t >= high * 0.999_999).unwrap_or(ticks.len() - 1);
        let ticks = ticks[begin..=end.max(begin)].iter().map(|&t| (t, label(t))).collect();
        Self { title: title.to_owned(), ticks, logarithmic: true }
    }

    /// The place of a value along the axis, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.logarithmic { v.log10() } else { v };
        let (Some(first), Some(last)) = (self.ticks.first(), self.ticks.last()) else { return 0.0 };
        let (low, high) = (scale(first.0), scale(last.0));
        if high > low { (scale(value) - low) / (high - low) } else { 0.5 }
    }
}

/// Text that XML takes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draws lines. Points mark the values where `dots` is set.
#[must_use]
pub fn draw_lines(title: &str, series: &[Series], x: &Axis, y: &Axis, dots: bool) -> String {
    let (left, top, width, height) = (58.0, 30.0, 412.0, 250.0);
    let x_at = |v: f64| left + width * x.share(v);
    let y_at = |v: f64| top + height * (1.0 - y.share(v));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 330\" \
         font-family=\"sans-serif\" font-size=\"11\" fill=\"#333\">\n\
         <rect width=\"720\" height=\"330\" fill=\"#fff\"/>\n\
         <text x=\"{left}\" y=\"16\" font-weight=\"bold\">{}</text>\n",
        escaped(title)
    );
    for (value, label) in &y.ticks {
        let at = y_at(*value);
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left + width,
            left - 6.0,
            at + 4.0,
            escaped(label)
        );
    }
    for (value, label) in &x.ticks {
        let at = x_at(*value);
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{:.1}\" stroke=\"#eee\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            top + height,
            top + height + 16.0,
            escaped(label)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text x=\"{}\" y=\"16\" text-anchor=\"end\">{}</text>",
        left + width / 2.0,
        top + height + 36.0,
        escaped(&x.title),
        left + width,
        escaped(&y.title)
    );
    for (n, line) in series.iter().enumerate() {
        let colour = COLOURS[n % COLOURS.len()];
        let dash = if n < COLOURS.len() { "" } else { " stroke-dasharray=\"5 3\"" };
        let points: Vec<String> =
            line.points.iter().map(|p| format!("{:.1},{:.1}", x_at(p[0]), y_at(p[1]))).collect();
        let at = top + 6.0 + 18.0 * n as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>\
             <line x1=\"490\" x2=\"512\" y1=\"{at}\" y2=\"{at}\" stroke=\"{colour}\" \
             stroke-width=\"1.6\"{dash}/><text x=\"518\" y=\"{}\">{}</text>",
            points.join(" "),
            at + 4.0,
            escaped(&line.name)
        );
        if dots {
            for p in &line.points {
                let (cx, cy) = (x_at(p[0]), y_at(p[1]));
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.4\" fill=\"{colour}\"/>"
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The exponent of growth through points of size and cost, by least squares of their logarithms; `None`
/// for fewer than two sizes.
#[must_use]
pub fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let count = logs.len() as f64;
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / count;
    let (mx, my) = (mean(0), mean(1));
    let across: f64 = logs.iter().map(|p| (p[0] - mx) * (p[1] - my)).sum();
    let along: f64 = logs.iter().map(|p| (p[0] - mx).powi(2)).sum();
    (logs.len() >= 2 && along > 0.0).then_some(across / along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let square: Vec<[f64; 2]> = (1..9).map(f64::from).map(|n| [n, 3.0 * n * n]).collect();
        assert!((exponent(&square).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(exponent(&[[1.0, 1.0]]), None);
        assert_eq!(exponent(&[[2.0, 1.0], [2.0, 3.0]]), None);
    }

    #[test]
    fn a_logarithmic_axis_covers_its_values_and_little_more() {
        let axis = Axis::logarithmic("ms", [3.0, 450.0].into_iter(), |t| format!("{t}"));
        let ticks: Vec<&str> = axis.ticks.iter().map(|t| t.1.as_str()).collect();
        assert_eq!(ticks, ["2", "5", "10", "20", "50", "100", "200", "500"]);
        assert!(axis.share(2.0).abs() < 1e-12 && (axis.share(500.0) - 1.0).abs() < 1e-12);
        let wide = Axis::logarithmic("ms", [0.2, 90_000.0].into_iter(), |t| format!("{t}"));
        assert_eq!(wide.ticks.len(), 7);
        let none = Axis::logarithmic("ms", std::iter::empty(), |t| format!("{t}"));
        assert!(none.ticks.len() >= 2);
    }

    #[test]
    fn a_chart_has_a_line_for_each_series_and_no_bare_signs() {
        let series = [
            Series { name: "a < b".to_owned(), points: vec![[1.0, 1.0], [10.0, 20.0]] },
            Series { name: "c & d".to_owned(), points: vec![[1.0, 2.0]] },
        ];
        let values = || series.iter().flat_map(|s| &s.points);
        let x = Axis::logarithmic("triangles", values().map(|p| p[0]), |t| t.to_string());
        let y = Axis::logarithmic("ms", values().map(|p| p[1]), |t| t.to_string());
        let svg = draw_lines("times", &series, &x, &y, true);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a &lt; b") && svg.contains("c &amp; d"));
    }
}
