//! The colours of every picture and dump, in one place.
//!
//! Components take hues in the order of their size, the largest first, so that the main ground looks
//! the same in every picture and what is cut off from it stands out.

use surefoot_mesh::{CellKind, EdgeClass};

/// A colour as red, green and blue, each from 0 to 255 on the sRGB scale.
pub type Rgb = [u8; 3];

/// What faces are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ColourBy {
    /// The connected piece; the kind where no piece is known, and for fillers of gaps.
    #[default]
    Component,
    /// Ground, ramp or gap filler.
    Kind,
}

/// Hues for components in order of size; the first is the main ground.
const COMPONENTS: [Rgb; 10] = [
    [72, 166, 208],
    [240, 158, 76],
    [122, 190, 104],
    [196, 120, 190],
    [226, 198, 76],
    [222, 104, 104],
    [96, 196, 176],
    [150, 130, 214],
    [178, 160, 128],
    [232, 148, 176],
];

/// The colour of a component by its rank in size.
#[must_use]
pub(crate) fn component_colour(rank: usize) -> Rgb {
    COMPONENTS[rank % COMPONENTS.len()]
}

/// The colour of what this table does not know yet.
const UNKNOWN: Rgb = [128, 128, 128];

/// The colour of a kind of cell.
#[must_use]
pub(crate) fn kind_colour(kind: CellKind) -> Rgb {
    match kind {
        CellKind::Ground => [72, 166, 208],
        CellKind::Ramp => [122, 190, 104],
        CellKind::Gap => [164, 214, 44],
        _ => UNKNOWN,
    }
}

/// The colour of a class of edge.
#[must_use]
pub(crate) fn class_colour(class: EdgeClass) -> Rgb {
    match class {
        EdgeClass::Inner => [38, 96, 128],
        EdgeClass::Step => [46, 150, 62],
        EdgeClass::Open => [232, 124, 24],
        EdgeClass::Blocked => [196, 40, 48],
        EdgeClass::InnerWall => [132, 42, 150],
        EdgeClass::Gap => [216, 176, 16],
        _ => UNKNOWN,
    }
}

/// The colour of paths.
pub(crate) const PATH: Rgb = [222, 34, 84];

/// The colour of the scene's triangles.
pub(crate) const SCENE: Rgb = [206, 203, 197];

/// Ranks components by size: `sizes[i]` is the size of component `i`; the result gives each its
/// rank, the largest 0, equal ones in order of their number.
#[must_use]
pub(crate) fn rank_components(sizes: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    let mut ranks = vec![0; sizes.len()];
    for (rank, &component) in order.iter().enumerate() {
        ranks[component] = rank;
    }
    ranks
}

/// The same colour, darker: `share` 1 keeps it, 0 is black.
#[must_use]
pub(crate) fn darker(colour: Rgb, share: f32) -> Rgb {
    colour.map(|c| (f32::from(c) * share).round().clamp(0.0, 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_component_takes_the_first_hue() {
        assert_eq!(rank_components(&[1.0, 5.0, 5.0, 2.0]), vec![3, 0, 1, 2]);
        assert_ne!(component_colour(0), component_colour(1));
        assert_eq!(component_colour(0), component_colour(10));
    }
    #[test]
    fn every_kind_and_class_has_a_colour_of_its_own() {
        let kinds = CellKind::ALL.iter().map(|&kind| kind_colour(kind));
        let classes = EdgeClass::ALL.iter().map(|&class| class_colour(class));
        let mut colours: Vec<Rgb> = kinds.chain(classes).chain([UNKNOWN]).collect();
        let count = colours.len();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), count);
    }
}
