//! What is done to packets on the core that has them.

use ciphermark_providers::api::{CallError, CreateError, Function, Lanes, Message, Request};
use ciphermark_record::packets::KeySetup;

use super::Execution;
use super::buffers::{Packets, Stage};

/// How one operation is called.
enum PacketCalls {
    /// Message by message, with a context for each flow or one for all.
    Single(Vec<Box<dyn Function>>),
    Lanes(Box<dyn Lanes>),
}

/// One operation under the keys of all flows, of one thread.
pub struct Operator {
    calls: PacketCalls,
    key_setup: KeySetup,
    /// The batch in which the key of a flow was set last; only where it is set in each.
    keyed_in: Vec<u64>,
    batch: u64,
}

impl Operator {
    pub fn new(
        execution: &Execution<'_>,
        stage: Stage,
        keys: &[Vec<u8>],
    ) -> Result<Option<Self>, CreateError> {
        let (case, load) = (execution.case, execution.load);
        let operation = match stage {
            Stage::First => Some(case.operation),
            Stage::Second => load.then,
        };
        let Some(operation) = operation else { return Ok(None) };
        let request = Request::usual(&case.algorithm, &case.backend, operation);
        let calls = match case.lanes {
            1 => PacketCalls::Single(functions(execution, &request, keys)?),
            lanes => PacketCalls::Lanes(execution.provider.create_lanes(
                &request,
                lanes as usize,
                keys.len(),
            )?),
        };
        let in_batches = load.key_setup == KeySetup::PerBatch;
        let keyed_in = vec![0; if in_batches { keys.len() } else { 0 }];
        let mut operator = Self { calls, key_setup: load.key_setup, keyed_in, batch: 0 };
        for (flow, key) in (0..).zip(keys) {
            operator.set_key(flow, key).map_err(|why| CreateError::Failed(why.to_string()))?;
        }
        Ok(Some(operator))
    }

    #[inline]
    fn set_key(&mut self, flow: u32, key: &[u8]) -> Result<(), CallError> {
        match &mut self.calls {
            PacketCalls::Single(functions) => {
                let context = flow as usize % functions.len();
                functions[context].set_key(key)
            }
            PacketCalls::Lanes(lanes) => lanes.set_key(flow as usize, key),
        }
    }

    /// A batch begins.
    #[inline]
    fn begin(&mut self) {
        self.batch += 1;
    }

    /// Makes the key schedule of a flow where the load says that it is made now.
    #[inline]
    fn make_key(&mut self, packets: &Packets, flow: u32) -> Result<(), CallError> {
        match self.key_setup {
            KeySetup::Cached => return Ok(()),
            KeySetup::PerPacket => {}
            KeySetup::PerBatch => {
                let keyed_in = &mut self.keyed_in[flow as usize];
                if std::mem::replace(keyed_in, self.batch) == self.batch {
                    return Ok(());
                }
            }
        }
        self.set_key(flow, &packets.keys[flow as usize])
    }
}

/// A context for each flow, unless its key is set for each packet anyway.
fn functions(
    execution: &Execution<'_>,
    request: &Request<'_>,
    keys: &[Vec<u8>],
) -> Result<Vec<Box<dyn Function>>, CreateError> {
    let contexts = if execution.load.key_setup == KeySetup::PerPacket { 1 } else { keys.len() };
    (0..contexts).map(|_| execution.provider.create(request)).collect()
}

/// All operations of one thread.
pub struct Operators {
    first: Operator,
    second: Option<Operator>,
}

impl Operators {
    pub fn new(execution: &Execution<'_>, keys: &[Vec<u8>]) -> Result<Self, CreateError> {
        let first = Operator::new(execution, Stage::First, keys)?;
        let second = Operator::new(execution, Stage::Second, keys)?;
        Ok(Self { first: first.unwrap_or_else(|| unreachable!("a case has an operation")), second })
    }
}

/// Operators at work on the packets of a pass.
pub struct Work<'a> {
    operators: &'a mut Operators,
    packets: &'a Packets,
    /// Of one call of several lanes.
    flows: Vec<u32>,
    messages: Vec<Message<'a>>,
    answers: Vec<&'a mut [u8]>,
}

impl<'a> Work<'a> {
    pub fn new(operators: &'a mut Operators, packets: &'a Packets, lanes: usize) -> Self {
        Self {
            operators,
            packets,
            flows: Vec::with_capacity(lanes),
            messages: Vec::with_capacity(lanes),
            answers: Vec::with_capacity(lanes),
        }
    }

    /// Whether there is a second operation.
    #[inline]
    pub fn has_second(&self) -> bool {
        self.operators.second.is_some()
    }

    /// A batch begins.
    #[inline]
    pub fn begin(&mut self) {
        self.operators.first.begin();
        self.operators.second.iter_mut().for_each(Operator::begin);
    }

    /// Processes at most as many packets as lanes.
    ///
    /// # Safety
    ///
    /// Nobody else has anything of these packets, which are all different.
    #[inline]
    pub unsafe fn process(&mut self, numbers: &[u32], stage: Stage) -> Result<(), CallError> {
        let operator = match (stage, &mut self.operators.second) {
            (Stage::First, _) => &mut self.operators.first,
            (Stage::Second, Some(second)) => second,
            (Stage::Second, None) => return Err(CallError::Unsupported),
        };
        for &number in numbers {
            let flow = self.packets.flow(number);
            operator.make_key(self.packets, flow)?;
            // SAFETY: as the caller promises; what is kept below is let go before this returns.
            let (message, answer) = unsafe { self.packets.parts(number, stage) };
            if let PacketCalls::Single(functions) = &mut operator.calls {
                let context = if functions.len() == 1 { 0 } else { flow as usize };
                functions[context].process(&message, answer)?;
            } else {
                prefetch(message.input, answer);
                self.flows.push(flow);
                self.messages.push(message);
                self.answers.push(answer);
            }
        }
        let PacketCalls::Lanes(lanes) = &mut operator.calls else { return Ok(()) };
        let outcome = lanes.process_under(&self.flows, &self.messages, &mut self.answers);
        self.flows.clear();
        self.messages.clear();
        self.answers.clear();
        outcome
    }
}

/// Has the caches fetch what a call of several lanes is about to read and write, all lines at once: the
/// call itself goes from packet to packet, where no prefetcher follows. On other processors than x86-64
/// nothing is done, for want of a measurement.
#[inline]
fn prefetch(input: &[u8], answer: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T1, _mm_prefetch};
        for line in input.chunks(crate::buffer::ALIGNMENT) {
            // SAFETY: a hint, which reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
        }
        for line in answer.chunks(crate::buffer::ALIGNMENT) {
            // SAFETY: a hint, which writes nothing.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(line.as_ptr().cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (input, answer);
}
