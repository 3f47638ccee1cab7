//! Divides a tile's ground further, into parts that are compact (`watershed`) or simple (`monotone`).
//!
//! Goes in: linked ground. Comes out: a part for every span of the tile. Parts end at the tile's edge.
//! Neither way changes which ground there is: the lift lays the borders of parts along edges of its
//! triangles.

mod monotone;
mod watershed;

use crate::settings::Regions;
use crate::voxel::segment::TileGround;

/// The part of every span of the tile; nothing where ground is not divided further.
pub(crate) fn divide(ground: &TileGround<'_>) -> Vec<u32> {
    match ground.regions {
        Regions::Flood | Regions::Flat => Vec::new(),
        Regions::Watershed => watershed::watershed(ground),
        Regions::Monotone => monotone::monotone(ground),
    }
}
