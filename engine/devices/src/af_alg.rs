//! The Linux kernel's own cryptography, by sockets of the family AF_ALG: its software, and whatever
//! accelerators it drives.
//!
//! A socket that is bound to an algorithm's name has the key; one that is accepted from it takes
//! requests. What is timed:
//!
//! | operation | timed |
//! |---|---|
//! | setup | the accepted socket closed, `setsockopt` with `ALG_SET_KEY`, `accept` |
//! | seal, open | `sendmsg` of nonce, associated data and text, `readv`; the kernel compares the tag |
//! | encrypt, decrypt | `sendmsg` of nonce and text, `read`; nothing for an empty text |
//! | keystream | zeros, encrypted in place |
//! | mac, verify, digest | `sendmsg`, `read`; to verify, a comparison in a time that does not depend on the tag |
//!
//! In chunks, each is sent with `MSG_MORE`; ciphers are read after each, and have longer messages
//! given in chunks of 64 KiB, since the kernel holds no more than a socket's buffer. Authenticated
//! encryption, keystreams and sectors of disks have to fit into that buffer (about 200 KiB) as a whole. To give nothing
//! up between messages, a socket is bound anew, which looks the algorithm up by its name: there is no
//! context of an algorithm that is at hand.
//!
//! Sockets never wait (`O_NONBLOCK`): what does not fit is an error and not a call that hangs.
//!
//! Binding is how a caller asks what the kernel has; it may load the kernel's module of that name.
//! Of several drivers of one algorithm the kernel takes that with the highest priority; its name in
//! `/proc/crypto` is the code path, which the kernel reports and nothing in this process can show.
//! RC4, whose state changes with every byte, has no way back to that of the key, and Poly1305 takes its
//! key in the message: both are left out.

mod aead;
mod aio;
mod cipher;
mod context;
mod control;
mod descriptors;
mod device;
mod drivers;
mod hash;
mod immediate;
mod layout;
mod refusal;
mod socket;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use self::context::Context;
use self::control::Iv;
use self::device::AsyncDevice;
use self::drivers::Drivers;
use self::immediate::Immediate;
use self::layout::Layout;
use self::socket::{Address, Type};
use ciphermark_providers::api::*;
use ciphermark_providers::table::{self, Table, TableProvider};
use ciphermark_providers::{checks, compiled_in};

const NAME: &str = "af_alg";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "Linux kernel", open, listed: true, switches: None };

fn open(path: Option<&Path>) -> Opened {
    compiled_in::refuse_path(NAME, path)?;
    socket::try_family().map_err(refusal::of)?;
    let said = |file: &str| fs::read_to_string(file).unwrap_or_default().trim_end().to_owned();
    let library = Library {
        version: said("/proc/sys/kernel/osrelease"),
        location: "the running kernel".into(),
        build: said("/proc/version"),
    };
    Ok(Box::new(AfAlg(TableProvider { name: NAME, functions: &(), library, table: TABLE })))
}

/// How a function is made: the kernel's name, and its IV.
#[derive(Clone, Copy)]
struct Recipe {
    kernel: &'static str,
    iv: Iv,
}

/// An algorithm whose IV is the nonce, or that has none.
const fn plain(kernel: &'static str) -> Recipe {
    Recipe { kernel, iv: Iv::NONCE }
}

/// CCM with nonces of 12 bytes: the first byte is one less than the bytes of the message's length.
const fn ccm(kernel: &'static str) -> Recipe {
    Recipe { kernel, iv: Iv { before: &[2], after: 3 } }
}

