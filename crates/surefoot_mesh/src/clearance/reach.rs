//! What walls and corners block, cell by cell.
//!
//! In go the pieces of a mesh and a distance; out come convex regions, each within one piece, that
//! together are all places nearer to a wall than the distance. The nearest point of a wall is
//! reached by a straight line: either at right angles to the wall (a strip, followed as a beam of
//! parallel lines) or from a corner, between the beams of the two walls that meet there (a sector,
//! followed as a fan of lines).

use super::effort::{Effort, TooMuchWork};
use super::room::Room;
use crate::pieces::{NONE, Pieces, closest_on_segment, turn_angle};
use glam::DVec2;
use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::Range;

/// Fans narrower than this are none, in radians.
const NARROW_RAD: f64 = 1e-12;

/// Beams, and the windows that fans pass, are none where they are narrower than this, in metres: more
/// than rounding can make of nothing anywhere on the lattice. What is let through by rounding around a
/// vertex would go round it for ever.
const NARROW_M: f64 = 2e-11;

/// The most pieces that one beam or fan is followed through; more than any that is not damaged.
const MAX_WINDOWS: usize = 1 << 22;

/// The most sides of the polygon around a whole circle.
const MAX_SIDES: f64 = 512.0;

/// A directed line; what it blocks lies to its left.
#[derive(Clone, Copy, Debug)]
pub(super) struct BorderLine {
    pub(super) at: DVec2,
    /// Of unit length.
    pub(super) along: DVec2,
}

/// A convex region within a piece: what lies to the left of all of its lines.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    pub(super) piece: u32,
    lines: Range<usize>,
}

/// All that is blocked, sorted by piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Obstacles {
    lines: Vec<BorderLine>,
    all: Vec<Obstacle>,
}

impl Obstacles {
    pub(super) fn lines(&self, obstacle: &Obstacle) -> &[BorderLine] {
        &self.lines[obstacle.lines.clone()]
    }

    /// The obstacles of a piece, given those from it on; returns them and the rest.
    pub(super) fn all(&self) -> &[Obstacle] {
        &self.all
    }

    fn add(
        &mut self,
        piece: u32,
        lines: impl IntoIterator<Item = BorderLine>,
        effort: &mut Effort,
    ) -> Result<(), TooMuchWork> {
        let first = self.lines.len();
        self.lines.extend(lines);
        self.all.push(Obstacle { piece, lines: first..self.lines.len() });
        effort.keep_lines(self.lines.len())
    }
}

/// Finds everything nearer to a wall than `distance_m`, but for what lies in pieces that are shut.
pub(super) fn find_obstacles(
    pieces: &Pieces,
    room: &Room,
    distance_m: f64,
    chord_error_m: f64,
    effort: &mut Effort,
) -> Result<Obstacles, TooMuchWork> {
    let mut obstacles = Obstacles::default();
    if (0..pieces.piece_count() as u32).all(|piece| room.is_shut(piece, distance_m)) {
        return Ok(obstacles);
    }
    let most_sides_error_m = distance_m * (1.0 / (PI / MAX_SIDES).cos() - 1.0);
    let mut finder = Finder {
        pieces,
        room,
        effort,
        distance_m,
        chord_error_m: chord_error_m.max(most_sides_error_m),
        beams: Vec::new(),
        fans: Vec::new(),
        wedges: Vec::new(),
        directions: Vec::new(),
        tangents: Vec::new(),
    };
    let walls =
        || (0..pieces.edges.len() as u32).filter(|&e| pieces.edges[e as usize].twin == NONE);
    // Strips first: what is left of a piece after them is cut into fewer parts by the sectors.
    for wall in walls() {
        finder.follow_beam(wall, &mut obstacles)?;
    }
    for wall in walls() {
        finder.follow_corner(wall, &mut obstacles)?;
    }
    obstacles.all.sort_by_key(|o| o.piece);
    Ok(obstacles)
}

struct Finder<'a> {
    pieces: &'a Pieces,
    room: &'a Room,
    effort: &'a mut Effort,
    distance_m: f64,
    chord_error_m: f64,
    beams: Vec<Beam>,
    fans: Vec<Fan>,
    wedges: Vec<Wedge>,
    /// Directions in which a corner's arc must be exact, by angle.
    directions: Vec<f64>,
    /// Directions at which the polygon around a corner touches the arc, by angle.
    tangents: Vec<f64>,
}

/// Part of a wall's beam, within a piece: between two shares of the wall, in metres along it.
#[derive(Clone, Copy)]
struct Beam {
    piece: u32,
    entry: u32,
    from_m: f64,
    to_m: f64,
}

