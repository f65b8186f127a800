//! `traffic`: packets through a path, for the workbench's tunnels.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use ciphermark_supervisor::Interrupt;
use ciphermark_traffic::{HIGHEST_RATE, LONGEST_S, MOST_FLOWS, Receiving, SHORTEST, Sending};
use clap::{Args, Subcommand};

use crate::commands::{Problem, Result, print, usage};

#[derive(Subcommand)]
pub enum TrafficCommand {
    /// Send packets and print what was sent.
    Send(SendArguments),
    /// Receive packets until standard input is closed, and print what arrived.
    Receive(ReceiveArguments),
}

#[derive(Args)]
pub struct SendArguments {
    /// A flow: where its packets come from and where they go; repeatable.
    #[arg(long = "flow", value_name = "ADDRESS=ADDRESS:PORT", required = true, value_parser = flow)]
    flows: Vec<(Ipv4Addr, SocketAddrV4)>,
    /// Bytes of packets with their IP and UDP headers, in turn, again and again.
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true)]
    lengths: Vec<usize>,
    /// Packets per second of all flows together; as fast as can be without.
    #[arg(long, value_name = "N")]
    rate: Option<f64>,
    #[arg(long, value_name = "SECONDS")]
    duration: f64,
}

#[derive(Args)]
pub struct ReceiveArguments {
    #[arg(long)]
    port: u16,
    /// How many flows there are.
    #[arg(long, default_value_t = 1)]
    flows: u16,
    /// The longest time.
    #[arg(long, value_name = "SECONDS")]
    duration: f64,
}

pub fn traffic(command: &TrafficCommand) -> Result {
    match command {
        TrafficCommand::Send(arguments) => send(arguments),
        TrafficCommand::Receive(arguments) => receive(arguments),
    }
}

fn send(arguments: &SendArguments) -> Result {
    let longest = usize::from(u16::MAX);
    if let Some(length) = arguments.lengths.iter().find(|it| !(SHORTEST..=longest).contains(*it)) {
        return Err(usage(format!(
            "--lengths has {length}: packets have {SHORTEST} to {longest} bytes"
        )));
    }
    if arguments.flows.len() > usize::from(MOST_FLOWS) {
        return Err(usage(format!("there are at most {MOST_FLOWS} flows")));
    }
    if let Some(rate) = arguments.rate.filter(|it| !(*it > 0.0 && *it <= HIGHEST_RATE)) {
        return Err(usage(format!("--rate is {rate}: more than 0 and at most {HIGHEST_RATE}")));
    }
    let sending = Sending {
        flows: arguments.flows.clone(),
        lengths: arguments.lengths.clone(),
        packets_per_second: arguments.rate,
        duration: duration(arguments.duration)?,
    };
    let sent = ciphermark_traffic::send(&sending)?;
    print(&sent, &Interrupt::none())
}

fn receive(arguments: &ReceiveArguments) -> Result {
    if !(1..=MOST_FLOWS).contains(&arguments.flows) {
        return Err(usage(format!("--flows is {}: from 1 to {MOST_FLOWS}", arguments.flows)));
    }
    let receiving = Receiving {
        port: arguments.port,
        flows: arguments.flows,
        duration: duration(arguments.duration)?,
    };
    let received = ciphermark_traffic::receive(&receiving, &mut io::stdout())?;
    print(&received, &Interrupt::none())
}

fn duration(seconds: f64) -> std::result::Result<Duration, Problem> {
    if seconds > 0.0 && seconds <= LONGEST_S {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(usage(format!("--duration is {seconds}: more than 0 and at most {LONGEST_S} seconds")))
    }
}

fn flow(text: &str) -> std::result::Result<(Ipv4Addr, SocketAddrV4), String> {
    let parsed =
        text.split_once('=').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    parsed.ok_or_else(|| "must be ADDRESS=ADDRESS:PORT, for example 10.1.0.1=10.3.0.2:5001".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_read_and_what_is_none_is_refused() {
        let (from, to) = flow("10.1.0.1=10.3.0.2:5001").unwrap();
        assert_eq!((from.to_string(), to.to_string()), ("10.1.0.1".into(), "10.3.0.2:5001".into()));
        for text in ["10.1.0.1", "10.1.0.1=10.3.0.2", "a=b:1"] {
            assert!(flow(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_without_end_are_refused() {
        for seconds in [0.0, -1.0, 601.0, f64::INFINITY, f64::NAN] {
            assert!(duration(seconds).is_err(), "{seconds}");
        }
    }
}
