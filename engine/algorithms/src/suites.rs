//! What `suites/<protocol>.toml` says of each suite; the rest follows from its parts.

use std::collections::BTreeMap;

use ciphermark_record::description::{Algorithm, Kind};
use ciphermark_record::suite::{Framing, KeyLimit, Suite};
use serde::Deserialize;

/// Bytes of a packet number, which is what the harness gives a suite as nonce: big-endian, of which
/// a protocol takes as many bits as it has.
const NUMBER_BYTES: u32 = 8;

/// One protocol's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Protocol {
    protocol: String,
    title: String,
    sources: Vec<String>,
    outer_bytes: u32,
    /// Those of its suites that say nothing else.
    header_bytes: Option<u32>,
    trailer_bytes: Option<u32>,
    min_packet_bytes: u64,
    max_packet_bytes: u64,
    limits: BTreeMap<String, Vec<KeyLimit>>,
    suites: Vec<Entry>,
}

/// One suite of a protocol.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What follows the colon.
    name: String,
    cipher: String,
    integrity: Option<String>,
    header_protection: Option<String>,
    header_bytes: Option<u32>,
    trailer_bytes: Option<u32>,
    iv_bytes: u32,
    pad_to: u32,
    icv_bytes: u32,
    salt_bytes: u32,
    standing: String,
    /// Names of the protocol's limits.
    limits: Vec<String>,
}

/// The suites of a protocol's file, composed of these algorithms.
///
/// Panics when the file is wrong: it is part of this program, and its tests read every one.
pub fn suites(stem: &str, text: &str, algorithms: &[Algorithm]) -> Vec<Algorithm> {
    let wrong = |what: String| -> ! { panic!("suites/{stem}.toml: {what}") };
    let protocol: Protocol =
        toml::from_str(text).unwrap_or_else(|error| wrong(format!("it is not valid: {error}")));
    if protocol.protocol != stem {
        wrong("the protocol must be the file's stem".into());
    }
    let composed = |entry: &Entry| {
        composed(&protocol, entry, algorithms)
            .unwrap_or_else(|what| wrong(format!("{}: {what}", entry.name)))
    };
    protocol.suites.iter().map(composed).collect()
}

fn composed(protocol: &Protocol, entry: &Entry, known: &[Algorithm]) -> Result<Algorithm, String> {
    let find = |name: &String| {
        known.iter().find(|it| it.name == *name).ok_or_else(|| format!("there is no {name}"))
    };
    let cipher = find(&entry.cipher)?;
    let integrity = entry.integrity.as_ref().map(find).transpose()?;
    let header_protection = entry.header_protection.as_ref().map(find).transpose()?;
    let suite = suite(protocol, entry)?;
    let parts: Vec<&Algorithm> =
        [Some(cipher), header_protection, integrity].into_iter().flatten().collect();
    // What hides bytes of a header is one block of a cipher, used as a function of a sample, and no
    // mode of operation: that ECB protects no message says nothing of it (RFC 9001, section 5.4).
    let protecting: Vec<&Algorithm> = [Some(cipher), integrity].into_iter().flatten().collect();
    let worst = protecting.iter().min_by_key(|it| it.status).unwrap_or(&cipher);
    let weakest = parts.iter().min_by_key(|it| it.strength_bits).unwrap_or(&cipher);
    let of_protocol = |limits: &mut dyn Iterator<Item = Option<u64>>| limits.flatten().min();
    // What is encrypted with the packet counts against a part's longest message.
    let within = framing_room(&suite.framing);
    let longest =
        parts.iter().map(|it| it.max_message_bytes.map(|most| most.saturating_sub(within)));
    Ok(Algorithm {
        name: format!("{}:{}", protocol.protocol, entry.name),
        title: title(protocol, entry, cipher, integrity),
        aliases: Vec::new(),
        kind: Kind::Suite,
        key_bytes: parts.iter().map(|it| it.key_bytes).sum::<u32>() + entry.salt_bytes,
        nonce_bytes: NUMBER_BYTES,
        nonce_fields: Vec::new(),
        tag_bytes: 0,
        block_bytes: 1,
        min_message_bytes: protocol.min_packet_bytes,
        max_message_bytes: of_protocol(&mut longest.chain([Some(protocol.max_packet_bytes)])),
        standard: protocol.sources[0].clone(),
        status: worst.status,
        status_reason: status_reason(worst, protecting.len()),
        strength_bits: weakest.strength_bits,
        strength_kind: weakest.strength_kind.clone(),
        sources: protocol.sources.clone(),
        survey: false,
        // What hides header bytes protects nothing that is asked of the suite.
        fips_approved: parts.iter().all(|it| it.fips_approved),
        suite: Some(suite),
    })
}

