//! What the stages of the layered pipeline make and read: from the three grids to the linked depth maps. No
//! stage is known here.

#[cfg(test)]
pub(crate) mod any_numbers;
pub(crate) mod cuts;
pub(crate) mod cutting_shape;
pub(crate) mod distance_field;
pub(crate) mod face;
pub(crate) mod fine_map;
pub(crate) mod layers;
pub(crate) mod line;
pub(crate) mod linked_map;
pub(crate) mod probe;
pub(crate) mod scales;
pub(crate) mod slices;
pub(crate) mod terrain;
pub(crate) mod triangle_plane;
