//! The sender.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Duration;

use ciphermark_record::traffic::Sent;

use crate::datagrams::{BATCH, Datagrams};
use crate::header::{HEADERS, Header, content};
use crate::pace::Pace;
use crate::process::{cpu_ns, now_ns, wake_in_time};

/// Shorter waits are not worth a call to the kernel, whose timers are no finer.
const SHORTEST_WAIT_NS: u64 = 20_000;

/// What is to be sent.
pub struct Sending {
    /// Where each flow comes from and where it goes.
    pub flows: Vec<(Ipv4Addr, SocketAddrV4)>,
    /// Of packets with their IP and UDP headers, in turn, again and again; not shorter than
    /// `SHORTEST`.
    pub lengths: Vec<usize>,
    /// Of all flows together; none: as fast as can be.
    pub packets_per_second: Option<f64>,
    pub duration: Duration,
}

/// Sends until the time is over. The flows take turns, a batch each.
pub fn send(sending: &Sending) -> io::Result<Sent> {
    let sockets = sending
        .flows
        .iter()
        .map(|(from, to)| {
            let socket = UdpSocket::bind((*from, 0))?;
            socket.connect(to)?;
            Ok(socket)
        })
        .collect::<io::Result<Vec<_>>>()?;
    wake_in_time();
    let mut batch = Datagrams::of(&content());
    let mut lengths = sending.lengths.iter().copied().cycle();
    let mut flows = vec![0_u64; sockets.len()];
    let (mut bytes, mut refused, mut turn) = (0_u64, 0_u64, 0_usize);
    let (start_ns, start_cpu_ns) = (now_ns(), cpu_ns());
    let end_ns = start_ns + sending.duration.as_nanos() as u64;
    let mut pace = Pace::new(sending.packets_per_second, start_ns);
    let mut now = start_ns;
    while now < end_ns {
        let due = pace.due(now, BATCH);
        if due == 0 {
            let next_ns = pace.next_ns().unwrap_or(now).min(end_ns);
            let wait_ns = next_ns.saturating_sub(now).max(SHORTEST_WAIT_NS);
            std::thread::sleep(Duration::from_nanos(wait_ns));
            now = now_ns();
            continue;
        }
        let flow = turn % sockets.len();
        turn += 1;
        let first = flows[flow];
        let mut of_batch = 0;
        for (index, length) in lengths.by_ref().take(due).enumerate() {
            let number = (first + index as u64) as u32;
            let header = Header { number, flow: flow as u16, sent_ns: now };
            header.write(batch.payload(index, length - HEADERS));
            of_batch += length as u64;
        }
        let mut done = 0;
        while done < due {
            match batch.send(&sockets[flow], done, due) {
                Ok(taken) => done += taken,
                Err(error) if is_refusal(&error) => {
                    refused += 1;
                    done += 1;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        flows[flow] += due as u64;
        bytes += of_batch;
        pace.took(due);
        now = now_ns();
    }
    Ok(Sent {
        packets: flows.iter().sum(),
        bytes,
        wall_ns: now_ns() - start_ns,
        cpu_ns: cpu_ns() - start_cpu_ns,
        asked_per_second: sending.packets_per_second,
        flows,
        refused,
    })
}

/// No room in a queue, or a receiver that was not there yet: the packet is lost, and the next may go.
fn is_refusal(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOBUFS) || error.kind() == io::ErrorKind::ConnectionRefused
}
