//! Divides a tile's ground further, into parts that are compact (`watershed`) or simple (`monotone`).
//!
//! Goes in: linked ground. Comes out: a part for every span of the tile. Parts end at the tile's edge.
//! Neither way changes which ground there is: the lift lays the borders of parts along edges of its
//! triangles.

mod monotone;
mod watershed;

use crate::settings::Regions;
use crate::voxel::segment::TileGround;

/// How a tile's ground is divided.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The part of every span of the tile; nothing where ground is not divided further.
    pub(crate) part_of: Vec<u32>,
    /// The distance of every span to the boundary, in links, where parts are made from it.
    pub(crate) distances: Vec<u32>,
}

pub(crate) fn divide(ground: &TileGround<'_>) -> Parts {
    match ground.regions {
        Regions::Flood | Regions::Flat => Parts::default(),
        Regions::Watershed => {
            let distances = watershed::distances(ground);
            Parts { part_of: watershed::watershed(ground, &distances), distances }
        }
        Regions::Monotone => Parts { part_of: monotone::monotone(ground), distances: Vec::new() },
    }
}
