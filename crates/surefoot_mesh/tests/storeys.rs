//! Paths between storeys that lie over one another, with doors on one line in plan, compared with
//! brute force over every corridor.

mod meshes;

use meshes::{Random, UP};
use surefoot_mesh::{
    Agent, Algorithm, CellId, EdgeClass, NavMesh, NavMeshData, Path, PathOptions, Query,
};

/// By how much a length may differ from the one worked out here, in metres.
const SAME_LENGTH_M: f64 = 1e-7;

/// Axes of the rooms.
const SQUARE: [At; 2] = [[1.0, 0.0], [0.0, 1.0]];
const SKEWED: [At; 2] = [[2.0, -1.0], [1.0, 3.0]];

/// A point of the plan.
type At = [f64; 2];

/// A room with axis-parallel walls; its floor is level and as high as its number, in metres.
#[derive(Clone, Copy, Debug)]
struct Room {
    low: [i32; 2],
    high: [i32; 2],
}

/// A door between two rooms that touch in plan: the first lies to its left or below, the second to
/// its right or above. However far apart their floors are, one step leads through.
#[derive(Clone, Copy, Debug)]
struct Door {
    rooms: [usize; 2],
    from: [i32; 2],
    to: [i32; 2],
}

impl Door {
    fn ends(&self) -> [At; 2] {
        [self.from, self.to].map(|p| p.map(f64::from))
    }

    fn beyond(&self, room: usize) -> Option<usize> {
        let at = self.rooms.iter().position(|&r| r == room)?;
        Some(self.rooms[1 - at])
    }
}

/// Rooms that may lie over one another, and the doors between them.
#[derive(Clone, Debug)]
struct House {
    rooms: Vec<Room>,
    doors: Vec<Door>,
    /// Where one step along either axis of the rooms leads in plan. What is straight stays straight.
    axes: [At; 2],
}

impl House {
    /// A house of rooms on a lattice so coarse that doors, corners and places often lie on one line.
    fn random(random: &mut Random, rooms: usize, width: usize, axes: [At; 2]) -> Self {
        let mut house = Self { rooms: Vec::new(), doors: Vec::new(), axes };
        for _ in 0..rooms {
            let low = [0, 1].map(|_| random.below(width) as i32);
            let high = low.map(|v| v + 1 + random.below(3) as i32);
            house.rooms.push(Room { low, high });
        }
        for _ in 0..rooms * rooms * 4 {
            let (a, b) = (random.below(rooms), random.below(rooms));
            let (across, along) = if random.share() < 0.5 { (0, 1) } else { (1, 0) };
            let (first, second) = (house.rooms[a], house.rooms[b]);
            let low = first.low[along].max(second.low[along]);
            let high = first.high[along].min(second.high[along]);
            if first.high[across] != second.low[across] || low >= high {
                continue;
            }
            let low = low + random.below((high - low) as usize) as i32;
            let high = low + 1 + random.below((high - low) as usize) as i32;
            let at = |v: i32| {
                let mut p = [first.high[across]; 2];
                p[along] = v;
                p
            };
            let door = Door { rooms: [a, b], from: at(low), to: at(high) };
            if !house.doors.iter().any(|other| house.share_wall(other, &door)) {
                house.doors.push(door);
            }
        }
        house
    }

    /// Whether two doors are in the same place of the wall of one room.
    fn share_wall(&self, a: &Door, b: &Door) -> bool {
        let same_side = (0..2).any(|side| a.rooms[side] == b.rooms[side]);
        let overlap = |k: usize| a.to[k].min(b.to[k]) - a.from[k].max(b.from[k]);
        same_side && overlap(0).min(overlap(1)) == 0 && overlap(0).max(overlap(1)) > 0
    }

    /// Where a place of the rooms lies in plan.
    fn plan(&self, [x, y]: At) -> At {
        let [right, ahead] = self.axes;
        [x * right[0] + y * ahead[0], x * right[1] + y * ahead[1]]
    }

