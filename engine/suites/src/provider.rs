//! A provider with the suites of which it has all parts.

use ciphermark_record::description::{Algorithm, Kind};
use ciphermark_record::suite::Suite;

use super::association::{Association, identifier};
use super::cipher::{BLOCK, Mode};
use super::esp::Esp;
use super::function::{Material, Protocol, SuiteFunction};
use super::macsec::MacSec;
use super::openvpn::OpenVpn;
use super::pdcp::Pdcp;
use super::quic::Quic;
use super::srtp::Srtp;
use super::ssh::Ssh;
use super::tls::Tls;
use super::umts::Umts;
use super::window::Window;
use super::wireguard::WireGuard;
use ciphermark_providers::api::{
    BackendEvidence, CreateError, Device, Function, Implementation, Lanes, Library, Operation,
    Pattern, Provider, Request,
};
use ciphermark_providers::checks;

/// The provider, with suites.
pub fn with(provider: Box<dyn Provider>) -> Box<dyn Provider> {
    Box::new(WithSuites(provider))
}

struct WithSuites(Box<dyn Provider>);

impl Provider for WithSuites {
    fn library(&self) -> Library {
        self.0.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        let mut all = self.0.implementations();
        let of_suite = |facts: &Algorithm| implementation(self.0.as_ref(), &all, facts);
        let suites: Vec<_> =
            ciphermark_algorithms::algorithms().iter().filter_map(of_suite).collect();
        all.extend(suites);
        all
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let facts = ciphermark_algorithms::find(request.algorithm);
        let Some(suite) = facts.and_then(|it| it.suite.as_ref()) else {
            return self.0.create(request);
        };
        check(request)?;
        create(self.0.as_ref(), suite, request)
    }

    fn create_lanes(
        &self,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        self.0.create_lanes(request, lanes, keys)
    }

    fn create_device(
        &self,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Box<dyn Device>, CreateError> {
        self.0.create_device(request, keys)
    }
}

/// The canonical names of a suite's parts.
fn parts(suite: &Suite) -> impl Iterator<Item = &str> {
    let others = [&suite.header_protection, &suite.integrity];
    std::iter::once(suite.cipher.as_str()).chain(others.into_iter().flatten().map(String::as_str))
}

/// The implementation of a suite by a provider with these others, where it has all parts.
fn implementation(
    provider: &dyn Provider,
    others: &[Implementation],
    facts: &Algorithm,
) -> Option<Implementation> {
    let suite = facts.suite.as_ref()?;
    let default = |name: &str| others.iter().find(|it| it.algorithm == name && it.default);
    let parts: Vec<&Implementation> = parts(suite).map(default).collect::<Option<_>>()?;
    let needs = |index: usize, operations: &[Operation]| {
        operations.iter().all(|it| parts[index].operations.contains(it))
    };
    let both = match find(&suite.cipher).ok()?.kind {
        Kind::Aead => [Operation::Seal, Operation::Open],
        _ => [Operation::Encrypt, Operation::Decrypt],
    };
    let others_do = (1..parts.len())
        .all(|index| needs(index, &[Operation::Mac]) || needs(index, &[Operation::Encrypt]));
    if !needs(0, &both) || !others_do {
        return None;
    }
    // A library may have the part and not with a nonce of that length.
    let request = Request::usual(&facts.name, checks::DEFAULT_BACKEND, Operation::Seal);
    create(provider, suite, &request).ok()?;
    let reported = parts.iter().all(|it| it.backend_evidence == BackendEvidence::Reported);
    // What one part does not state, the whole does not either; one that is not constant decides.
    let times = || parts.iter().map(|it| it.constant_time);
    let constant_time = match times().any(|it| it == Some(false)) {
        true => Some(false),
        false => times().all(|it| it == Some(true)).then_some(true),
    };
    let patterns = vec![Pattern::ReusedKey, Pattern::Rekeyed];
    let described = checks::default_implementation(
        &parts[0].provider,
        &facts.name,
        facts.kind,
        constant_time,
        patterns,
    );
    let backend_evidence =
        if reported { BackendEvidence::Reported } else { BackendEvidence::Unknown };
    Some(Implementation { backend_evidence, ..described })
}

fn check(request: &Request<'_>) -> Result<(), CreateError> {
    checks::check_operation(request, Kind::Suite)?;
    checks::check_bits(request, false)?;
    if request.variant.is_some() {
        return Err(checks::unknown_variant(request));
    }
    if request.backend != checks::DEFAULT_BACKEND {
        return Err(checks::unknown_backend(request));
    }
    checks::check_nonce(request, size_of::<u64>())
}

fn find(name: &str) -> Result<&'static Algorithm, CreateError> {
    let missing = || CreateError::Unsupported(format!("the algorithm {name}"));
    ciphermark_algorithms::find(name).ok_or_else(missing)
}

/// The function of a suite, made of the provider's own.
pub fn create(
    provider: &dyn Provider,
    suite: &Suite,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    let mode = mode(find(&suite.cipher)?);
    let made = SuiteParts { provider, suite, request, mode, first: None };
    made.protocol()
}

