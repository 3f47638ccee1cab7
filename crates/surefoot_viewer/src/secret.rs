//! Numbers that nobody can guess.
//!
//! The system's randomness goes in; out come 32 bytes as hexadecimal digits. One is the key in the
//! viewer's address, which tells the person who started it from all others on the machine; one names
//! the page that holds the viewer.

use std::hint::black_box;

/// A secret as text.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// A new one; `None` where the system gives no random numbers.
    pub(crate) fn new() -> Option<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is the secret. How long that takes says nothing of how much of it is right.
    pub(crate) fn is(&self, text: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), text.as_bytes());
        let differing = own.iter().zip(other).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        own.len() == other.len() && differing == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_itself_alone() {
        let (secret, other) = (Secret::new().unwrap(), Secret::new().unwrap());
        assert!(secret.is(secret.text()) && secret.text().len() == 64);
        assert!(!secret.is(other.text()) && secret.text() != other.text());
        assert!(!secret.is("") && !secret.is(&secret.text()[..63]));
        assert!(!secret.is(&format!("{}0", secret.text())));
        assert!(!secret.is(&secret.text().to_uppercase().replace('0', "O")));
    }
}
