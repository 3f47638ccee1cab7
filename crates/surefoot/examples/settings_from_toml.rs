//! Settings from a file: what is left out has its default, a wrong key is told with the nearest, and a
//! scene that cannot be walked on says why.

#![allow(clippy::print_stdout)]

use std::error::Error;
use surefoot::{BakeError, BakeSettings, Scene, bake};

/// As `surefoot build --print-settings` writes it, with help for each; degrees, as on the command line.
const LEVEL: &str = r#"
method = "voxel"
min_area = 0.5

[agent]
radius = 0.25
max_slope = 40

[voxel]
cell_size = 0.08
regions = "watershed"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let settings: BakeSettings = toml::from_str(LEVEL)?;
    settings.check()?;
    println!("{} with a radius of {} m", settings.method, settings.agent.radius_m);
    // What is written is read again.
    assert_eq!(toml::from_str::<BakeSettings>(&toml::to_string(&settings)?)?, settings);

    let error = toml::from_str::<BakeSettings>("[agent]\nradios = 0.3").unwrap_err();
    println!("{}", error.message());

    // Wound so that it faces down.
    let points = [[0.0, 0.0, 0.0], [0.0, 0.0, 10.0], [10.0, 0.0, 10.0], [10.0, 0.0, 0.0]];
    let floor = Scene::from_triangles(&points, &[[0, 2, 1], [0, 3, 2]])?;
    match bake(&floor, &settings) {
        Err(error @ BakeError::NoGround { .. }) => println!("{error}"),
        other => return Err(format!("ground where there is none: {other:?}").into()),
    }
    let mesh = bake(&floor, &BakeSettings { two_sided: true, ..settings })?;
    println!("with two_sided: {:.1} m²", mesh.area_m2());
    Ok(())
}
