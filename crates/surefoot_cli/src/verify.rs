//! `surefoot verify`: an independent check of a mesh, which this version does not have.

use crate::args::VerifyArgs;
use crate::outcome::{Answer, Failure};

pub(crate) fn run(args: &VerifyArgs) -> Result<Answer, Failure> {
    // Named in the message, so that a script's log says what was not checked.
    let what = args.mesh.display();
    let scenes = args.scenes.len();
    Err(Failure::failed(format!(
        "{what}: not checked against its {scenes} scene file{}: verification is not part of this \
         version; `surefoot info` checks the structure of a mesh by loading it",
        if scenes == 1 { "" } else { "s" }
    )))
}
