//! The receiver.

use std::io::{self, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use ciphermark_record::sessions::LatencyCount;
use ciphermark_record::traffic::Received;
use hdrhistogram::Histogram;

use crate::datagrams::{Datagrams, enlarge_receive_buffer};
use crate::header::{HEADERS, Header, LONGEST, content, is_intact};
use crate::process::{cpu_ns, now_ns, wait};

/// What is waited for after standard input was closed: packets that are still under way.
const DRAIN_NS: u64 = 150_000_000;
/// Of so many packets one is looked at as a whole: all of them would cost as much as receiving them.
const EXAMINED: u32 = 64;
/// Packets wait here while the receiver has no CPU: at a million packets a second and 768 bytes of
/// the kernel's memory for each, 40 ms.
const BUFFER_BYTES: usize = 32 << 20;
/// What took longer counts as a minute.
const LONGEST_NS: u64 = 60_000_000_000;

/// What is to be received.
pub struct Receiving {
    pub port: u16,
    pub flows: u16,
    /// The longest time from the start to the end.
    pub duration: Duration,
}

/// What is known of packets so far.
struct Counts {
    flows: Vec<u64>,
    /// The number after the highest of each flow.
    expected: Vec<u64>,
    bytes: u64,
    reordered: u64,
    altered: u64,
    examined: u64,
    foreign: u64,
    latencies: Histogram<u64>,
}

/// Counts what arrives until standard input is closed and the rest has come, or the time is over.
/// When packets can come, it writes the line `ready`.
pub fn receive(receiving: &Receiving, output: &mut impl Write) -> io::Result<Received> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, receiving.port))?;
    let buffer_bytes = enlarge_receive_buffer(&socket, BUFFER_BYTES);
    let content = content();
    let mut batch = Datagrams::of(&vec![0; LONGEST - HEADERS]);
    let mut counts = Counts::new(receiving.flows);
    writeln!(output, "ready")?;
    output.flush()?;
    let mut end_ns = now_ns() + receiving.duration.as_nanos() as u64;
    let mut closed = false;
    let (mut first_ns, mut last_ns, mut first_cpu_ns) = (None, 0, 0);
    loop {
        let taken = batch.receive(&socket)?;
        let now = now_ns();
        if taken > 0 {
            if first_ns.is_none() {
                (first_ns, first_cpu_ns) = (Some(now), cpu_ns());
            }
            last_ns = now;
            for index in 0..taken {
                counts.take(batch.received(index), now, &content);
            }
        }
        if now >= end_ns {
            break;
        }
        if taken == 0 {
            let milliseconds = ((end_ns - now) / 1_000_000).clamp(1, 100);
            let was_closed = closed;
            closed = wait(&socket, Duration::from_millis(milliseconds), closed)?;
            if closed && !was_closed {
                end_ns = end_ns.min(now_ns() + DRAIN_NS);
            }
        }
    }
    Ok(Received {
        packets: counts.flows.iter().sum(),
        bytes: counts.bytes,
        wall_ns: first_ns.map_or(0, |first| last_ns - first),
        cpu_ns: first_ns.map_or(0, |_| cpu_ns() - first_cpu_ns),
        reordered: counts.reordered,
        altered: counts.altered,
        examined: counts.examined,
        foreign: counts.foreign,
        buffer_bytes,
        latencies: counts
            .latencies
            .iter_recorded()
            .map(|it| LatencyCount { ns: it.value_iterated_to(), count: it.count_at_value() })
            .collect(),
        flows: counts.flows,
    })
}

impl Counts {
    fn new(flows: u16) -> Self {
        Self {
            flows: vec![0; flows.into()],
            expected: vec![0; flows.into()],
            bytes: 0,
            reordered: 0,
            altered: 0,
            examined: 0,
            foreign: 0,
            // Both bounds and the digits are constants that the library takes.
            latencies: Histogram::new_with_bounds(1, LONGEST_NS, 2)
                .unwrap_or_else(|_| unreachable!()),
        }
    }

    fn take(&mut self, payload: &[u8], now_ns: u64, content: &[u8]) {
        let known = Header::read(payload).filter(|it| usize::from(it.flow) < self.flows.len());
        let Some(header) = known else {
            self.foreign += 1;
            return;
        };
        let flow = usize::from(header.flow);
        self.flows[flow] += 1;
        self.bytes += (payload.len() + HEADERS) as u64;
        if u64::from(header.number) < self.expected[flow] {
            self.reordered += 1;
        } else {
            self.expected[flow] = u64::from(header.number) + 1;
        }
        if header.number.is_multiple_of(EXAMINED) {
            self.examined += 1;
            self.altered += u64::from(!is_intact(payload, content));
        }
        self.latencies.saturating_record(header.age_ns(now_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of 100 bytes that was sent at 1000 ns.
    fn packet(number: u32, flow: u16, content: &[u8]) -> Vec<u8> {
        let mut payload = content[..100 - HEADERS].to_vec();
        Header { number, flow, sent_ns: 1000 }.write(&mut payload);
        payload
    }

    fn counted(numbers: &[u32]) -> Counts {
        let content = content();
        let mut counts = Counts::new(2);
        for number in numbers {
            counts.take(&packet(*number, 1, &content), 3000, &content);
        }
        counts
    }

    #[test]
    fn packets_bytes_and_times_are_counted() {
        let counts = counted(&[0, 1, 2]);
        assert_eq!((&counts.flows[..], counts.bytes), (&[0, 3][..], 300));
        assert_eq!((counts.reordered, counts.foreign), (0, 0));
        assert_eq!(counts.latencies.len(), 3);
        let longest = counts.latencies.max();
        assert!((2000..2020).contains(&longest), "{longest}");
    }

    #[test]
    fn what_comes_after_a_later_one_is_reordered_and_a_gap_is_not() {
        assert_eq!(counted(&[0, 5, 1, 2, 6]).reordered, 2);
    }

    #[test]
    fn what_is_not_ours_counts_as_nothing_else() {
        let content = content();
        let mut counts = Counts::new(2);
        counts.take(&[0; 5], 0, &content);
        counts.take(&packet(0, 2, &content), 0, &content);
        assert_eq!((counts.foreign, counts.bytes), (2, 0));
    }

    #[test]
    fn changed_content_is_seen_where_it_is_looked_at() {
        let content = content();
        let mut counts = Counts::new(1);
        let mut payload = packet(64, 0, &content);
        *payload.last_mut().unwrap() ^= 1;
        counts.take(&payload, 0, &content);
        assert_eq!((counts.examined, counts.altered), (1, 1));
    }
}
