//! The right answers, by another implementation than the measured one, and what senders have sent.

use ciphermark_providers::api::{
    CallError, CreateError, Function, Message, Operation, Provider, Request,
};
use ciphermark_registry as registry;
use sha2::{Digest, Sha256};

use super::Execution;
use super::buffers::{Packets, Stage, message_lengths};
use crate::buffer::POISON;
use crate::inputs::generator;
use crate::single::receives;

/// Implementations that are asked, the first that has the operations and is not the measured one.
/// `table` is by far the quicker of the plain ones, and both are checked against each other.
const ASKED: [(&str, &str); 3] =
    [("kernels", "table"), ("kernels", "reference"), ("rustcrypto", "default")];

/// What the packets' answers have to be.
pub struct Right {
    /// Whose answers they are: `kernels/table`.
    pub by: String,
    /// Of each packet.
    digests: Vec<u64>,
}

impl Right {
    /// Makes what senders have sent, where packets are received, and the right answers to all.
    pub fn of(execution: &Execution<'_>, packets: &mut Packets) -> Result<Self, CreateError> {
        match other(execution) {
            Some((provider, name, backend)) => {
                Self::by(provider.as_ref(), &name, &backend, execution, packets)
            }
            None => Self::by(
                execution.provider,
                &execution.case.provider,
                &execution.case.backend,
                execution,
                packets,
            ),
        }
    }

    fn by(
        provider: &dyn Provider,
        name: &str,
        backend: &str,
        execution: &Execution<'_>,
        packets: &mut Packets,
    ) -> Result<Self, CreateError> {
        let failed = |why: CallError| CreateError::Failed(why.to_string());
        let create = |operation| {
            provider.create(&Request::usual(&execution.algorithm.name, backend, operation))
        };
        if receives(execution.case.operation) {
            let mut sender = create(execution.algorithm.kind.sending())?;
            send(execution, packets, sender.as_mut()).map_err(failed)?;
        }
        let mut first = create(execution.case.operation)?;
        let mut second = execution.load.then.map(create).transpose()?;
        let mut digests = vec![0; packets.count as usize];
        packets.poison();
        for flow in 0..packets.flows {
            let key = &packets.keys[flow as usize];
            first.set_key(key).map_err(failed)?;
            second.iter_mut().try_for_each(|it| it.set_key(key)).map_err(failed)?;
            for packet in (flow..packets.count).step_by(packets.flows as usize) {
                process(packets, packet, Stage::First, first.as_mut()).map_err(failed)?;
                if let Some(second) = &mut second {
                    process(packets, packet, Stage::Second, second.as_mut()).map_err(failed)?;
                }
                digests[packet as usize] = digest(packets, packet);
            }
        }
        Ok(Self { by: format!("{name}/{backend}"), digests })
    }

    /// The first packet with a wrong answer.
    pub fn wrong(&self, packets: &mut Packets) -> Option<u32> {
        (0..packets.count).find(|&it| digest(packets, it) != self.digests[it as usize])
    }
}

/// Another implementation, with the names of its provider and of its backend.
fn other(execution: &Execution<'_>) -> Option<(Box<dyn Provider>, String, String)> {
    ASKED.into_iter().find_map(|(name, backend)| {
        let provider = registry::open(registry::find(name)?, None).ok()?;
        let has_all = provider.implementations().iter().any(|it| {
            let operations = &it.operations;
            it.algorithm == execution.algorithm.name
                && it.backend == backend
                && needed(execution).all(|operation| operations.contains(&operation))
        });
        (has_all && !is_measured(execution, name, backend))
            .then(|| (provider, name.into(), backend.into()))
    })
}

fn needed(execution: &Execution<'_>) -> impl Iterator<Item = Operation> {
    let sent = receives(execution.case.operation).then(|| execution.algorithm.kind.sending());
    [Some(execution.case.operation), execution.load.then, sent].into_iter().flatten()
}

fn is_measured(execution: &Execution<'_>, name: &str, backend: &str) -> bool {
    let case = execution.case;
    let measured = case.provider.split('@').next() == Some(name);
    let usual = || {
        execution.provider.implementations().into_iter().any(|it| {
            it.algorithm == execution.algorithm.name && it.default && it.backend == backend
        })
    };
    measured && (case.backend == backend || (case.backend == "default" && usual()))
}

/// Puts what a sender makes of random messages where the receiving operation finds it.
fn send(
    execution: &Execution<'_>,
    packets: &mut Packets,
    sender: &mut dyn Function,
) -> Result<(), CallError> {
    let lengths = message_lengths(execution);
    let mut message = vec![0; lengths.iter().copied().max().unwrap_or(0)];
    let mut random = generator(execution.seed, "messages of packets", packets.count as usize);
    for flow in 0..packets.flows {
        sender.set_key(&packets.keys[flow as usize])?;
        for packet in (flow..packets.count).step_by(packets.flows as usize) {
            let message = &mut message[..lengths[packet as usize % lengths.len()]];
            rand_chacha::rand_core::Rng::fill_bytes(&mut random, message);
            let nonce = packets.nonce(packet).to_vec();
            let mut input = packets.input_mut(packet);
            if execution.case.operation == Operation::Verify {
                let (first, tag) = input.split_at_mut(message.len());
                first.copy_from_slice(message);
                input = tag;
            }
            sender.process(&Message::new(&nonce, message), input)?;
        }
    }
    Ok(())
}

fn process(
    packets: &mut Packets,
    packet: u32,
    stage: Stage,
    function: &mut dyn Function,
) -> Result<(), CallError> {
    // SAFETY: the packets are borrowed mutably, and nothing of them is kept.
    let (message, answer) = unsafe { packets.parts(packet, stage) };
    answer.fill(POISON); // as the workers find it
    function.process(&message, answer)
}

/// A number that stands for all that was written for a packet.
fn digest(packets: &mut Packets, packet: u32) -> u64 {
    let (middle, answer) = packets.written(packet);
    let digest: [u8; 32] =
        Sha256::new().chain_update(middle).chain_update(answer).finalize().into();
    u64::from_le_bytes(*digest.first_chunk().expect("a digest has 32 bytes"))
}
