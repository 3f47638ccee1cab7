//! Reads Detour's tile sets: the files that Recast's demo program and most tools around it write.
//!
//! A set begins with `MSET` (version 1), the grid of tiles and then each tile with its reference and
//! size, 32 or 64 bits wide; a tile begins with `DNAV` (version 7). A single tile is taken too. Of each
//! tile the points, the polygons and their detail meshes are read; neighbours follow from where the
//! polygons lie. Connections off the mesh carry nobody and are left out. Numbers are little-endian, and
//! none is believed before it is compared with the bytes that are there.

use super::error::ImportError;
use super::tiles::ForeignTile;

const SET_MARK: [u8; 4] = *b"TESM";
const TILE_MARK: [u8; 4] = *b"VAND";
const SET_VERSION: u32 = 1;
const TILE_VERSION: u32 = 7;

/// Bytes of a set's header: mark, version, number of tiles, and the grid.
const SET_HEADER: usize = 12 + 28;
const TILE_HEADER: usize = 100;
const POLYGON: usize = 32;
const CORNERS: usize = 6;
const DETAIL: usize = 12;

/// What a set says of itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DetourSet {
    pub(super) tiles: Vec<ForeignTile>,
    /// Height, radius and climb of the agent that it was built for.
    pub(super) agent: [f64; 3],
}

/// Reads a set of tiles, or one tile.
pub(super) fn read(bytes: &[u8]) -> Result<DetourSet, ImportError> {
    let from = Bytes(bytes);
    if from.mark(0)? == TILE_MARK {
        let (tile, agent) = read_tile(bytes)?;
        return Ok(DetourSet { tiles: vec![tile], agent });
    }
    if from.mark(0)? != SET_MARK {
        return Err(damaged("it begins neither as a tile set (MSET) nor as a tile (DNAV)"));
    }
    if from.u32(4)? != SET_VERSION {
        return Err(damaged("its version is not 1"));
    }
    let count = from.u32(8)?;
    let (mut tiles, mut agent, mut at) = (Vec::new(), None, SET_HEADER);
    for _ in 0..count {
        // Empty tiles end a set early in files of some tools.
        if at == bytes.len() || from.u32(at)? == 0 {
            break;
        }
        // A reference and a size, then the tile; where references have 64 bits, twice as wide.
        let (size_at, tile_at) = if from.mark(at + 8).is_ok_and(|mark| mark == TILE_MARK) {
            (at + 4, at + 8)
        } else {
            (at + 8, at + 16)
        };
        let size = from.u32(size_at)? as usize;
        let end = tile_at.checked_add(size).filter(|end| *end <= bytes.len());
        let end = end.ok_or_else(|| damaged("a tile is longer than the file"))?;
        let (tile, own) = read_tile(&bytes[tile_at..end])?;
        tiles.push(tile);
        agent.get_or_insert(own);
        at = end;
    }
    Ok(DetourSet { tiles, agent: agent.ok_or(ImportError::Empty)? })
}

