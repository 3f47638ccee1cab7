//! Mazes on a grid whose graph is known: three parts grow from random cells, passage by passage,
//! until they fill the grid; then a few more passages inside the parts make loops.

use std::f64::consts::PI;

use crate::draft::Draft;
use crate::random::Random;
use crate::soup::Soup;
use crate::truth::Truth;

const CELL_M: f64 = 1.2;
const WALL_M: f64 = 0.1;
const HEIGHT_M: f64 = 2.0;
const PARTS: usize = 3;
const PAIRS: usize = 60;

/// Which walls stand. Cell (i, j) has its wall towards +X in `east[i * n + j]`, towards +Z in
/// `south`.
struct Plan {
    n: usize,
    east: Vec<bool>,
    south: Vec<bool>,
    part_of: Vec<usize>,
}

fn plan(n: usize, random: &mut Random) -> Plan {
    const NONE: usize = usize::MAX;
    let mut part_of = vec![NONE; n * n];
    let (mut east, mut south) = (vec![true; n * n], vec![true; n * n]);
    let open = |a: usize, b: usize, east: &mut [bool], south: &mut [bool]| {
        let (low, high) = (a.min(b), a.max(b));
        if high - low == n { east[low] = false } else { south[low] = false }
    };
    let neighbours = |cell: usize| {
        let (i, j) = (cell / n, cell % n);
        [
            (i > 0).then(|| cell - n),
            (i + 1 < n).then(|| cell + n),
            (j > 0).then(|| cell - 1),
            (j + 1 < n).then(|| cell + 1),
        ]
        .into_iter()
        .flatten()
    };
    // Passages from a cell of a part to one that may still be free.
    let mut frontier = Vec::new();
    let mut part = 0;
    while part < PARTS {
        let cell = random.below(n * n);
        if part_of[cell] == NONE {
            part_of[cell] = part;
            frontier.extend(neighbours(cell).map(|next| (cell, next)));
            part += 1;
        }
    }
    while !frontier.is_empty() {
        let (from, to) = frontier.swap_remove(random.below(frontier.len()));
        if part_of[to] == NONE {
            part_of[to] = part_of[from];
            open(from, to, &mut east, &mut south);
            frontier.extend(neighbours(to).map(|next| (to, next)));
        }
    }
    for _ in 0..n * n / 8 {
        let cell = random.below(n * n);
        let next = neighbours(cell).nth(random.below(2)).unwrap_or(cell);
        if next != cell && part_of[next] == part_of[cell] {
            open(cell, next, &mut east, &mut south);
        }
    }
    Plan { n, east, south, part_of }
}

impl Plan {
    /// Whether a wall stands on the line west of column `i`, along row `j`.
    fn upright(&self, i: usize, j: usize) -> bool {
        i == 0 || self.east[(i - 1) * self.n + j]
    }

    /// Whether a wall stands on the line north of row `j`, along column `i`.
    fn level(&self, i: usize, j: usize) -> bool {
        j == 0 || self.south[i * self.n + j - 1]
    }

    /// What erosion leaves of the floor, in closed form. Around every post, the four corners between
    /// two lines of walls are independent of each other, because passages are at least as wide as
    /// the agent.
    fn eroded_area(&self, radius_m: f64) -> f64 {
        let (n, r) = (self.n, radius_m);
        let mut free = (n * n) as f64 * CELL_M * CELL_M;
        for i in 0..=n {
            for j in 0..=n {
                // Walls that meet at the post between columns i-1, i and rows j-1, j.
                let north = j > 0 && self.upright(i, j - 1);
                let south = j < n && self.upright(i, j);
                let west = i > 0 && self.level(i - 1, j);
                let east = i < n && self.level(i, j);
                for (a, b, inside) in [
                    (north, west, i > 0 && j > 0),
                    (north, east, i < n && j > 0),
                    (south, west, i > 0 && j < n),
                    (south, east, i < n && j < n),
                ] {
                    free -= match (inside, a, b) {
                        (false, ..) => 0.0,
                        (true, true, true) => CELL_M * r - r * r,
                        (true, false, false) => 0.25 * PI * r * r,
                        (true, ..) => 0.5 * CELL_M * r,
                    };
                }
                // Half of a passage on each side of the post that has no wall.
                let open = [(north, j > 0), (south, j < n), (west, i > 0), (east, i < n)];
                let passages = open.iter().filter(|&&(wall, exists)| exists && !wall).count();
                free += passages as f64 * WALL_M * (0.5 * CELL_M - r);
            }
        }
        free
    }
}

