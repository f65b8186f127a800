//! One context for all sessions, behind a lock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ciphermark_providers::api::{
    CallError, CreateError, Function, Library, Message, Operation, Provider, Request,
};
use ciphermark_record::description::Implementation;

/// A function that many threads have.
type Handle = Arc<Mutex<Box<dyn Function>>>;

/// A provider that makes each function once and hands the same one out ever after.
pub struct Shared<'a> {
    provider: &'a dyn Provider,
    made: Mutex<HashMap<Operation, Handle>>,
}

impl<'a> Shared<'a> {
    pub fn of(provider: &'a dyn Provider) -> Self {
        Self { provider, made: Mutex::default() }
    }
}

impl Provider for Shared<'_> {
    fn library(&self) -> Library {
        self.provider.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.provider.implementations()
    }

    /// All requests of an execution are about the same implementation: the operation tells them apart.
    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = match made.get(&request.operation) {
            Some(handle) => Arc::clone(handle),
            None => {
                let handle: Handle = Arc::new(Mutex::new(self.provider.create(request)?));
                made.insert(request.operation, Arc::clone(&handle));
                handle
            }
        };
        Ok(Box::new(Locked(handle)))
    }
}

/// Takes the lock for each call, as callers of a shared context do.
struct Locked(Handle);

impl Locked {
    fn with<T>(&self, action: impl FnOnce(&mut dyn Function) -> T) -> T {
        action(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
    }
}

impl Function for Locked {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.with(|function| function.set_key(key))
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.with(|function| function.process(message, output))
    }
}
