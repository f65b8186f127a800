//! Suites: what a protocol does to a packet, done with a provider's own cipher and MAC.
//!
//! [`with`] gives a provider the suites of which it has all parts. A suite is a [`Function`] like any
//! other: it is given a packet and its number, and answers with what goes on the wire. Inside the
//! call are the look-up of the security association, padding, header, IV, cipher, integrity, and on
//! the other side the checks of all that, and the anti-replay window.

mod aead;
mod association;
mod bytes;
mod cipher;
mod esp;
mod function;
mod macsec;
mod openvpn;
mod pdcp;
mod provider;
mod quic;
mod srtp;
mod ssh;
mod tls;
mod umts;
mod window;
mod wireguard;

#[cfg(test)]
mod tests;

pub use provider::with;