const TABLE: Table<Recipe> = &[
    ("aes-128-ecb", plain("ecb(aes)")),
    ("aes-192-ecb", plain("ecb(aes)")),
    ("aes-256-ecb", plain("ecb(aes)")),
    ("camellia-128-ecb", plain("ecb(camellia)")),
    ("camellia-192-ecb", plain("ecb(camellia)")),
    ("camellia-256-ecb", plain("ecb(camellia)")),
    ("serpent-128-ecb", plain("ecb(serpent)")),
    ("serpent-192-ecb", plain("ecb(serpent)")),
    ("serpent-256-ecb", plain("ecb(serpent)")),
    ("twofish-128-ecb", plain("ecb(twofish)")),
    ("twofish-192-ecb", plain("ecb(twofish)")),
    ("twofish-256-ecb", plain("ecb(twofish)")),
    ("sm4-ecb", plain("ecb(sm4)")),
    ("aes-128-cbc", plain("cbc(aes)")),
    ("aes-192-cbc", plain("cbc(aes)")),
    ("aes-256-cbc", plain("cbc(aes)")),
    ("camellia-128-cbc", plain("cbc(camellia)")),
    ("camellia-192-cbc", plain("cbc(camellia)")),
    ("camellia-256-cbc", plain("cbc(camellia)")),
    ("serpent-128-cbc", plain("cbc(serpent)")),
    ("serpent-192-cbc", plain("cbc(serpent)")),
    ("serpent-256-cbc", plain("cbc(serpent)")),
    ("twofish-128-cbc", plain("cbc(twofish)")),
    ("twofish-192-cbc", plain("cbc(twofish)")),
    ("twofish-256-cbc", plain("cbc(twofish)")),
    ("sm4-cbc", plain("cbc(sm4)")),
    ("aes-128-ctr", plain("ctr(aes)")),
    ("aes-192-ctr", plain("ctr(aes)")),
    ("aes-256-ctr", plain("ctr(aes)")),
    ("aes-128-xts", plain("xts(aes)")),
    ("aes-256-xts", plain("xts(aes)")),
    ("adiantum", plain("adiantum(xchacha12,aes)")),
    ("camellia-128-ctr", plain("ctr(camellia)")),
    ("camellia-192-ctr", plain("ctr(camellia)")),
    ("camellia-256-ctr", plain("ctr(camellia)")),
    ("serpent-128-ctr", plain("ctr(serpent)")),
    ("serpent-192-ctr", plain("ctr(serpent)")),
    ("serpent-256-ctr", plain("ctr(serpent)")),
    ("twofish-128-ctr", plain("ctr(twofish)")),
    ("twofish-192-ctr", plain("ctr(twofish)")),
    ("twofish-256-ctr", plain("ctr(twofish)")),
    ("sm4-ctr", plain("ctr(sm4)")),
    // The block counter stands before the nonce, or behind it.
    ("chacha20", Recipe { kernel: "chacha20", iv: Iv { before: &[0; 4], after: 0 } }),
    ("xchacha20", Recipe { kernel: "xchacha20", iv: Iv { before: &[], after: 8 } }),
    ("aes-128-gcm", plain("gcm(aes)")),
    ("aes-192-gcm", plain("gcm(aes)")),
    ("aes-256-gcm", plain("gcm(aes)")),
    ("camellia-128-gcm", plain("gcm(camellia)")),
    ("camellia-256-gcm", plain("gcm(camellia)")),
    ("sm4-gcm", plain("gcm(sm4)")),
    ("aes-128-ccm", ccm("ccm(aes)")),
    ("aes-256-ccm", ccm("ccm(aes)")),
    ("chacha20-poly1305", plain("rfc7539(chacha20,poly1305)")),
    ("hmac-md5", plain("hmac(md5)")),
    ("hmac-sha1", plain("hmac(sha1)")),
    ("hmac-sha224", plain("hmac(sha224)")),
    ("hmac-sha256", plain("hmac(sha256)")),
    ("hmac-sha384", plain("hmac(sha384)")),
    ("hmac-sha512", plain("hmac(sha512)")),
    ("hmac-sha3-256", plain("hmac(sha3-256)")),
    ("hmac-sha3-512", plain("hmac(sha3-512)")),
    ("cmac-aes-128", plain("cmac(aes)")),
    ("cmac-aes-192", plain("cmac(aes)")),
    ("cmac-aes-256", plain("cmac(aes)")),
    ("cmac-camellia-128", plain("cmac(camellia)")),
    ("cmac-camellia-256", plain("cmac(camellia)")),
    ("cmac-serpent-128", plain("cmac(serpent)")),
    ("cmac-serpent-256", plain("cmac(serpent)")),
    ("cmac-sm4", plain("cmac(sm4)")),
    ("cmac-twofish-128", plain("cmac(twofish)")),
    ("cmac-twofish-256", plain("cmac(twofish)")),
    ("cbc-mac-aes-128", plain("cbcmac(aes)")),
    ("cbc-mac-aes-256", plain("cbcmac(aes)")),
    ("cbc-mac-camellia-128", plain("cbcmac(camellia)")),
    ("cbc-mac-serpent-128", plain("cbcmac(serpent)")),
    ("cbc-mac-twofish-128", plain("cbcmac(twofish)")),
    ("blake2b-mac-512", plain("blake2b-512")),
    // The nonce, filled up to a block, stands before the message.
    ("vmac-64", Recipe { kernel: "vmac64(aes)", iv: Iv { before: &[0; 8], after: 0 } }),
    ("md5", plain("md5")),
    ("sha1", plain("sha1")),
    ("ripemd160", plain("rmd160")),
    ("sha224", plain("sha224")),
    ("sha256", plain("sha256")),
    ("sha384", plain("sha384")),
    ("sha512", plain("sha512")),
    ("sha3-224", plain("sha3-224")),
    ("sha3-256", plain("sha3-256")),
    ("sha3-384", plain("sha3-384")),
    ("sha3-512", plain("sha3-512")),
    ("blake2b-512", plain("blake2b-512")),
    ("sm3", plain("sm3")),
];

