//! Providers that can be called in every way or in the plain one only, around a real one.

use ciphermark_providers::api::{
    CallError, CreateError, Function, Implementation, Lanes, Library, Message, Parts, Provider,
    Renewed, Request,
};

pub struct Everything(pub Box<dyn Provider>);

impl Provider for Everything {
    fn library(&self) -> Library {
        self.0.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.0.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let function = self.0.create(request)?;
        Ok(Box::new(Willing { function, keyed: false }))
    }

    fn create_lanes(
        &self,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        let functions: Result<Vec<_>, _> = (0..keys).map(|_| self.0.create(request)).collect();
        Ok(Box::new(FakeLanes { functions: functions?, lanes }))
    }
}

/// A provider that can be called in the plain way only, whatever the one inside can.
pub struct Plain(pub Box<dyn Provider>);

impl Provider for Plain {
    fn library(&self) -> Library {
        self.0.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.0.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        Ok(Box::new(Unwilling(self.0.create(request)?)))
    }
}

struct Unwilling(Box<dyn Function>);

impl Function for Unwilling {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.0.process(message, output)
    }
}

/// Forgets its key when it is renewed.
struct Willing {
    function: Box<dyn Function>,
    keyed: bool,
}

impl Function for Willing {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.keyed = true;
        self.function.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        if self.keyed { self.function.process(message, output) } else { Err(CallError::Library(1)) }
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        match parts {
            Parts::Chunks(bytes) => {
                assert!(bytes > 0);
                self.process(message, output)
            }
            Parts::Repeated(_) if self.keyed => self.function.process_parts(message, parts, output),
            Parts::Repeated(_) => Err(CallError::Library(1)),
        }
    }

    fn renew(&mut self, _: Renewed) -> Result<(), CallError> {
        self.keyed = false;
        Ok(())
    }
}

/// One message after the other, the functions in turn.
struct FakeLanes {
    functions: Vec<Box<dyn Function>>,
    lanes: usize,
}

impl Lanes for FakeLanes {
    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.functions[number].set_key(key)
    }

    fn process(
        &mut self,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        assert_eq!((messages.len(), outputs.len()), (self.lanes, self.lanes));
        let keys = self.functions.len();
        for (lane, (message, output)) in messages.iter().zip(outputs).enumerate() {
            self.functions[lane % keys].process(message, output)?;
        }
        Ok(())
    }

    fn process_under(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        assert!(messages.len() <= self.lanes);
        for ((&key, message), output) in keys.iter().zip(messages).zip(outputs) {
            self.functions[key as usize].process(message, output)?;
        }
        Ok(())
    }
}
