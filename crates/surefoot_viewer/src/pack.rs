//! Arrays of numbers as one block of bytes that a page can use where it lies.
//!
//! Named arrays and a small description go in; out comes `SFV1`, the length of a JSON header as a
//! little-endian `u32`, the header, and the arrays in little-endian order, each beginning at a
//! multiple of eight bytes. The page lays typed arrays over the received block and copies nothing.

use serde_json::{Value, json};

/// The first four bytes.
const MAGIC: &[u8; 4] = b"SFV1";

/// Every array begins at a multiple of this.
const ALIGNMENT: usize = 8;

/// A block that is being filled.
#[derive(Default)]
pub(crate) struct Pack {
    data: Vec<u8>,
    sections: Vec<Value>,
}

impl Pack {
    fn add<const N: usize, T: Copy>(
        &mut self,
        name: &str,
        kind: &str,
        values: impl ExactSizeIterator<Item = T>,
        bytes_of: impl Fn(T) -> [u8; N],
    ) {
        let offset = self.data.len();
        let count = values.len();
        self.data.reserve(count * N + ALIGNMENT);
        values.for_each(|v| self.data.extend_from_slice(&bytes_of(v)));
        self.data.resize(self.data.len().next_multiple_of(ALIGNMENT), 0);
        self.sections.push(json!({ "name": name, "type": kind, "offset": offset, "count": count }));
    }

    pub(crate) fn f32(&mut self, name: &str, values: &[f32]) {
        self.add(name, "f32", values.iter().copied(), f32::to_le_bytes);
    }

    /// Triples, one after the other.
    pub(crate) fn points(&mut self, name: &str, values: &[[f32; 3]]) {
        self.f32(name, values.as_flattened());
    }

    pub(crate) fn u32(&mut self, name: &str, values: &[u32]) {
        self.add(name, "u32", values.iter().copied(), u32::to_le_bytes);
    }

    pub(crate) fn u16(&mut self, name: &str, values: &[u16]) {
        self.add(name, "u16", values.iter().copied(), u16::to_le_bytes);
    }

    pub(crate) fn u8(&mut self, name: &str, values: &[u8]) {
        self.add(name, "u8", values.iter().copied(), |v| [v]);
    }

    /// The block.
    pub(crate) fn finish(self, about: &Value) -> Vec<u8> {
        let mut header = json!({ "about": about, "sections": self.sections }).to_string();
        let before = MAGIC.len() + size_of::<u32>();
        let padded = (before + header.len()).next_multiple_of(ALIGNMENT) - before;
        header.extend(std::iter::repeat_n(' ', padded - header.len()));
        let mut out = Vec::with_capacity(before + header.len() + self.data.len());
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(&self.data);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_at_multiples_of_eight() {
        let mut pack = Pack::default();
        pack.u8("kinds", &[1, 2, 3]);
        pack.points("points", &[[1.0, -2.0, 0.5]]);
        let bytes = pack.finish(&json!({"what": "test"}));
        assert_eq!(&bytes[..4], MAGIC);
        let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        assert_eq!((8 + length) % ALIGNMENT, 0);
        let header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
        assert_eq!(header["about"]["what"], "test");
        let data = &bytes[8 + length..];
        let section = &header["sections"][1];
        let at = section["offset"].as_u64().unwrap() as usize;
        assert_eq!((at % ALIGNMENT, section["count"].as_u64()), (0, Some(3)));
        assert_eq!(data[at + 4..at + 8], (-2.0_f32).to_le_bytes());
    }
}
