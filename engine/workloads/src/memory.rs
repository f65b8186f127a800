//! Whether what a case needs fits the machine.

use ciphermark_harness::environment;

/// Contexts after which their size is looked at again: what the first took may have been free
/// memory of the process.
const LOOK_EVERY: usize = 1000;

/// The error is a sentence that names what would take so many bytes.
pub fn check_room(what: &str, bytes: usize) -> Result<(), String> {
    match environment::available_bytes() {
        Some(free) if bytes as u64 > free / 2 => Err(format!("{what} {}", too_much(bytes, free))),
        _ => Ok(()),
    }
}

fn too_much(bytes: usize, free: u64) -> String {
    format!(
        "would take {:.1} GB, over half of the {:.1} GB that are free",
        bytes as f64 / 1e9,
        free as f64 / 1e9
    )
}

/// Watches the memory of the process while it makes contexts for many keys.
pub struct Watch {
    resident: Option<u64>,
    free: Option<u64>,
}

impl Watch {
    pub fn begin() -> Self {
        Self { resident: environment::resident_bytes(), free: environment::available_bytes() }
    }

    /// Looks whether `keys` things of so many bytes each will fit, before any is made. The error is as
    /// that of `look`.
    pub fn expect(&self, bytes_each: usize, keys: usize, whose: &str) -> Result<(), String> {
        self.free.map_or(Ok(()), |free| verdict(bytes_each as f64, keys, free, whose))
    }

    /// Bytes taken since the beginning; 0 where the kernel does not tell.
    pub fn taken(&self) -> usize {
        let now = environment::resident_bytes().zip(self.resident);
        now.map_or(0, |(now, before)| now.saturating_sub(before) as usize)
    }

    /// Looks from time to time whether `keys` contexts will fit, now that there are `made`. The
    /// error is a sentence; `whose` is an algorithm by a provider.
    pub fn look(&self, made: usize, keys: usize, whose: &str) -> Result<(), String> {
        match self.free {
            Some(free) if made > 0 && made.is_multiple_of(LOOK_EVERY) => {
                verdict(self.taken() as f64 / made as f64, keys, free, whose)
            }
            _ => Ok(()),
        }
    }
}

fn verdict(bytes_per_key: f64, keys: usize, free: u64, whose: &str) -> Result<(), String> {
    let fitting = free as f64 / 2.0 / bytes_per_key;
    if keys as f64 <= fitting {
        return Ok(());
    }
    let size = too_much((bytes_per_key * keys as f64) as usize, free);
    Err(format!("{keys} keys of {whose} {size}: write at most --keys {}", rounded_down(fitting)))
}

/// To two digits.
fn rounded_down(number: f64) -> u64 {
    let unit = 10_f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    ((number / unit).floor() * unit) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_keys_are_refused_with_the_arithmetic() {
        let sentence = verdict(1400.0, 1_000_000, 2_100_000_000, "aes-128-gcm by openssl");
        let expected = "1000000 keys of aes-128-gcm by openssl would take 1.4 GB, over half of the \
                        2.1 GB that are free: write at most --keys 750000";
        assert_eq!(sentence, Err(expected.into()));
        assert_eq!(verdict(1400.0, 750_000, 2_100_000_000, "aes-128-gcm by openssl"), Ok(()));
    }

    #[test]
    fn keys_are_refused_before_anything_is_made_for_them() {
        let watch = Watch { resident: Some(0), free: Some(24_000_000_000) };
        let sentence = watch.expect(20, u32::MAX as usize, "aes-128-gcm by openssl");
        assert!(
            sentence.is_err_and(|it| it.contains("85.9 GB") && it.contains("--keys 600000000"))
        );
        assert_eq!(watch.expect(20, 1_000_000, "aes-128-gcm by openssl"), Ok(()));
    }

    #[test]
    fn numbers_are_rounded_down_to_two_digits() {
        assert_eq!([7.9, 42.9, 759.0, 754_321.0].map(rounded_down), [7, 42, 750, 750_000]);
    }

    #[test]
    fn nothing_has_no_room_for_everything() {
        assert_eq!(check_room("rings", 0), Ok(()));
        assert!(check_room("rings", usize::MAX).is_err_and(|it| it.starts_with("rings would")));
    }
}