impl Recipe {
    fn address(self, kind: Kind) -> Address {
        let algorithm_type = match kind {
            Kind::Aead | Kind::Suite => Type::Aead,
            Kind::Cipher | Kind::Stream => Type::Skcipher,
            Kind::Mac | Kind::Hash => Type::Hash,
        };
        Address { algorithm_type, name: self.kernel }
    }

    /// A context for messages as `request` asks for them, and how these become requests of the kernel.
    fn prepare(
        self,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<(Context, Layout), CreateError> {
        checks::check_nonce(request, facts.nonce_bytes as usize)?;
        let context = Context::new(self.address(facts.kind), facts)?;
        Ok((context, Layout::new(facts, request.operation, self.iv)))
    }
}

impl table::Recipe for Recipe {
    /// The kernel is called without any.
    type Library = ();

    fn create(
        self,
        _: &'static (),
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        let (context, layout) = self.prepare(facts, request)?;
        Ok(match facts.kind {
            Kind::Aead | Kind::Suite => aead::function(context, layout),
            Kind::Cipher if facts.min_message_bytes > u64::from(facts.block_bytes) => {
                Box::new(cipher::OneRequest::new(context, layout))
            }
            Kind::Cipher => Box::new(cipher::Cipher::new(context, layout)),
            Kind::Stream => Box::new(cipher::OneRequest::new(context, layout)),
            Kind::Mac => hash::mac(context, layout),
            Kind::Hash => Box::new(hash::Hash::new(context, layout)),
        })
    }
}

/// The kernel as a library, and as a device.
struct AfAlg(TableProvider<Recipe>);

impl AfAlg {
    /// The driver that the kernel takes for the algorithm.
    fn driver(&self, drivers: &Drivers, algorithm: &str) -> Option<String> {
        let facts = ciphermark_algorithms::find(algorithm)?;
        let (_, recipe) = self.0.table.iter().find(|(name, _)| *name == algorithm)?;
        drivers.of(recipe.address(facts.kind)).map(str::to_owned)
    }
}

impl Provider for AfAlg {
    fn library(&self) -> Library {
        self.0.library()
    }

    /// Drivers are read after all algorithms were tried, which is when the kernel lists them.
    fn implementations(&self) -> Vec<Implementation> {
        let found = self.0.implementations();
        let drivers = Drivers::read();
        let with_driver = |it: Implementation| match self.driver(&drivers, &it.algorithm) {
            Some(path) => {
                Implementation { path, backend_evidence: BackendEvidence::Reported, ..it }
            }
            None => it,
        };
        found.into_iter().map(with_driver).collect()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        self.0.create(request)
    }

    /// The kernel works on several requests at once where its driver does, for ciphers and
    /// authenticated encryption; hashes it always finishes before it returns.
    fn create_device(
        &self,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Box<dyn Device>, CreateError> {
        let (recipe, facts) = self.0.find(request)?;
        let driver = self.driver(&Drivers::read(), request.algorithm);
        let place = format!("kernel: {}", driver.as_deref().unwrap_or(recipe.kernel));
        if !matches!(facts.kind, Kind::Mac | Kind::Hash)
            && let Ok(queue) = aio::Queue::new(device::MOST_REQUESTS)
        {
            let prepare = || recipe.prepare(facts, request);
            return Ok(Box::new(AsyncDevice::new(place, queue, keys, prepare)?));
        }
        Ok(Box::new(Immediate::new(place, keys, || self.create(request))?))
    }
}
