//! One function for each core of a team, all under the same key.

use std::sync::{Arc, Mutex};

use super::{SplitRequest, Team};
use ciphermark_providers::api::*;

/// Of a function whose part has panicked.
const LOST: CallError = CallError::Library(-1);

pub struct Functions {
    pub team: Arc<Team>,
    each: Vec<Mutex<Box<dyn Function>>>,
}

impl Functions {
    /// As the caller asks for it.
    pub fn asked(split: &SplitRequest<'_>) -> Result<Self, CreateError> {
        Self::create(split, split.request)
    }

    /// Another one of the same provider.
    pub fn create(split: &SplitRequest<'_>, request: &Request<'_>) -> Result<Self, CreateError> {
        let create = |_| split.provider.create(request).map(Mutex::new);
        let each: Result<_, _> = (0..split.team.cores()).map(create).collect();
        Ok(Self { team: Arc::clone(split.team), each: each? })
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.each.iter_mut().try_for_each(|it| it.get_mut().map_err(|_| LOST)?.set_key(key))
    }

    /// Processes a message on the calling core, in the function of this core.
    pub fn process(
        &self,
        core: usize,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.each[core].lock().map_err(|_| LOST)?.process(message, output)
    }
}