    fn mesh(&self) -> NavMesh {
        let mut points = Vec::new();
        let mut outlines: Vec<Vec<[i32; 2]>> = Vec::new();
        let mut polygons = Vec::new();
        for (number, Room { low, high }) in self.rooms.iter().enumerate() {
            let mut outline = vec![*low, [high[0], low[1]], *high, [low[0], high[1]]];
            let doors = self.doors.iter().filter(|d| d.rooms.contains(&number));
            outline.extend(doors.flat_map(|d| [d.from, d.to]));
            // Counter-clockwise, side by side.
            outline.sort_by_key(|&[x, y]| {
                if y == low[1] && x < high[0] {
                    (0, x)
                } else if x == high[0] && y < high[1] {
                    (1, y)
                } else if y == high[1] && x > low[0] {
                    (2, -x)
                } else {
                    (3, -y)
                }
            });
            outline.dedup();
            let first = points.len() as u32;
            points.extend(outline.iter().map(|p| {
                let [x, y] = self.plan(p.map(f64::from));
                [x as f32, y as f32, number as f32]
            }));
            polygons.push((first..points.len() as u32).collect::<Vec<u32>>());
            outlines.push(outline);
        }
        let mut data =
            NavMeshData::from_polygons(&points, &polygons, Agent::default(), UP).unwrap();
        for door in &self.doors {
            let edges = door.rooms.map(|room| {
                let outline = &outlines[room];
                let edge = (0..outline.len()).find(|&i| {
                    let ends = [outline[i], outline[(i + 1) % outline.len()]];
                    ends == [door.from, door.to] || ends == [door.to, door.from]
                });
                data.cell_first_edges[room] as usize + edge.unwrap()
            });
            for (edge, twin) in [(edges[0], edges[1]), (edges[1], edges[0])] {
                data.edge_twins[edge] = twin as u32;
                data.edge_classes[edge] = EdgeClass::Step;
            }
        }
        data.validate().unwrap()
    }

    /// The length of the shortest way in plan: that through the best of all rows of doors that enter
    /// no room twice.
    fn shortest(&self, from: (usize, At), to: (usize, At)) -> Option<f64> {
        let mut best = None;
        self.try_doors(from.1, to, &mut vec![from.0], &mut Vec::new(), &mut best);
        best
    }

    fn try_doors(
        &self,
        start: At,
        goal: (usize, At),
        rooms: &mut Vec<usize>,
        doors: &mut Vec<[At; 2]>,
        best: &mut Option<f64>,
    ) {
        let room = rooms[rooms.len() - 1];
        if room == goal.0 {
            let length = self.length_through(start, doors, goal.1);
            *best = Some(best.map_or(length, |b: f64| b.min(length)));
            return;
        }
        for door in &self.doors {
            if let Some(next) = door.beyond(room)
                && !rooms.contains(&next)
            {
                rooms.push(next);
                doors.push(door.ends());
                self.try_doors(start, goal, rooms, doors, best);
                rooms.pop();
                doors.pop();
            }
        }
    }

    /// The length of the shortest line through doors one after another. It turns at ends of doors
    /// only, so of all legs between those that cross the doors between them the shortest row is
    /// looked for.
    fn length_through(&self, start: At, doors: &[[At; 2]], goal: At) -> f64 {
        let mut stops = vec![(start, 0)];
        stops.extend(doors.iter().enumerate().flat_map(|(i, d)| d.map(|end| (end, i + 1))));
        stops.push((goal, doors.len() + 1));
        let mut lengths = vec![f64::INFINITY; stops.len()];
        lengths[0] = 0.0;
        for j in 1..stops.len() {
            for i in 0..j {
                let ((a, first), (b, last)) = (stops[i], stops[j]);
                if first < last && crosses(a, b, &doors[first..last - 1]) {
                    let [x, y] = self.plan([b[0] - a[0], b[1] - a[1]]);
                    lengths[j] = lengths[j].min(lengths[i] + x.hypot(y));
                }
            }
        }
        lengths[stops.len() - 1]
    }

    fn find(&self, query: &mut Query<'_>, ends: [(usize, At); 2], algorithm: Algorithm) -> Path {
        let options = PathOptions { algorithm, ..PathOptions::default() };
        let [from, to] = ends.map(|(room, at)| {
            let [x, y] = self.plan(at);
            [x, y, room as f64]
        });
        query.find_path_with(from, to, &options).unwrap()
    }

