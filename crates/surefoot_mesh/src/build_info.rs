//! How a mesh was built, as far as it matters to those who judge it: what its boundaries and heights
//! can be held to, and what the build was told to leave out.

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
}

/// Numbers of a build's settings in a file.
pub(crate) const BUILD_NUMBERS: usize = 8;

impl BuildInfo {
    /// The numbers that stand for it in a file.
    pub(crate) fn to_numbers(self) -> [f64; BUILD_NUMBERS] {
        [
            f64::from(self.method as u8),
            self.cell_size_m,
            self.cell_height_m,
            self.gap_distance_m,
            self.stair_slope_rad,
            self.min_area_m2,
            f64::from(u8::from(self.two_sided) + 2 * u8::from(self.keep_inside)),
            f64::from(u8::from(self.seeded)),
        ]
    }

    /// What the numbers of a file stand for; the first one that stands for nothing otherwise.
    pub(crate) fn from_numbers(numbers: [f64; BUILD_NUMBERS]) -> Result<Self, usize> {
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
        };
        info.first_fault().map_or(Ok(info), Err)
    }

    /// The first number that is no size.
    pub(crate) fn first_fault(&self) -> Option<usize> {
        self.to_numbers().iter().position(|v| !(v.is_finite() && *v >= 0.0))
    }
}
