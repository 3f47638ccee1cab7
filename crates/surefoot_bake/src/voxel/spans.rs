//! Solid spans and ground: what a window of columns holds.

/// In [`SolidSpan::area`]: the top cannot be walked on.
pub(crate) const NO_GROUND: u16 = u16::MAX;

/// A solid part of a column, in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SolidSpan {
    pub(crate) lo: i32,
    pub(crate) top: i32,
    /// The ground's height in the middle of the column, and how much it rises over it.
    pub(crate) ground: i32,
    pub(crate) rise: i32,
    pub(crate) area: u16,
    /// What the top is where it is no ground.
    pub(crate) other: OtherTop,
    pub(crate) made: Made,
}

/// What a top is that is no ground by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherTop {
    /// Anything: where it is low, it is stepped over.
    Plain,
    /// It faces up, too steeply.
    Steep,
    /// Its tag says that it is in the way, however low.
    Obstacle,
}

/// What makes the top of a span ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// A surface that can be walked on.
    Surface,
    /// A steep surface that is stepped over.
    Riser,
    /// Nothing: a gap that is stepped over.
    Bridge,
}

impl SolidSpan {
    /// Ground across a gap.
    pub(crate) const fn bridge(height: i32, rise: i32, area: u16) -> Self {
        let (other, made) = (OtherTop::Plain, Made::Bridge);
        Self { lo: height, top: height, ground: height, rise, area, other, made }
    }

    pub(crate) const fn is_ground(&self) -> bool {
        self.area != NO_GROUND
    }

    /// The height of the ground on it.
    pub(crate) const fn height(&self) -> i32 {
        self.ground
    }

    pub(crate) const fn area(&self) -> u16 {
        self.area
    }

    /// The lowest and the highest point of the ground on it.
    pub(crate) const fn ground_range(&self) -> [i32; 2] {
        // The middle of the two was rounded down.
        let lo = self.ground.saturating_sub(self.rise / 2 + 1);
        [lo, lo.saturating_add(self.rise).saturating_add(2)]
    }

    /// Whether the top is too steep, but faces up.
    pub(crate) const fn is_steep(&self) -> bool {
        matches!(self.other, OtherTop::Steep) && !self.is_ground()
    }

    pub(crate) const fn make_ground(&mut self, area: u16, made: Made) {
        (self.area, self.made) = (area, made);
    }

    /// Something to sort by.
    pub(crate) const fn key(&self) -> (i32, u16) {
        (self.rise, self.area)
    }
}

/// Solid spans and ground over a window, flat arrays column by column.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Where each column's solid spans begin, and one past the last at the end.
    pub(crate) solid_firsts: Vec<u32>,
    pub(crate) solids: Vec<SolidSpan>,
    /// Where each column's ground begins, and one past the last at the end.
    pub(crate) firsts: Vec<u32>,
    /// The ground.
    pub(crate) grounds: Vec<GroundSpan>,
}

/// Ground with head room, heights in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundSpan {
    pub(crate) height: i32,
    /// How much it rises over its column.
    pub(crate) rise: i32,
    /// Where the solid under it ends.
    pub(crate) top: i32,
    /// Where the next solid above begins.
    pub(crate) ceiling: i32,
    /// Its area type.
    pub(crate) area: u16,
    /// What makes it ground.
    pub(crate) made: Made,
}

impl Columns {
    /// The solid spans of a column, from below.
    #[inline]
    pub(crate) fn solids_of(&self, column: usize) -> &[SolidSpan] {
        let from = self.solid_firsts[column] as usize;
        &self.solids[from..self.solid_firsts[column + 1] as usize]
    }

    /// The column of a solid span.
    pub(crate) fn column_of_solid(&self, solid: u32) -> usize {
        self.solid_firsts.partition_point(|&first| first <= solid) - 1
    }

    /// Adds solid spans, sorted by column.
    pub(crate) fn insert_solids(&mut self, added: &[(u32, SolidSpan)]) {
        let old = std::mem::take(&mut self.solids);
        let mut next = added.iter().peekable();
        self.solids.reserve(old.len() + added.len());
        for column in 0..self.solid_firsts.len() - 1 {
            let [from, to] = [self.solid_firsts[column], self.solid_firsts[column + 1]];
            let first = self.solids.len();
            self.solids.extend_from_slice(&old[from as usize..to as usize]);
            let mut mixed = false;
            while let Some((_, span)) = next.next_if(|(c, _)| *c as usize == column) {
                self.solids.push(*span);
                mixed = true;
            }
            if mixed {
                self.solids[first..].sort_by_key(|s| (s.lo, s.top));
            }
            self.solid_firsts[column] = first as u32;
        }
        let last = self.solid_firsts.len() - 1;
        self.solid_firsts[last] = self.solids.len() as u32;
    }

    /// Number of ground spans.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.grounds.len()
    }

    /// The ground spans of a column.
    #[inline]
    pub(crate) fn span_range(&self, column: usize) -> std::ops::Range<u32> {
        self.firsts[column]..self.firsts[column + 1]
    }
}
