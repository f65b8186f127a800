//! BLAKE3: each core has some subtrees, and the calling one joins them.
//!
//! Only its authors' crate lets a caller have subtrees (`hazmat`), from version 1.8 on.

use std::sync::Arc;

use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root,
};
use blake3::{CHUNK_LEN, Hash, Hasher, KEY_LEN, OUT_LEN};

use super::{SplitRequest, Team};
use ciphermark_providers::api::*;
use ciphermark_providers::checks;
use ciphermark_providers::tag::{self, ComputeTag};

/// The provider whose functions these are.
const PROVIDER: &str = "blake3";

/// How much more than an even share the busiest core may have, as a part of that share: one eighth.
const UNEVEN: usize = 8;

pub fn create(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    let SplitRequest { provider, facts, request, .. } = split;
    checks::check_nonce(request, facts.nonce_bytes as usize)?;
    // Refuses what the provider does not have, a variant or bits for example.
    provider.create(request)?;
    if provider.implementations().iter().any(|it| !it.provider.starts_with(PROVIDER)) {
        return Err(CreateError::Unsupported(format!("subtrees of {}", facts.title)));
    }
    let tree = Tree { team: Arc::clone(split.team), key: None };
    Ok(match request.operation {
        Operation::Digest => Box::new(tree),
        operation => tag::function(tree, operation),
    })
}

struct Tree {
    team: Arc<Team>,
    key: Option<[u8; KEY_LEN]>,
}

/// Some subtrees of equal length that follow each other, the last of a message being shorter.
struct Part<'a> {
    input: &'a [u8],
    offset: usize,
    values: &'a mut [ChainingValue],
}

impl Tree {
    fn hash(&self, input: &[u8]) -> Result<Hash, CallError> {
        let piece_bytes = piece_bytes(input.len(), self.team.cores());
        if input.len() <= piece_bytes {
            return Ok(self.hasher().update(input).finalize());
        }
        let mut values = vec![[0; OUT_LEN]; input.len().div_ceil(piece_bytes)];
        let each = values.len().div_ceil(self.team.cores());
        let starts = (0..).step_by(each * piece_bytes);
        let parts = values.chunks_mut(each).zip(input.chunks(each * piece_bytes)).zip(starts);
        let parts = parts.map(|((values, input), offset)| Part { input, offset, values });
        self.team.share(parts, |_, Part { input, offset, values }| {
            for (number, (piece, value)) in input.chunks(piece_bytes).zip(values).enumerate() {
                let offset = offset + number * piece_bytes;
                let mut hasher = self.hasher();
                *value = hasher.set_input_offset(offset as u64).update(piece).finalize_non_root();
            }
            Ok(())
        })?;
        let (left, right) = self.children(&values, input.len(), piece_bytes);
        Ok(merge_subtrees_root(&left, &right, self.mode()))
    }

    fn hasher(&self) -> Hasher {
        self.key.as_ref().map_or_else(Hasher::new, Hasher::new_keyed)
    }

    fn mode(&self) -> Mode<'_> {
        self.key.as_ref().map_or(Mode::Hash, Mode::KeyedHash)
    }

    /// The two subtrees of so many bytes, of which the pieces are known.
    fn children(
        &self,
        values: &[ChainingValue],
        bytes: usize,
        piece_bytes: usize,
    ) -> (ChainingValue, ChainingValue) {
        let left_bytes = left_subtree_len(bytes as u64) as usize;
        let (left, right) = values.split_at(left_bytes / piece_bytes);
        let of = |values, bytes| self.subtree(values, bytes, piece_bytes);
        (of(left, left_bytes), of(right, bytes - left_bytes))
    }

    fn subtree(&self, values: &[ChainingValue], bytes: usize, piece_bytes: usize) -> ChainingValue {
        if let [value] = values {
            return *value;
        }
        let (left, right) = self.children(values, bytes, piece_bytes);
        merge_subtrees_non_root(&left, &right, self.mode())
    }
}

/// Bytes of the subtrees that a message is cut into: as many as leave the cores about even, since long
/// ones are hashed faster.
fn piece_bytes(bytes: usize, cores: usize) -> usize {
    let even = bytes.div_ceil(cores);
    let busiest = |piece: usize| bytes.div_ceil(piece).div_ceil(cores) * piece;
    let mut piece = even.next_power_of_two().max(CHUNK_LEN);
    while piece > CHUNK_LEN && busiest(piece) > even + even / UNEVEN {
        piece /= 2;
    }
    piece
}

impl Function for Tree {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), OUT_LEN)?;
        output.copy_from_slice(self.hash(message.input)?.as_bytes());
        Ok(())
    }
}

impl ComputeTag for Tree {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.key = Some(key.try_into().map_err(|_| CallError::Length)?);
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        OUT_LEN
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        tag.copy_from_slice(self.hash(message.input)?.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_as_long_as_leaves_the_cores_about_even() {
        assert_eq!(piece_bytes(1 << 20, 2), 1 << 19);
        assert_eq!(piece_bytes(1 << 20, 1), 1 << 20);
        assert_eq!(piece_bytes(1000, 4), CHUNK_LEN);
        // Three quarters of a mebibyte over two: 3 · 2^17 each.
        assert_eq!(piece_bytes(3 << 18, 2), 1 << 17);
    }
}
