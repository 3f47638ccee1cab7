//! `surefoot view`: the viewer, which this version does not have.

use crate::args::ViewArgs;
use crate::outcome::{Answer, Failure};

pub(crate) fn run(args: &ViewArgs) -> Result<Answer, Failure> {
    let what = args.files.first().map_or_else(String::new, |f| format!("{}: ", f.display()));
    Err(Failure::failed(format!(
        "{what}the viewer is not part of this version; `surefoot export mesh.snav -o mesh.png` \
         draws a mesh, and .glb opens in any 3D program"
    )))
}