impl SuiteParts<'_> {
    fn protocol(&self) -> Result<Box<dyn Function>, CreateError> {
        let (suite, mode, made) = (self.suite, self.mode, self);
        match suite.protocol.as_str() {
            "esp" => made.function(Esp { mode, salt_bytes: suite.salt_bytes as usize }),
            "tls13" => made.function(Tls),
            "quic" => made.function(Quic),
            "wireguard" => made.function(WireGuard),
            "openvpn" => made.function(OpenVpn { mode }),
            "srtp" => made.function(Srtp { mode }),
            "pdcp" => {
                let mac = suite.integrity.as_deref().map(find).transpose()?;
                let mac_nonce_bytes = mac.map_or(0, |it| it.nonce_bytes as usize);
                made.function(Pdcp { mac_nonce_bytes })
            }
            "rlc" | "rrc" => made.function(Umts),
            "macsec" => made.function(MacSec),
            "ssh" => made.function(Ssh { mode }),
            other => Err(CreateError::Unsupported(format!("the protocol {other}"))),
        }
    }
}

fn mode(cipher: &Algorithm) -> Mode {
    match (cipher.kind, cipher.block_bytes as usize) {
        (Kind::Aead, _) => Mode::Aead,
        (_, BLOCK) => Mode::Cbc,
        _ => Mode::Ctr,
    }
}

/// What a suite's function is made of.
pub struct SuiteParts<'a> {
    provider: &'a dyn Provider,
    suite: &'a Suite,
    request: &'a Request<'a>,
    mode: Mode,
    /// Identifier of the first association, where it is not the usual one.
    first: Option<u32>,
}

impl SuiteParts<'_> {
    fn function<P: Protocol + 'static>(
        &self,
        protocol: P,
    ) -> Result<Box<dyn Function>, CreateError> {
        let turns = 0..self.request.associations as u32;
        let usual = |turn| identifier(turn, P::IDENTIFIER_BITS);
        let named = |turn| self.first.filter(|_| turn == 0).unwrap_or_else(|| usual(turn));
        let associations = turns.map(|turn| self.association(named(turn)));
        let associations = associations.collect::<Result<Vec<_>, _>>()?;
        let sealing = self.request.operation != Operation::Open;
        let framing = self.suite.framing;
        let material = self.material()?;
        Ok(Box::new(SuiteFunction::new(protocol, framing, material, sealing, associations)))
    }

    fn material(&self) -> Result<Material, CreateError> {
        let key = |name: &Option<String>| -> Result<usize, CreateError> {
            let facts = name.as_deref().map(find).transpose()?;
            Ok(facts.map_or(0, |it| it.key_bytes as usize))
        };
        Ok(Material {
            cipher: find(&self.suite.cipher)?.key_bytes as usize,
            salt: self.suite.salt_bytes as usize,
            mask: key(&self.suite.header_protection)?,
            mac: key(&self.suite.integrity)?,
        })
    }

    fn association(&self, identifier: u32) -> Result<Association, CreateError> {
        let part = |name: &Option<String>, operation| -> Result<_, CreateError> {
            let create = |name: &String| self.part(name, operation, None);
            name.as_ref().map(create).transpose()
        };
        let suite = self.suite;
        let value_bytes = match &suite.integrity {
            Some(name) => find(name)?.tag_bytes as usize,
            None => 0,
        };
        Ok(Association {
            cipher: self.part(&suite.cipher, self.cipher_operation(), self.nonce_bytes())?,
            mac: part(&suite.integrity, Operation::Mac)?,
            mask: part(&suite.header_protection, Operation::Encrypt)?,
            salt: [0; 16],
            identifier,
            window: Window::default(),
            value_bytes,
        })
    }

    fn cipher_operation(&self) -> Operation {
        match (self.mode, self.request.operation) {
            (Mode::Aead, Operation::Open) => Operation::Open,
            (Mode::Aead, _) => Operation::Seal,
            (_, Operation::Open) => Operation::Decrypt,
            _ => Operation::Encrypt,
        }
    }

    /// ESP's AES-CCM has a salt of three bytes before the IV (RFC 4309, section 4).
    fn nonce_bytes(&self) -> Option<usize> {
        let of_esp = self.suite.protocol == "esp" && self.mode == Mode::Aead;
        of_esp.then_some((self.suite.salt_bytes + self.suite.framing.iv_bytes) as usize)
    }

    fn part(
        &self,
        name: &str,
        operation: Operation,
        nonce_bytes: Option<usize>,
    ) -> Result<Box<dyn Function>, CreateError> {
        let usual = Request::usual(name, checks::DEFAULT_BACKEND, operation);
        self.provider.create(&Request { nonce_bytes, ..usual })
    }
}

#[cfg(test)]
impl<'a> SuiteParts<'a> {
    /// A function whose association has the identifier of a published packet.
    pub fn for_test(
        provider: &'a dyn Provider,
        suite: &'a Suite,
        request: &'a Request<'a>,
        identifier: u32,
    ) -> Box<dyn Function> {
        let mode = mode(find(&suite.cipher).expect("it has facts"));
        let made = Self { provider, suite, request, mode, first: Some(identifier) };
        made.protocol().expect("the provider has all parts")
    }
}