fn read_tile(bytes: &[u8]) -> Result<(ForeignTile, [f64; 3]), ImportError> {
    let from = Bytes(bytes);
    if from.mark(0)? != TILE_MARK || from.u32(4)? != TILE_VERSION {
        return Err(damaged("a tile is not of version 7 (DNAV)"));
    }
    let count = |number: usize| from.u32(24 + 4 * number).map(|n| n as usize);
    let (polygons, vertices, links) = (count(0)?, count(1)?, count(2)?);
    let (details, detail_vertices, detail_triangles) = (count(3)?, count(4)?, count(5)?);
    let agent = [0, 1, 2].map(|k| from.f32(60 + 4 * k));
    let [height, radius, climb] = agent;
    let agent = [height?, radius?, climb?].map(f64::from);

    let vertices_at = TILE_HEADER;
    let polygons_at = from.skip(vertices_at, vertices, 12)?;
    let links_at = from.skip(polygons_at, polygons, POLYGON)?;
    // Links have 12 bytes, and 16 where references have 64 bits; only the right width makes sense of
    // what follows, which every polygon of the ground has.
    let layout = |link_bytes: usize| -> Option<[usize; 3]> {
        let details_at = from.skip(links_at, links, link_bytes).ok()?;
        let vertices_at = from.skip(details_at, details, DETAIL).ok()?;
        let triangles_at = from.skip(vertices_at, detail_vertices, 12).ok()?;
        from.skip(triangles_at, detail_triangles, 4).ok()?;
        let is_sound = (0..details).all(|i| {
            let at = details_at + DETAIL * i;
            let within = |first: usize, size: usize, all: usize| {
                let numbers = from.u32(first).ok().zip(bytes.get(size));
                numbers.is_some_and(|(first, count)| first as usize + usize::from(*count) <= all)
            };
            within(at, at + 8, detail_vertices) && within(at + 4, at + 9, detail_triangles)
        });
        is_sound.then_some([details_at, vertices_at, triangles_at])
    };
    let [details_at, detail_vertices_at, detail_triangles_at] =
        layout(12)
            .or_else(|| layout(16))
            .ok_or_else(|| damaged("a tile's detail meshes do not fit into it"))?;

    let mut tile = ForeignTile::default();
    for v in 0..vertices {
        tile.points.push(from.point(vertices_at + 12 * v)?);
    }
    for p in 0..polygons {
        let at = polygons_at + POLYGON * p;
        let (corners, kind) = (usize::from(from.u8(at + 30)?), from.u8(at + 31)? >> 6);
        if kind != 0 {
            continue;
        }
        if !(3..=CORNERS).contains(&corners) {
            return Err(damaged("a polygon has not 3 to 6 corners"));
        }
        let mut polygon = Vec::with_capacity(corners);
        for k in 0..corners {
            let corner = from.u16(at + 4 + 2 * k)?;
            if usize::from(corner) >= vertices {
                return Err(damaged("a polygon's corner is a point that is not there"));
            }
            polygon.push(u32::from(corner));
        }
        let mut triangles = Vec::new();
        if p < details {
            let detail = details_at + DETAIL * p;
            let (first_vertex, first) =
                (from.u32(detail)? as usize, from.u32(detail + 4)? as usize);
            let (own, count) = (from.u8(detail + 8)?, from.u8(detail + 9)?);
            // Without points of its own it says nothing that the polygon does not.
            for t in (0..usize::from(count)).take_while(|_| own > 0) {
                let mut triangle = [[0.0; 3]; 3];
                for (k, corner) in triangle.iter_mut().enumerate() {
                    let index = usize::from(from.u8(detail_triangles_at + 4 * (first + t) + k)?);
                    *corner = match polygon.get(index) {
                        Some(&p) => tile.points[p as usize],
                        None if index - corners < usize::from(own) => {
                            from.point(detail_vertices_at + 12 * (first_vertex + index - corners))?
                        }
                        None => {
                            return Err(damaged("a detail mesh names a point that is not there"));
                        }
                    };
                }
                triangles.push(triangle);
            }
        }
        tile.polygons.push(polygon);
        tile.details.push(triangles);
    }
    Ok((tile, agent))
}

fn damaged(what: &'static str) -> ImportError {
    ImportError::Damaged { what }
}

/// Numbers at places that may not be there.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], ImportError> {
        let bytes = at.checked_add(N).and_then(|end| self.0.get(at..end));
        bytes.and_then(|b| b.try_into().ok()).ok_or_else(|| damaged("it ends too early"))
    }

    fn mark(&self, at: usize) -> Result<[u8; 4], ImportError> {
        self.array(at)
    }

    fn u8(&self, at: usize) -> Result<u8, ImportError> {
        self.array::<1>(at).map(|[b]| b)
    }

    fn u16(&self, at: usize) -> Result<u16, ImportError> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Result<u32, ImportError> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn f32(&self, at: usize) -> Result<f32, ImportError> {
        self.array(at).map(f32::from_le_bytes)
    }

    fn point(&self, at: usize) -> Result<[f64; 3], ImportError> {
        let [x, y, z] = [self.f32(at)?, self.f32(at + 4)?, self.f32(at + 8)?].map(f64::from);
        let is_finite = x.is_finite() && y.is_finite() && z.is_finite();
        if is_finite { Ok([x, y, z]) } else { Err(damaged("a point is not finite")) }
    }

    /// Where so many elements end, if they are all there.
    fn skip(&self, at: usize, count: usize, bytes: usize) -> Result<usize, ImportError> {
        let end = count.checked_mul(bytes).and_then(|size| at.checked_add(size));
        let end = end.filter(|end| *end <= self.0.len());
        end.ok_or_else(|| damaged("it ends too early"))
    }
}