pub(crate) fn draft(cells: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let n = cells as usize;
    let mut random = Random::new(seed, "maze");
    let plan = plan(n, &mut random);
    let pitch = CELL_M + WALL_M;
    let side = pitch * n as f64 + WALL_M;
    soup.block([0.0, -0.2, 0.0], [side, 0.0, side]);
    let start = |i: usize| pitch * i as f64;
    // Along X, posts and walls in runs as long as they go; along Z, walls between the posts.
    for j in 0..=n {
        let mut i = 0;
        while i <= n {
            let from = i;
            while i < n && plan.level(i, j) {
                i += 1;
            }
            let (z, end) = (start(j), start(i) + WALL_M);
            soup.block([start(from), 0.0, z], [end, HEIGHT_M, z + WALL_M]);
            i += 1;
        }
    }
    for i in 0..=n {
        for j in 0..n {
            if plan.upright(i, j) {
                let (x, z) = (start(i), start(j) + WALL_M);
                soup.block([x, 0.0, z], [x + WALL_M, HEIGHT_M, z + CELL_M]);
            }
        }
    }
    let middle = |cell: usize| {
        let half = WALL_M + 0.5 * CELL_M;
        [start(cell / n) + half, 0.0, start(cell % n) + half]
    };
    for k in 0..PAIRS.min(n * n) {
        let (a, b) = (random.below(n * n), random.below(n * n));
        let connected = plan.part_of[a] == plan.part_of[b];
        truth.pair(middle(a), middle(b), connected, format!("pair {k} of the maze"));
    }
    truth.free_points.extend((0..n * n).step_by(1 + n * n / 64).map(middle));
    for i in 0..n {
        let x = start(i) + 0.5 * WALL_M;
        truth.blocked_points.push([x, 0.0, 0.5 * WALL_M]);
        truth.eroded_points.push([start(i) + WALL_M + 0.5 * CELL_M, 0.0, WALL_M + 0.2]);
    }
    truth.ground_area_m2 = Some(side * side);
    truth.eroded_area_m2 = Some(plan.eroded_area(truth.agent.radius_m));
    Draft { soup, truth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maze_has_three_parts_and_pairs_of_both_kinds() {
        for seed in 0..5 {
            let mut random = Random::new(seed, "maze");
            let plan = plan(16, &mut random);
            let mut parts = plan.part_of.clone();
            parts.sort_unstable();
            parts.dedup();
            assert_eq!(parts.len(), PARTS);
        }
        let pairs = (0..8).flat_map(|seed| draft(16, seed).truth.pairs).collect::<Vec<_>>();
        let connected = pairs.iter().filter(|p| p.connected).count();
        assert!(connected > 50 && connected < pairs.len() - 50, "{connected}");
    }

    #[test]
    fn the_eroded_area_of_one_open_room_is_a_rectangle_with_a_round_post() {
        // Two by two cells with all four inner walls open leave one square post in the middle.
        let mut plan = plan(2, &mut Random::new(0, "maze"));
        plan.east = vec![false, false, true, true];
        plan.south = vec![false, true, false, true];
        let r = 0.3;
        let inner = 2.0 * CELL_M + WALL_M - 2.0 * r;
        let post = WALL_M * WALL_M + 4.0 * WALL_M * r + PI * r * r;
        assert!((plan.eroded_area(r) - (inner * inner - post)).abs() < 1e-9);
    }
}
