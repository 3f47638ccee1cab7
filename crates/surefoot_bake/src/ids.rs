//! Numbers of things that stand in lists: each kind a type of its own, so that none is taken for
//! another, and an optional one takes no more room than the number itself.

use std::num::NonZeroU32;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct $name(NonZeroU32);

        impl $name {
            /// From a number below `u32::MAX`.
            #[inline]
            pub(crate) const fn new(number: u32) -> Self {
                debug_assert!(number < u32::MAX);
                // One is added, so that zero is free to stand for none.
                Self(NonZeroU32::MIN.saturating_add(number))
            }

            #[inline]
            pub(crate) const fn number(self) -> u32 {
                self.0.get() - 1
            }

            #[inline]
            pub(crate) const fn index(self) -> usize {
                self.number() as usize
            }
        }
    };
}

id!(
    /// An edge of a surface, counted through all its faces and loops in order.
    SurfaceEdgeId
);
id!(
    /// An edge of a cell, counted through all cells.
    CellEdgeId
);
id!(
    /// A half-edge of a triangulation: three times its triangle, plus its place there.
    HalfEdgeId
);
id!(
    /// A border edge as it was before it was split.
    BorderLineId
);
id!(
    /// The place of an edge in a list of edges.
    EdgePlace
);
id!(
    /// A triangle of the soup.
    TriangleId
);
id!(
    /// Two edges that are each other's twins, while faces change and edges have no lasting numbers.
    PairMark
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_number_is_no_larger_than_a_number() {
        assert_eq!(size_of::<Option<SurfaceEdgeId>>(), size_of::<u32>());
        for number in [0, 1, u32::MAX - 1] {
            assert_eq!(SurfaceEdgeId::new(number).number(), number);
        }
    }
}