    /// Compares the optimal path with brute force; returns its length, if there is a way at all.
    fn check(&self, query: &mut Query<'_>, ends: [(usize, At); 2]) -> Option<f64> {
        let best = self.shortest(ends[0], ends[1])?;
        let path = self.find(query, ends, Algorithm::Optimal);
        assert!(
            (path.plan_length_m - best).abs() < SAME_LENGTH_M,
            "{} instead of {best} from {:?} to {:?} by {:?} in {self:?}",
            path.plan_length_m,
            ends[0],
            ends[1],
            path.cells,
        );
        Some(best)
    }

    /// A place of a room, mostly on the lattice of its corners, so that lengths along a wall are exact.
    fn random_place(&self, random: &mut Random) -> (usize, At) {
        let room = random.below(self.rooms.len());
        let Room { low, high } = self.rooms[room];
        let at = [0, 1].map(|k| {
            let steps = if random.share() < 0.25 { 8 } else { 1 };
            let step = random.below((high[k] - low[k]) as usize * steps + 1);
            f64::from(low[k]) + step as f64 / steps as f64
        });
        (room, at)
    }
}

/// Whether the straight line from `a` to `b` meets doors one after another.
fn crosses(a: At, b: At, doors: &[[At; 2]]) -> bool {
    // Shares of a line that are the same but for rounding.
    const SAME_SHARE: f64 = 1e-9;
    let mut reached = 0.0_f64;
    doors.iter().all(|[from, to]| {
        // The shares of the line between which it lies over the door, by either coordinate.
        let (mut low, mut high) = (reached, 1.0_f64);
        for k in 0..2 {
            let way = b[k] - a[k];
            let ends = [from[k] - a[k], to[k] - a[k]];
            if way != 0.0 {
                let shares = ends.map(|e| e / way);
                low = low.max(shares[0].min(shares[1]));
                high = high.min(shares[0].max(shares[1]));
            } else if ends[0] > 0.0 || ends[1] < 0.0 {
                return false;
            }
        }
        reached = low;
        low <= high + SAME_SHARE
    })
}

/// Two rooms beside one another at different heights, a door far off in the wall between them and a
/// way around the wall's other end. From places right on the wall the door is seen edge-on.
#[test]
fn a_door_on_the_line_of_start_and_goal_is_not_between_them() {
    let rooms = vec![
        Room { low: [0, 0], high: [3, 5] },
        Room { low: [3, 0], high: [6, 5] },
        Room { low: [2, 5], high: [4, 7] },
    ];
    let doors = vec![
        Door { rooms: [0, 1], from: [3, 0], to: [3, 1] },
        Door { rooms: [0, 2], from: [2, 5], to: [3, 5] },
        Door { rooms: [1, 2], from: [3, 5], to: [4, 5] },
    ];
    for flipped in [false, true] {
        // Upside down the door lies to the other side.
        let flip = |p: [i32; 2]| if flipped { [p[0], 7 - p[1]] } else { p };
        let mut house = House { rooms: Vec::new(), doors: Vec::new(), axes: SQUARE };
        for Room { low, high } in &rooms {
            let (a, b) = (flip(*low), flip(*high));
            let (low, high) = ([a[0], a[1].min(b[1])], [b[0], a[1].max(b[1])]);
            house.rooms.push(Room { low, high });
        }
        for &Door { rooms, from, to } in &doors {
            let (a, b) = (flip(from), flip(to));
            house.doors.push(Door { rooms, from: a.min(b), to: a.max(b) });
        }
        let mesh = house.mesh();
        let mut query = Query::new(&mesh);
        let at = |y: f64| [3.0, if flipped { 7.0 - y } else { y }];
        for (from_y, to_y) in [(3.5, 3.5), (4.0, 3.5), (3.5, 4.0), (2.75, 4.0), (4.0, 2.75)] {
            for rooms in [[0, 1], [1, 0]] {
                let (from, to) = ((rooms[0], at(from_y)), (rooms[1], at(to_y)));
                let path = house.find(&mut query, [from, to], Algorithm::Optimal);
                let around = (5.0 - from_y) + (5.0 - to_y);
                assert!(
                    (path.plan_length_m - around).abs() < SAME_LENGTH_M,
                    "{} instead of {around} from {from:?} to {to:?}",
                    path.plan_length_m
                );
                assert!((house.shortest(from, to).unwrap() - around).abs() < SAME_LENGTH_M);
                assert_eq!(path.cells[1], CellId(2));
            }
        }
    }
}

