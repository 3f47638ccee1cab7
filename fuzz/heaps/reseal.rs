//! Checksums written anew, as a forger would.

/// Writes the checksums of all sections of a `.snav` file and of its table anew; false where there is
/// no table.
pub(crate) fn reseal(bytes: &mut [u8]) -> bool {
    const HEADER: usize = 32;
    const ENTRY: usize = 32;
    let number = |b: &[u8], at: usize| {
        b.get(at..at + 4).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]))
    };
    let long =
        |b: &[u8], at: usize| Some(u64::from(number(b, at)?) | u64::from(number(b, at + 4)?) << 32);
    if bytes.len() < HEADER {
        return false;
    }
    let room = (bytes.len() - HEADER) / ENTRY;
    let count = number(bytes, 12).map_or(0, |count| (count as usize).min(room));
    for at in (0..count).map(|entry| HEADER + entry * ENTRY) {
        let (Some(offset), Some(length)) = (long(bytes, at + 8), long(bytes, at + 16)) else {
            return false;
        };
        let range = offset as usize..offset.saturating_add(length) as usize;
        if let Some(content) = bytes.get(range) {
            let crc = crc32fast::hash(content);
            bytes[at + 4..at + 8].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..28]);
    crc.update(&bytes[HEADER..HEADER + count * ENTRY]);
    bytes[28..32].copy_from_slice(&crc.finalize().to_le_bytes());
    true
}
