//! How a mesh was built, as far as it matters to those who judge it: what its boundaries and heights
//! can be held to, and what the build was told to leave out.

use std::num::FpCategory;

/// Which pipeline built a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum BuildMethod {
    /// On the geometry itself, without voxels.
    #[default]
    Exact = 0,
    /// Tiled voxels.
    Voxel = 1,
    /// Layers of depth maps.
    Layered = 2,
    /// Walls, ceilings, planets.
    AnySurface = 3,
}

impl BuildMethod {
    const ALL: [Self; 4] = [Self::Exact, Self::Voxel, Self::Layered, Self::AnySurface];

    /// The name used on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Voxel => "voxel",
            Self::Layered => "layered",
            Self::AnySurface => "any-surface",
        }
    }
}

/// How a mesh was built. Queries do not look at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildInfo {
    /// Which pipeline.
    pub method: BuildMethod,
    /// The side of a cell of its grid, in metres; zero where it has none.
    pub cell_size_m: f64,
    /// The height of a cell of its grid, in metres; zero where it has none.
    pub cell_height_m: f64,
    /// Gaps in the ground up to this width were closed, in metres.
    pub gap_distance_m: f64,
    /// The steepest bridge laid between treads that are apart in plan, in radians; zero where none
    /// were laid.
    pub stair_slope_rad: f64,
    /// Patches smaller than this were dropped, in m².
    pub min_area_m2: f64,
    /// Whether triangles that face down counted as ground.
    pub two_sided: bool,
    /// Whether ground inside solids was kept.
    pub keep_inside: bool,
    /// Whether only what can be reached from seeds was kept.
    pub seeded: bool,
    /// Gaps up to this width were filled before the radius was kept, in metres; zero where none were to
    /// be.
    pub fill_gaps_m: f64,
}

/// Numbers of a build's settings in a file: always, and where gaps were filled.
pub(crate) const BUILD_NUMBERS: usize = 8;
pub(crate) const BUILD_NUMBERS_WITH_GAPS: usize = 9;

impl BuildInfo {
    /// The numbers that stand for it in a file.
    pub(crate) fn to_numbers(self) -> Vec<f64> {
        let mut numbers = vec![
            f64::from(self.method as u8),
            self.cell_size_m,
            self.cell_height_m,
            self.gap_distance_m,
            self.stair_slope_rad,
            self.min_area_m2,
            f64::from(u8::from(self.two_sided) + 2 * u8::from(self.keep_inside)),
            f64::from(u8::from(self.seeded)),
        ];
        // One form alone: a zero is left out. What makes no sense is kept, to be found.
        if self.fill_gaps_m.classify() != FpCategory::Zero {
            numbers.push(self.fill_gaps_m);
        }
        numbers
    }

    /// What the numbers of a file, eight or nine, stand for; the first one that stands for nothing
    /// otherwise.
    pub(crate) fn from_numbers(numbers: &[f64]) -> Result<Self, usize> {
        let fill_gaps_m = match numbers.get(BUILD_NUMBERS) {
            Some(&width_m) if width_m > 0.0 => width_m,
            Some(_) => return Err(BUILD_NUMBERS),
            None => 0.0,
        };
        let bits = |v: f64| (v + 0.0).to_bits();
        let small = |index: usize, end: u8| {
            (0..end).find(|&s| bits(f64::from(s)) == bits(numbers[index])).ok_or(index)
        };
        let switches = small(6, 4)?;
        let method = BuildMethod::ALL
            .into_iter()
            .find(|&m| bits(f64::from(m as u8)) == bits(numbers[0]))
            .ok_or(0_usize)?;
        let info = Self {
            method,
            cell_size_m: numbers[1],
            cell_height_m: numbers[2],
            gap_distance_m: numbers[3],
            stair_slope_rad: numbers[4],
            min_area_m2: numbers[5],
            two_sided: switches & 1 != 0,
            keep_inside: switches & 2 != 0,
            seeded: small(7, 2)? == 1,
            fill_gaps_m,
        };
        info.first_fault().map_or(Ok(info), Err)
    }

    /// The first number that is no size.
    pub(crate) fn first_fault(&self) -> Option<usize> {
        self.to_numbers().iter().position(|v| !(v.is_finite() && *v >= 0.0))
    }
}

/// Which triangles of the scene a build left out, or took for ground or for none, by patterns of their
/// tags. Queries do not look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagRules {
    /// Triangles that were left out.
    pub ignore: Vec<String>,
    /// Triangles that are never ground.
    pub obstacle: Vec<String>,
    /// Triangles that are ground, whatever their slope or side.
    pub ground: Vec<String>,
}

impl TagRules {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ignore.is_empty() && self.obstacle.is_empty() && self.ground.is_empty()
    }

    /// Whether a pattern can be kept in a file: something, on one line.
    #[must_use]
    pub fn is_pattern(text: &str) -> bool {
        !text.is_empty() && !text.chars().any(char::is_control)
    }

    /// The first pattern that cannot be kept in a file.
    pub(crate) fn first_fault(&self) -> Option<&str> {
        let all = self.ignore.iter().chain(&self.obstacle).chain(&self.ground);
        all.map(String::as_str).find(|pattern| !Self::is_pattern(pattern))
    }

    /// A line for each pattern, in the order of the fields.
    pub(crate) fn to_text(&self) -> String {
        let named = [IGNORE, OBSTACLE, GROUND].into_iter();
        let lists = [&self.ignore, &self.obstacle, &self.ground];
        let lines = named.zip(lists).flat_map(|(name, list)| list.iter().map(move |p| (name, p)));
        lines.map(|(name, pattern)| format!("{name} {pattern}\n")).collect()
    }

    /// What a text stands for; where in it, in bytes, something else begins.
    pub(crate) fn from_text(text: &str) -> Result<Self, usize> {
        let mut rules = Self::default();
        let (mut at, mut latest) = (0, 0);
        for line in text.split_inclusive('\n') {
            let words = line.strip_suffix('\n').and_then(|line| line.split_once(' '));
            let (name, pattern) = words.ok_or(at)?;
            let order = [IGNORE, OBSTACLE, GROUND].iter().position(|n| *n == name).ok_or(at)?;
            // One form alone: otherwise one mesh could be two files.
            if order < latest || !Self::is_pattern(pattern) {
                return Err(at);
            }
            latest = order;
            let lists = [&mut rules.ignore, &mut rules.obstacle, &mut rules.ground];
            lists.into_iter().skip(order).take(1).for_each(|list| list.push(pattern.to_owned()));
            at += line.len();
        }
        if rules.is_empty() { Err(0) } else { Ok(rules) }
    }
}

const IGNORE: &str = "ignore";
const OBSTACLE: &str = "obstacle";
const GROUND: &str = "ground";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_back_from_their_text_and_from_no_other() {
        let words = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect::<Vec<String>>();
        let rules = TagRules {
            ignore: words(&["*glass*", "a b"]),
            obstacle: Vec::new(),
            ground: words(&["*"]),
        };
        let text = rules.to_text();
        assert_eq!(text, "ignore *glass*\nignore a b\nground *\n");
        assert_eq!(TagRules::from_text(&text), Ok(rules));
        for (text, at) in [
            ("", 0),
            ("ignore", 0),
            ("ignore \n", 0),
            ("ignore a", 0),
            ("ignore a\nwater b\n", 9),
            ("ground a\nignore b\n", 9),
            ("ignore a\r\n", 0),
        ] {
            assert_eq!(TagRules::from_text(text), Err(at), "{text:?}");
        }
    }
}