/// From the start two doors lie on a line ahead, and behind them two ways come to one corner: one
/// turns there to the right and one to the left, and only the second leads straight on to the goal.
#[test]
fn ways_that_turn_to_either_side_of_a_corner_are_both_kept() {
    let rooms = vec![
        Room { low: [1, 1], high: [2, 4] },
        Room { low: [0, 0], high: [1, 3] },
        Room { low: [1, 0], high: [3, 3] },
        Room { low: [0, 0], high: [1, 3] },
        Room { low: [1, 1], high: [4, 4] },
        Room { low: [1, 0], high: [4, 1] },
    ];
    let doors = vec![
        Door { rooms: [1, 0], from: [1, 2], to: [1, 3] },
        Door { rooms: [1, 2], from: [1, 1], to: [1, 2] },
        Door { rooms: [3, 2], from: [1, 0], to: [1, 1] },
        Door { rooms: [3, 4], from: [1, 2], to: [1, 3] },
        Door { rooms: [1, 5], from: [1, 0], to: [1, 1] },
        Door { rooms: [5, 4], from: [1, 1], to: [3, 1] },
    ];
    for axes in [SQUARE, SKEWED] {
        let house = House { rooms: rooms.clone(), doors: doors.clone(), axes };
        house.check(&mut Query::new(&house.mesh()), [(0, [1.0, 3.0]), (4, [3.0, 4.0])]);
        house.check(&mut Query::new(&house.mesh()), [(4, [3.0, 4.0]), (0, [1.0, 3.0])]);
    }
}

/// The start lies on a wall but for rounding, and the goal on the same line: two doors in the wall lie
/// behind the start, and rounding must not make either of them a way out ahead.
#[test]
fn a_straight_walk_does_not_leave_through_a_door_behind_it() {
    let rooms = vec![
        Room { low: [0, 2], high: [2, 5] },
        Room { low: [2, 3], high: [3, 6] },
        Room { low: [2, 2], high: [3, 3] },
    ];
    let doors = vec![
        Door { rooms: [0, 1], from: [2, 3], to: [2, 4] },
        Door { rooms: [0, 1], from: [2, 4], to: [2, 5] },
        Door { rooms: [2, 1], from: [2, 3], to: [3, 3] },
    ];
    let house = House { rooms, doors, axes: SKEWED };
    let mesh = house.mesh();
    let mut query = Query::new(&mesh);
    let mut random = Random(3);
    for _ in 0..500 {
        let [from, to] = [2.0 + random.share(), 2.0];
        house.check(&mut query, [(0, [2.0, from]), (2, [2.0, to])]);
    }
}

#[test]
fn random_storeys_agree_with_brute_force() {
    let mut random = Random(1);
    let (mut pairs, mut over_one_place, mut longer) = (0, 0, 0);
    for round in 0..1000 {
        let rooms = 3 + random.below(8);
        let width = 2 + random.below(4);
        let axes = if round % 3 == 0 { SKEWED } else { SQUARE };
        let house = House::random(&mut random, rooms, width, axes);
        let mesh = house.mesh();
        let mut query = Query::new(&mesh);
        for _ in 0..20 {
            let [from, mut to] = [0, 1].map(|_| house.random_place(&mut random));
            let Room { low, high } = house.rooms[to.0];
            let covers = |k: usize| (f64::from(low[k])..=f64::from(high[k])).contains(&from.1[k]);
            // Often straight above the start or below it.
            let is_over = covers(0) && covers(1) && random.share() < 0.5;
            if is_over {
                to.1 = from.1;
            }
            let Some(best) = house.check(&mut query, [from, to]) else { continue };
            let portals = house.find(&mut query, [from, to], Algorithm::AStar).plan_length_m;
            assert!(portals > best - SAME_LENGTH_M, "round {round}: {portals} instead of {best}");
            pairs += 1;
            over_one_place += usize::from(is_over && from.0 != to.0);
            longer += usize::from(portals > best + SAME_LENGTH_M);
        }
        assert_eq!(query.fallbacks(), 0, "round {round}");
    }
    assert!(pairs > 8000 && over_one_place > 600, "only {over_one_place} of {pairs}");
    assert!(longer > 50, "only in {longer} of {pairs} houses the choice of doors matters");
}