/// The lines from a corner that enter a piece, between two directions. Angles count from the
/// corner's outgoing wall, and go on beyond a full turn where the surface does.
#[derive(Clone, Copy)]
struct Fan {
    piece: u32,
    entry: u32,
    right_rad: f64,
    left_rad: f64,
    right: DVec2,
    left: DVec2,
}

/// A piece at a corner.
#[derive(Clone, Copy)]
struct Wedge {
    piece: u32,
    /// The edges of the piece that leave and that enter the corner.
    out: u32,
    back: u32,
    right_rad: f64,
    left_rad: f64,
}

impl Finder<'_> {
    fn follow_beam(&mut self, wall: u32, obstacles: &mut Obstacles) -> Result<(), TooMuchWork> {
        let pieces = self.pieces;
        let (a, b) = pieces.segment(wall);
        let length = a.distance(b);
        let along = (b - a) / length;
        let across = along.perp();
        let piece = pieces.edge_pieces[wall as usize];
        self.beams.clear();
        self.beams.push(Beam { piece, entry: wall, from_m: 0.0, to_m: length });
        let mut seen = 0;
        while let Some(beam) = self.beams.pop() {
            seen += 1;
            if seen > MAX_WINDOWS {
                return Err(TooMuchWork);
            }
            self.effort.spend(pieces.range(beam.piece).len())?;
            if !self.room.is_shut(beam.piece, self.distance_m) {
                let lines = [
                    BorderLine { at: a + across * self.distance_m, along: -along },
                    BorderLine { at: a + along * beam.from_m, along: -across },
                    BorderLine { at: a + along * beam.to_m, along: across },
                ];
                obstacles.add(beam.piece, lines, self.effort)?;
            }
            let (entry_from, entry_to) = pieces.segment(beam.entry);
            for i in pieces.range(beam.piece) {
                let edge = &pieces.edges[i];
                if i as u32 == beam.entry || edge.twin == NONE {
                    continue;
                }
                // The beam leaves through edges that run against the wall's direction.
                let (p, q) = pieces.segment(i as u32);
                let (share_p, share_q) = ((p - a).dot(along), (q - a).dot(along));
                let (from_m, to_m) = (share_q.max(beam.from_m), share_p.min(beam.to_m));
                if to_m - from_m <= NARROW_M {
                    continue;
                }
                let at = |s: f64| q + (p - q) * ((s - share_q) / (share_p - share_q));
                let (first, last) = (at(from_m), at(to_m));
                let middle = (first + last) * 0.5;
                let nearest = (first - a).dot(across).min((last - a).dot(across));
                // Beyond the entry, even where a piece is convex only up to the slack.
                let beyond = (entry_to - entry_from).perp_dot(middle - entry_from) > 0.0;
                let can_be_nearest = nearest <= self.room.most_m(edge.twin_piece);
                if nearest < self.distance_m && beyond && can_be_nearest {
                    self.beams.push(Beam {
                        piece: edge.twin_piece,
                        entry: edge.twin,
                        from_m,
                        to_m,
                    });
                }
            }
        }
        Ok(())
    }

    /// Follows the sector at the start of a wall, if the border turns away there.
    fn follow_corner(&mut self, wall: u32, obstacles: &mut Obstacles) -> Result<(), TooMuchWork> {
        let angle = self.gather_wedges(wall)?;
        if angle <= PI + NARROW_RAD {
            return Ok(());
        }
        let (corner, to) = self.pieces.segment(wall);
        let out = (to - corner).normalize();
        let (first_rad, last_rad) = (FRAC_PI_2, angle - FRAC_PI_2);
        // First a look around, twice as far: what stands so near that both leave no room between
        // them.
        self.directions.clear();
        let twice = 2.0 * (self.distance_m + self.chord_error_m);
        self.follow_fans(corner, out, first_rad, last_rad, twice, None)?;
        self.choose_tangents(first_rad, last_rad);
        let reach = self.distance_m + self.chord_error_m;
        self.follow_fans(corner, out, first_rad, last_rad, reach, Some(obstacles))
    }

    /// Collects the pieces around the start of a wall, counter-clockwise from the wall, and
    /// returns the angle that they take up.
    fn gather_wedges(&mut self, wall: u32) -> Result<f64, TooMuchWork> {
        let pieces = self.pieces;
        self.wedges.clear();
        let mut out = wall;
        let mut angle = 0.0;
        loop {
            let piece = pieces.edge_pieces[out as usize];
            let range = pieces.range(piece);
            let back = if out as usize == range.start { range.end as u32 - 1 } else { out - 1 };
            let (corner, to) = pieces.segment(out);
            let (from, _) = pieces.segment(back);
            let wedge = turn_angle(to - corner, from - corner);
            let (right_rad, left_rad) = (angle, angle + wedge);
            self.wedges.push(Wedge { piece, out, back, right_rad, left_rad });
            angle += wedge;
            let twin = pieces.edges[back as usize].twin;
            if twin == NONE {
                return Ok(angle);
            }
            self.effort.spend(1)?;
            out = twin;
        }
    }

    /// Follows the lines from a corner between two angles as far as `reach_m`. With obstacles,
    /// what they pass is blocked; without, the directions of walls are noted.
    fn follow_fans(
        &mut self,
        corner: DVec2,
        out: DVec2,
        first_rad: f64,
        last_rad: f64,
        reach_m: f64,
        mut obstacles: Option<&mut Obstacles>,
    ) -> Result<(), TooMuchWork> {
        self.fans.clear();
        let direction = |angle: f64| DVec2::from_angle(angle).rotate(out);
        for k in 0..self.wedges.len() {
            let wedge = self.wedges[k];
            let (right_rad, left_rad) =
                (wedge.right_rad.max(first_rad), wedge.left_rad.min(last_rad));
            if left_rad - right_rad <= NARROW_RAD {
                continue;
            }
            let fan = Fan {
                piece: wedge.piece,
                entry: NONE,
                right_rad,
                left_rad,
                right: direction(right_rad),
                left: direction(left_rad),
            };
            self.pass_fan(corner, &fan, [wedge.out, wedge.back], reach_m, &mut obstacles)?;
            let mut seen = 0;
            while let Some(fan) = self.fans.pop() {
                seen += 1;
                if seen > MAX_WINDOWS {
                    return Err(TooMuchWork);
                }
                self.pass_fan(corner, &fan, [fan.entry, NONE], reach_m, &mut obstacles)?;
            }
        }
        Ok(())
    }

    /// Blocks what a fan passes in its piece, and finds the edges through which it goes on.
    fn pass_fan(
        &mut self,
        corner: DVec2,
        fan: &Fan,
        not_through: [u32; 2],
        reach_m: f64,
        obstacles: &mut Option<&mut Obstacles>,
    ) -> Result<(), TooMuchWork> {
        let pieces = self.pieces;
        self.effort.spend(pieces.range(fan.piece).len())?;
        if let Some(obstacles) = obstacles
            && !self.room.is_shut(fan.piece, self.distance_m)
        {
            self.block_sector(corner, fan, obstacles)?;
        }
        for i in pieces.range(fan.piece) {
            if not_through.contains(&(i as u32)) {
                continue;
            }
            let (mut p, mut q) = pieces.segment(i as u32);
            // Clipped to the left of the right line and to the right of the left one.
            let mut hidden = false;
            for (ray, sign) in [(fan.right, 1.0), (fan.left, -1.0)] {
                let (side_p, side_q) =
                    (sign * ray.perp_dot(p - corner), sign * ray.perp_dot(q - corner));
                if side_p <= 0.0 && side_q <= 0.0 {
                    hidden = true;
                } else if side_p < 0.0 {
                    p += (q - p) * (side_p / (side_p - side_q));
                } else if side_q < 0.0 {
                    q = p + (q - p) * (side_p / (side_p - side_q));
                }
            }
            let (to_p, to_q) = ((p - corner).length(), (q - corner).length());
            let narrow = (NARROW_RAD * to_p.min(to_q)).max(NARROW_M) * to_p.max(to_q);
            if hidden || (p - corner).perp_dot(q - corner) <= narrow {
                continue;
            }
            let near = closest_on_segment(p, q, corner);
            if near.distance(corner) >= reach_m {
                continue;
            }
            let angle_to = |to: DVec2| {
                fan.right_rad + fan.right.perp_dot(to - corner).atan2(fan.right.dot(to - corner))
            };
            let edge = &pieces.edges[i];
            if edge.twin == NONE {
                if obstacles.is_none() {
                    self.directions.push(angle_to(near));
                }
                continue;
            }
            if fan.entry != NONE {
                let (from, to) = pieces.segment(fan.entry);
                if (to - from).perp_dot((p + q) * 0.5 - from) <= 0.0 {
                    continue;
                }
            }
            let window = [near.distance(corner), to_p.max(to_q)];
            if !self.can_matter(edge.twin_piece, window, reach_m, obstacles.is_some()) {
                continue;
            }
            self.fans.push(Fan {
                piece: edge.twin_piece,
                entry: edge.twin,
                right_rad: angle_to(p),
                left_rad: angle_to(q),
                right: (p - corner).normalize(),
                left: (q - corner).normalize(),
            });
        }
        Ok(())
    }

    /// Whether something behind a window can matter that is entered between two distances from a
    /// corner. A place can be nearest to the corner only where there is so much room. Where walls are
    /// looked for that leave none between them and the corner, the room becomes less again on the other
    /// half of the way: beyond the middle there is what is left of the reach.
    fn can_matter(&self, piece: u32, window: [f64; 2], reach_m: f64, blocks: bool) -> bool {
        let [nearest, farthest] = window;
        let room_m = self.room.most_m(piece);
        if blocks {
            nearest <= room_m
        } else {
            nearest.min(reach_m - farthest) <= room_m + 2.0 * self.chord_error_m
        }
    }

    /// The polygon around the part of an arc that a fan covers.
    fn block_sector(
        &mut self,
        corner: DVec2,
        fan: &Fan,
        obstacles: &mut Obstacles,
    ) -> Result<(), TooMuchWork> {
        // The tangents within the fan and the next on either side of it.
        let first = self.tangents.partition_point(|&t| t <= fan.right_rad).saturating_sub(1);
        let end =
            (self.tangents.partition_point(|&t| t < fan.left_rad) + 1).min(self.tangents.len());
        let towards = |angle: f64| DVec2::from_angle(angle - fan.right_rad).rotate(fan.right);
        let tangents = self.tangents[first..end].iter().map(|&t| {
            let out = towards(t);
            BorderLine { at: corner + out * self.distance_m, along: out.perp() }
        });
        let sides = [
            BorderLine { at: corner, along: fan.right },
            BorderLine { at: corner, along: -fan.left },
        ];
        obstacles.add(fan.piece, tangents.chain(sides), self.effort)
    }

    /// Spreads tangents over an arc: at its ends, in the directions that must be exact, and often
    /// enough between them.
    fn choose_tangents(&mut self, first_rad: f64, last_rad: f64) {
        self.directions.retain(|d| (first_rad..last_rad).contains(d));
        self.directions.push(first_rad);
        self.directions.push(last_rad);
        self.directions.sort_by(f64::total_cmp);
        // A polygon with tangents at this angle leaves the arc by the chord error in its corners.
        let widest = 2.0 * (self.distance_m / (self.distance_m + self.chord_error_m)).acos();
        self.tangents.clear();
        for pair in self.directions.windows(2) {
            let gap = pair[1] - pair[0];
            let parts = (gap / widest).ceil().max(1.0);
            if gap > 1e-9 {
                let step = gap / parts;
                self.tangents.extend((0..parts as u32).map(|k| pair[0] + f64::from(k) * step));
            }
        }
        self.tangents.push(last_rad);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::data::NavMeshData;

    /// Around a vertex on a straight border such a fan went through one edge and back by the next, for
    /// ever and doubling each time.
    #[test]
    fn a_fan_that_only_rounding_has_made_leads_no_farther() {
        let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, -4.0], [0.0, 0.0, -4.0]];
        let more = [[4.0, 0.0, -8.0], [0.0, 0.0, -8.0]];
        let points: Vec<[f32; 3]> = points.into_iter().chain(more).collect();
        let cells = [vec![0, 1, 2, 3], vec![3, 2, 4, 5]];
        let data = NavMeshData::from_polygons(&points, &cells, Agent::default(), [0.0, 1.0, 0.0]);
        let mesh = data.unwrap().validate().unwrap();
        let pieces = &mesh.ground.pieces;
        let (room, mut effort) = (Room::find(pieces, f64::INFINITY), Effort::for_edges(8));
        let mut finder = Finder {
            pieces,
            room: &room,
            effort: &mut effort,
            distance_m: 3.0,
            chord_error_m: 0.001,
            beams: Vec::new(),
            fans: Vec::new(),
            wedges: Vec::new(),
            directions: Vec::new(),
            tangents: Vec::new(),
        };
        let corner = DVec2::new(1.0, 2.0);
        let piece = (0..2).find(|&p| pieces.closest(p, corner) == corner).unwrap();
        for (width_rad, goes_on) in [(0.1, true), (1e-9, true), (1e-15, false)] {
            let (right_rad, left_rad) = (1.0, 1.0 + width_rad);
            let [right, left] = [right_rad, left_rad].map(DVec2::from_angle);
            let fan = Fan { piece, entry: NONE, right_rad, left_rad, right, left };
            finder.fans.clear();
            finder.pass_fan(corner, &fan, [NONE; 2], 6.0, &mut None).unwrap();
            assert_eq!(!finder.fans.is_empty(), goes_on, "{width_rad}");
        }
    }
}