/// What is said of a part by itself need not hold of the whole, so it is named.
fn status_reason(worst: &Algorithm, parts: usize) -> String {
    match parts {
        1 => worst.status_reason.clone(),
        _ => format!("As its part {}: {}", worst.title, worst.status_reason),
    }
}

/// Bytes that a part may be given beside the packet.
fn framing_room(framing: &Framing) -> u64 {
    u64::from(framing.header_bytes + framing.trailer_bytes + framing.pad_to + framing.icv_bytes)
}

fn suite(protocol: &Protocol, entry: &Entry) -> Result<Suite, String> {
    let of_either = |own: Option<u32>, shared: Option<u32>, what: &str| {
        own.or(shared).ok_or_else(|| format!("it has no {what}"))
    };
    let mut limits = Vec::new();
    for name in &entry.limits {
        let found = protocol.limits.get(name).ok_or_else(|| format!("there is no limit {name}"))?;
        limits.extend(found.iter().cloned());
    }
    Ok(Suite {
        protocol: protocol.protocol.clone(),
        cipher: entry.cipher.clone(),
        integrity: entry.integrity.clone(),
        header_protection: entry.header_protection.clone(),
        salt_bytes: entry.salt_bytes,
        framing: Framing {
            outer_bytes: protocol.outer_bytes,
            header_bytes: of_either(entry.header_bytes, protocol.header_bytes, "header_bytes")?,
            iv_bytes: entry.iv_bytes,
            trailer_bytes: of_either(entry.trailer_bytes, protocol.trailer_bytes, "trailer_bytes")?,
            pad_to: entry.pad_to,
            icv_bytes: entry.icv_bytes,
        },
        standing: entry.standing.clone(),
        limits,
    })
}

