//! What counts as a position: three numbers in the user's frame, of either width.

mod sealed {
    pub trait Sealed {}
    impl Sealed for [f32; 3] {}
    impl Sealed for [f64; 3] {}
}

/// A position in the user's frame, in metres: `[f32; 3]`, or `[f64; 3]` where a scene lies so far
/// from zero that `f32` would lose centimetres.
pub trait Position: Copy + sealed::Sealed {
    /// The coordinates.
    fn coordinates(self) -> [f64; 3];
}

impl Position for [f32; 3] {
    fn coordinates(self) -> [f64; 3] {
        self.map(f64::from)
    }
}

impl Position for [f64; 3] {
    fn coordinates(self) -> [f64; 3] {
        self
    }
}
