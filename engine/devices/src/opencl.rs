//! OpenCL: our own kernels (`kernels/opencl/`) on GPUs, accelerators or, with PoCL, CPUs. The loader
//! is opened at run time.
//!
//! The backend is the kind of device that the driver says it is: `gpu`, `accelerator` or `cpu`.
//! `library` names device, platform and driver. The first GPU is used, without one the first
//! accelerator, else the first CPU; `CIPHERMARK_OPENCL_DEVICE=0:1` chooses another, by the numbers of
//! platform and device.
//!
//! What is timed of a function is a submission (see [`Device`]) and the wait for its answers:
//!
//! | operation | timed |
//! |---|---|
//! | setup | the schedule, which the host makes; it goes to the device with the next messages |
//! | encrypt, decrypt, mac, digest | copies into one buffer, which is written; the kernel; its answers read and copied |
//! | verify | as mac, and a comparison |
//! | mac, verify of UMAC | NH, which takes the message, on the device, and the rest on the host |
//!
//! A work item computes a packet, or a part of one where the algorithm has parts (AES-CTR, NH), so only
//! submissions of many packets fill a device. Messages of a submission may have any lengths and keys.
//!
//! A program is compiled when the first function of its algorithm is made. What the device's compiler
//! rejects cannot be made, with its reason, and the others can. PoCL and drivers of GPUs keep what they
//! have compiled.

mod aes;
mod algorithms;
mod device;
mod devices;
mod hmac;
mod host;
mod kasumi;
mod libopencl;
mod objects;
mod packets;
mod slot;
mod umac;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use ciphermark_algorithms::Algorithm;

use self::algorithms::{RECIPES, Recipe};
use self::device::{MOST_MESSAGES, Made, OpenclDevice};
use self::devices::UsableDevice;
use self::objects::{Context, Program, Status};
use crate::Synchronous;
use ciphermark_providers::api::*;
use ciphermark_providers::checks;

const NAME: &str = "opencl";
const TITLE: &str = "OpenCL";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: TITLE, open, listed: true, switches: None };

/// The installed loader with its device, which a process opens once: contexts and programs are dear.
static INSTALLED: OnceLock<Result<Opencl, Unusable>> = OnceLock::new();

fn open(path: Option<&Path>) -> Opened {
    let opencl: &'static Opencl = match path {
        None => INSTALLED.get_or_init(|| Opencl::open(None)).as_ref().map_err(Unusable::clone)?,
        // For good, as the loader itself.
        Some(_) => Box::leak(Box::new(Opencl::open(path)?)),
    };
    Ok(Box::new(opencl))
}

struct Opencl {
    location: String,
    found: UsableDevice,
    context: Arc<Context>,
    /// Of each recipe, once it was compiled; or why it cannot be.
    programs: [OnceLock<Result<Program, String>>; RECIPES.len()],
}

// SAFETY: `UsableDevice` names the device, whose identifier is never given back and may be used by any
// thread; all else is `Send`.
unsafe impl Send for Opencl {}
// SAFETY: as above.
unsafe impl Sync for Opencl {}

impl Opencl {
    fn open(path: Option<&Path>) -> Result<Self, Unusable> {
        let loader = libopencl::load(path)?;
        let found = devices::choose(loader.functions)?;
        let context = Context::new(loader.functions, found.id).map_err(|Status(code)| {
            let choice = devices::CHOICE;
            Unusable(format!(
                "{found} cannot be used (error {code}): choose another with \
                 {choice}=PLATFORM:DEVICE"
            ))
        })?;
        Ok(Self {
            location: loader.location,
            found,
            context: Arc::new(context),
            programs: [const { OnceLock::new() }; RECIPES.len()],
        })
    }

    fn implementation(&self, recipe: &Recipe) -> Option<Implementation> {
        let facts = recipe.facts()?;
        let patterns = match facts.key_bytes {
            0 => vec![Pattern::ReusedKey],
            _ => vec![Pattern::ReusedKey, Pattern::Rekeyed],
        };
        Some(Implementation {
            backend: self.found.kind.backend().into(),
            backend_evidence: BackendEvidence::Reported,
            most_lanes: MOST_MESSAGES as u32,
            ..checks::default_implementation(NAME, recipe.name, facts.kind, None, patterns)
        })
    }

    /// The recipe that does what is asked for, its number, and the facts of its algorithm.
    fn find(
        &self,
        request: &Request<'_>,
    ) -> Result<(usize, &'static Recipe, &'static Algorithm), CreateError> {
        let mut recipes = RECIPES.iter().enumerate();
        let found = recipes.find(|(_, recipe)| recipe.name == request.algorithm);
        let unknown = || checks::unknown_algorithm(request);
        let (number, recipe) = found.ok_or_else(unknown)?;
        let facts = recipe.facts().ok_or_else(unknown)?;
        if request.variant.is_some() {
            return Err(checks::unknown_variant(request));
        }
        if ![checks::DEFAULT_BACKEND, self.found.kind.backend()].contains(&request.backend) {
            return Err(checks::unknown_backend(request));
        }
        checks::check_operation(request, facts.kind)?;
        checks::check_bits(request, recipe.counts_bits)?;
        match request.nonce_bytes {
            Some(bytes) if !recipe.nonces.contains(&bytes) => Err(checks::unsupported_nonce(bytes)),
            _ => Ok((number, recipe, facts)),
        }
    }

    /// The program of a recipe, compiled when it is first asked for.
    fn program(&self, number: usize) -> Result<&Program, CreateError> {
        let recipe = &RECIPES[number];
        let build = || self.context.build(&recipe.source(), recipe.options);
        self.programs[number].get_or_init(build).as_ref().map_err(|words| {
            let Recipe { name, .. } = recipe;
            CreateError::Failed(format!("the compiler of {} rejects {name}: {words}", self.found))
        })
    }
}

impl Provider for &'static Opencl {
    fn library(&self) -> Library {
        Library {
            version: self.found.version.clone(),
            location: self.location.clone(),
            build: self.found.to_string(),
        }
    }

    fn implementations(&self) -> Vec<Implementation> {
        RECIPES.iter().filter_map(|recipe| self.implementation(recipe)).collect()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        Ok(Synchronous::function(self.create_device(request, 1)?))
    }

    fn create_lanes(
        &self,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        if !(1..=MOST_MESSAGES).contains(&lanes) {
            return Err(CreateError::Unsupported(format!("{lanes} messages per call")));
        }
        Synchronous::lanes(self.create_device(request, keys)?, lanes, keys)
    }

    fn create_device(
        &self,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Box<dyn Device>, CreateError> {
        let (number, recipe, facts) = self.find(request)?;
        if keys == 0 {
            return Err(CreateError::Unsupported("no key".into()));
        }
        let program = self.program(number)?;
        let failed = |Status(code)| CreateError::Failed(format!("OpenCL returned error {code}"));
        let kernel = self.context.kernel(program, recipe.kernel).map_err(failed)?;
        let made = Made { context: self.context.clone(), kernel, recipe, facts };
        let device = OpenclDevice::new(&self.found, made, request, keys).map_err(failed)?;
        Ok(Box::new(device))
    }
}
