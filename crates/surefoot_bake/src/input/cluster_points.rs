//! Makes one point of all points in a cell of a uniform grid (Rossignac and Borrel 1993; Sanchez 2021,
//! §4.0.3).
//!
//! Goes in: the points of a scene on the lattice and its triangles. Comes out: the same points, those of
//! one cell at one place: that of the point with the largest triangle, so that large features keep
//! their corners. Triangles smaller than a cell have no area afterwards and are left out by the
//! reader. For clouds of tiny triangles through one another, such as grass, gravel and scanned foliage,
//! of which each would be a step or an obstacle. What is right for them moves walls by up to a cell,
//! so it is off unless asked for.

use crate::input::points::{Point3, normal_units};
use std::cmp::Reverse;
use surefoot_geom::threads::prelude::*;

/// Moves points to the representative of their cell, whose side is given in lattice units.
pub(crate) fn cluster_points(points: &mut [Point3], triangles: &[[u32; 3]], cell_units: i32) {
    let mut weights = vec![0.0_f64; points.len()];
    for t in triangles {
        let [a, b, c] = t.map(|p| points[p as usize]);
        let area = normal_units(a, b, c).length_squared();
        for &p in t {
            weights[p as usize] = weights[p as usize].max(area);
        }
    }
    let cell = |p: Point3| p.map(|v| v.div_euclid(cell_units));
    // Squared areas are not negative, so their bits are in their order.
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.par_sort_unstable_by_key(|&i| {
        let p = points[i as usize];
        (cell(p), Reverse(weights[i as usize].to_bits()), p)
    });
    let mut at = 0;
    while at < order.len() {
        let first = points[order[at] as usize];
        let key = cell(first);
        let len = order[at..].iter().take_while(|&&i| cell(points[i as usize]) == key).count();
        for &i in &order[at..at + len] {
            points[i as usize] = first;
        }
        at += len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_one_cell_go_to_the_corner_of_the_largest_triangle() {
        let mut points =
            vec![[1, 1, 1], [5000, 0, 0], [0, 5000, 0], [3, 2, 4], [9, 9, 9], [12, 3, 3]];
        let triangles = [[0, 1, 2], [3, 4, 5]];
        cluster_points(&mut points, &triangles, 10);
        assert_eq!(points[3], [1, 1, 1]);
        assert_eq!(points[4], [1, 1, 1]);
        assert_eq!(points[5], [12, 3, 3], "another cell");
        assert_eq!(points[1], [5000, 0, 0]);
    }

    #[test]
    fn the_order_of_the_input_does_not_matter() {
        let mut one = vec![[-3, 2, 0], [-1, -1, 5], [4, 4, 4]];
        let mut two = vec![[4, 4, 4], [-3, 2, 0], [-1, -1, 5]];
        cluster_points(&mut one, &[[0, 1, 2]], 8);
        cluster_points(&mut two, &[[1, 2, 0]], 8);
        one.sort_unstable();
        two.sort_unstable();
        assert_eq!(one, two);
    }
}
