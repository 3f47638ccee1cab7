//! Reads the meshes of navcat, which are plain JSON: tiles with points, polygons and detail meshes.

use super::error::ImportError;
use super::tiles::ForeignTile;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Mesh {
    tiles: BTreeMap<String, Tile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tile {
    vertices: Vec<f64>,
    polys: Vec<Polygon>,
    #[serde(default)]
    detail_meshes: Vec<Detail>,
    #[serde(default)]
    detail_vertices: Vec<f64>,
    /// Three corners and the flags of their edges.
    #[serde(default)]
    detail_triangles: Vec<u32>,
    #[serde(default)]
    walkable_height: f64,
    #[serde(default)]
    walkable_radius: f64,
    #[serde(default)]
    walkable_climb: f64,
}

#[derive(Deserialize)]
struct Polygon {
    vertices: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    vertices_base: usize,
    triangles_base: usize,
    vertices_count: usize,
    triangles_count: usize,
}

/// Tiles, with height, radius and climb of the agent that they were built for.
pub(super) fn read(text: &[u8]) -> Result<(Vec<ForeignTile>, [f64; 3]), ImportError> {
    let mesh: Mesh =
        serde_json::from_slice(text).map_err(|e| ImportError::Json { error: e.to_string() })?;
    let agent = mesh.tiles.values().next().ok_or(ImportError::Empty)?;
    let agent = [agent.walkable_height, agent.walkable_radius, agent.walkable_climb];
    let tiles: Result<Vec<ForeignTile>, ImportError> = mesh.tiles.into_values().map(tile).collect();
    Ok((tiles?, agent))
}

fn tile(tile: Tile) -> Result<ForeignTile, ImportError> {
    let points = points(&tile.vertices)?;
    let detail_points = self::points(&tile.detail_vertices)?;
    let corners_of = |detail: &Detail| {
        let first = detail.triangles_base.checked_mul(4)?;
        let count = detail.triangles_count.checked_mul(4)?;
        tile.detail_triangles.get(first..first.checked_add(count)?)
    };
    let mut details = Vec::with_capacity(tile.polys.len());
    for (i, polygon) in tile.polys.iter().enumerate() {
        if polygon.vertices.iter().any(|&p| p as usize >= points.len()) {
            return Err(damaged("a polygon's corner is a point that is not there"));
        }
        // Without points of its own a detail says nothing that the polygon does not.
        let Some(detail) = tile.detail_meshes.get(i).filter(|d| d.vertices_count > 0) else {
            details.push(Vec::new());
            continue;
        };
        let point = |&index: &u32| {
            let (own, index) = (&polygon.vertices, index as usize);
            own.get(index).map(|&p| points[p as usize]).or_else(|| {
                let beyond = (index - own.len()).checked_add(detail.vertices_base)?;
                detail_points.get(beyond).copied()
            })
        };
        let corners = corners_of(detail).ok_or_else(|| damaged("a detail mesh is cut off"))?;
        let triangles: Option<Vec<[[f64; 3]; 3]>> = corners
            .chunks_exact(4)
            .map(|c| Some([point(&c[0])?, point(&c[1])?, point(&c[2])?]))
            .collect();
        let missing = || damaged("a detail mesh names a point that is not there");
        details.push(triangles.ok_or_else(missing)?);
    }
    let polygons = tile.polys.into_iter().map(|p| p.vertices).collect();
    Ok(ForeignTile { points, polygons, details })
}

fn points(numbers: &[f64]) -> Result<Vec<[f64; 3]>, ImportError> {
    let (points, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() || !numbers.iter().all(|n| n.is_finite()) {
        return Err(damaged("its points are not three finite numbers each"));
    }
    Ok(points.to_vec())
}

fn damaged(what: &'static str) -> ImportError {
    ImportError::Damaged { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = r#"{"origin": [0, 0, 0], "tiles": {"7": {
        "id": 7, "walkableHeight": 2, "walkableRadius": 0.5, "walkableClimb": 0.25,
        "vertices": [0, 0, 0, 0, 0, 4, 4, 0, 4, 4, 0, 0],
        "polys": [{"vertices": [0, 1, 2, 3], "neis": [0, 0, 0, 0], "flags": 1, "area": 1}],
        "detailMeshes": [{"verticesBase": 0, "trianglesBase": 0, "verticesCount": 1, "trianglesCount": 4}],
        "detailVertices": [2, 1, 2],
        "detailTriangles": [0, 1, 4, 0, 1, 2, 4, 0, 2, 3, 4, 0, 3, 0, 4, 0]
    }}}"#;

    #[test]
    fn tiles_have_their_agent_polygons_and_details() {
        let (tiles, agent) = read(SQUARE.as_bytes()).unwrap();
        assert_eq!(agent.map(f64::to_bits), [2.0, 0.5, 0.25].map(f64::to_bits));
        assert_eq!((tiles.len(), tiles[0].points.len()), (1, 4));
        assert_eq!(tiles[0].polygons, [[0, 1, 2, 3]]);
        assert_eq!(tiles[0].details[0].len(), 4);
        let corner = tiles[0].details[0][0][2];
        assert_eq!(corner.map(f64::to_bits), [2.0, 1.0, 2.0].map(f64::to_bits));
    }

    #[test]
    fn what_is_not_there_is_told() {
        for (from, to, what) in [
            ("[0, 1, 2, 3]", "[0, 1, 2, 9]", "a polygon's corner"),
            (r#""trianglesCount": 4"#, r#""trianglesCount": 5"#, "is cut off"),
            (r#""trianglesBase": 0"#, r#""trianglesBase": 18446744073709551615"#, "is cut off"),
            ("[0, 1, 4, 0, 1", "[0, 1, 5, 0, 1", "names a point"),
            (r#""vertices": [0, 0, 0, 0, 0, 4,"#, r#""vertices": [0, 0, 4,"#, "corner"),
            (r#""vertices": [0, 0, 0, 0, 0, 4,"#, r#""vertices": [0, 4,"#, "three finite"),
            (r#""polys": ["#, r#""polys": [[], "#, "no mesh of navcat"),
        ] {
            let text = SQUARE.replacen(from, to, 1);
            assert_ne!(text, SQUARE);
            let told = read(text.as_bytes()).unwrap_err().to_string();
            assert!(told.contains(what), "{told}");
        }
        assert_eq!(read(br#"{"tiles": {}}"#), Err(ImportError::Empty));
    }
}
