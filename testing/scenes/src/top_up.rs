//! The last few triangles: scenes of a stated size get loose stones, and where not even a stone
//! fits, a pennant, until the number is right.

use crate::random::Random;
use crate::soup::Soup;

/// Adds stones of four triangles at random places until the soup has `target` triangles. A
/// remainder of up to three becomes upright pennants, single triangles without a back. A soup that
/// is large enough stays as it is.
pub(crate) fn top_up(
    soup: &mut Soup,
    target: usize,
    random: &mut Random,
    mut place: impl FnMut(&mut Random) -> [f64; 3],
) {
    while soup.len() + 4 <= target {
        let at = place(random);
        let size = random.between(0.02, 0.06);
        soup.pebble(at, size, random.between(0.0, 360.0));
    }
    while soup.len() < target {
        let [x, y, z] = place(random);
        soup.triangle([[x, y + 2.2, z], [x + 0.4, y + 2.3, z], [x, y + 2.4, z]]);
    }
}