/// `ESP AES-128-CBC + HMAC-SHA1-96`: a tag that is cut has its bits behind it.
fn title(
    protocol: &Protocol,
    entry: &Entry,
    cipher: &Algorithm,
    integrity: Option<&Algorithm>,
) -> String {
    let Some(mac) = integrity else { return format!("{} {}", protocol.title, cipher.title) };
    let cut = match mac.tag_bytes == entry.icv_bytes {
        true => String::new(),
        false => format!("-{}", 8 * entry.icv_bytes),
    };
    format!("{} {} + {}{cut}", protocol.title, cipher.title, mac.title)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{algorithms, find};

    fn all() -> impl Iterator<Item = (&'static Algorithm, &'static Suite)> {
        algorithms().iter().filter_map(|it| Some((it, it.suite.as_ref()?)))
    }

    #[test]
    fn every_protocol_has_suites_that_are_found_by_name() {
        let protocols: BTreeSet<_> = all().map(|(_, suite)| suite.protocol.as_str()).collect();
        assert!(
            ["esp", "tls13", "quic", "wireguard", "openvpn", "srtp", "pdcp", "macsec", "ssh"]
                .iter()
                .all(|it| protocols.contains(it))
        );
        for (facts, suite) in all() {
            assert_eq!(facts.kind, Kind::Suite, "{}", facts.name);
            assert!(facts.name.starts_with(&format!("{}:", suite.protocol)));
            assert_eq!(find(&facts.name), Some(facts));
        }
    }

    #[test]
    fn what_follows_from_the_parts_is_the_worse_of_them() {
        let legacy = find("esp:aes-128-cbc+hmac-md5-96").expect("it is there");
        assert_eq!(legacy.status, find("hmac-md5").expect("it is there").status);
        assert_eq!(legacy.title, "ESP AES-128-CBC + HMAC-MD5-96");
        assert_eq!((legacy.key_bytes, legacy.strength_bits), (32, 128));
        assert!(!legacy.fips_approved);
        let quic = find("quic:aes-128-gcm").expect("it is there");
        assert_eq!(quic.status, find("aes-128-gcm").expect("it is there").status);
        let gcm = find("esp:aes-256-gcm").expect("it is there");
        assert_eq!((gcm.key_bytes, gcm.title.as_str()), (36, "ESP AES-256-GCM"));
        assert!(gcm.fips_approved);
        // KASUMI's f8 ends at 2500 bytes, of which the MAC takes some.
        let signalling = find("rrc:uea1+uia1").expect("it is there");
        assert!(signalling.max_message_bytes.is_some_and(|most| (2480..2500).contains(&most)));
    }

    /// A tag that is sent is no longer than what its function makes.
    #[test]
    fn values_are_cut_never_stretched_and_sources_are_given() {
        for (facts, suite) in all() {
            let made = suite.integrity.as_deref().unwrap_or(&suite.cipher);
            let made = find(made).expect("parts have facts").tag_bytes;
            assert!(suite.framing.icv_bytes <= made, "{}", facts.name);
            assert!(suite.framing.pad_to > 0 && !suite.limits.is_empty(), "{}", facts.name);
            assert!(suite.limits.iter().all(|it| {
                !it.source.is_empty()
                    && [it.packets, it.bytes, it.seconds].iter().flatten().all(|&it| it > 0.0)
                    && (it.packets.is_some() || it.bytes.is_some() || it.seconds.is_some())
            }));
        }
    }

    /// RFC 7296 hands out key material cipher first; counted by hand: RFC 4106, section 8.1.
    #[test]
    fn overheads_are_those_counted_by_hand() {
        let wire = |name: &str, bytes| {
            let suite = find(name).and_then(|it| it.suite.as_ref()).expect("it is there");
            suite.framing.wire_bytes(bytes)
        };
        // 20 + 8 + 8 + (1400 + 2 → 1404) + 16.
        assert_eq!(wire("esp:aes-128-gcm", 1400), 1456);
        // 20 + 8 + 16 + (1400 + 2 → 1408) + 12.
        assert_eq!(wire("esp:aes-128-cbc+hmac-sha1-96", 1400), 1464);
        // A packet of 1420 bytes in an MTU of 1500, as WireGuard sets it for IPv6; over IPv4 1480.
        assert_eq!(wire("wireguard:chacha20-poly1305", 1420), 28 + 16 + 1424 + 16);
        assert_eq!(wire("tls13:aes-128-gcm", 16384), 16384 + 5 + 1 + 16);
        // 28 + 4 + 20 + 16 + (4 + 1400 + 1 → 1408).
        assert_eq!(wire("openvpn:aes-128-cbc+hmac-sha1", 1400), 1476);
        assert_eq!(wire("srtp:aes-128-ctr+hmac-sha1-80", 160), 28 + 12 + 160 + 10);
        assert_eq!(wire("pdcp:eea2+eia2", 100), 3 + 100 + 4);
        assert_eq!(wire("macsec:aes-128-gcm", 1500), 16 + 2 + 1500 + 16);
        // 4 + (1 + 100 + 4 → 112) + 16.
        assert_eq!(wire("ssh:aes-128-gcm", 100), 132);
    }
}
