//! One session: a case of its own, made anew when its life ends.

use std::ops::Range;

use ciphermark_harness::core_watch::Done;
use rand::RngExt;
use rand_chacha::ChaCha12Rng;

use super::Execution;
use crate::failure::Failure;
use crate::inputs::generator;
use crate::single::{SharedRings, Single, expected_answers};

/// Answers of each session that are checked afterwards.
const CHECKED: u64 = 4;

/// Seeds of a session's lives are so far apart, so that no two sessions share one.
const LIVES: u64 = 1 << 32;

pub struct Session<'a> {
    execution: &'a Execution<'a>,
    lengths: &'a Lengths,
    number: u32,
    pub single: Single,
    /// Done by the lives before this one.
    earlier: Done,
    /// Lives that began after the first.
    pub renewed: u32,
    /// When this life ends, ticks.
    ends: u64,
    random: ChaCha12Rng,
}

impl<'a> Session<'a> {
    /// Makes session `number` ready.
    pub fn new(
        execution: &'a Execution<'a>,
        lengths: &'a Lengths,
        number: u32,
    ) -> Result<Self, Failure> {
        Ok(Self {
            execution,
            lengths,
            number,
            single: ready(execution, number, 0)?,
            earlier: Done::default(),
            renewed: 0,
            ends: u64::MAX,
            random: generator(execution.seed, "lives", number as usize),
        })
    }

    /// Begins its first life, of which a random part is over: else all would end together.
    pub fn begin(&mut self, now: u64) {
        let part = self.random.random::<f64>();
        self.ends = self.life_ticks().map_or(u64::MAX, |life| now + (life * part) as u64);
    }

    /// Starts another session in its place when its life is over: with a key and messages of its own.
    #[inline]
    pub fn live(&mut self, now: u64) -> Result<(), Failure> {
        if now < self.ends { Ok(()) } else { self.renew(now) }
    }

    #[cold]
    fn renew(&mut self, now: u64) -> Result<(), Failure> {
        self.check()?;
        self.earlier = self.done();
        self.renewed += 1;
        self.single = ready(self.execution, self.number, self.renewed)?;
        self.ends = self.life_ticks().map_or(u64::MAX, |life| now + life as u64);
        Ok(())
    }

    fn life_ticks(&mut self) -> Option<f64> {
        let life = self.execution.load.life?;
        let part = self.random.random::<f64>();
        let ms = life.shortest_ms + part * (life.longest_ms - life.shortest_ms);
        Some(ms * 1e6 * self.execution.calibration.ticks_per_ns)
    }

    /// All that it has done since the start.
    pub fn done(&self) -> Done {
        let messages = self.single.done();
        Done {
            messages: self.earlier.messages + messages,
            bytes: self.earlier.bytes + self.lengths.of_first(messages),
        }
    }

    /// Compares its last answers with those of a function that was just made and is alone.
    pub fn check(&mut self) -> Result<(), Failure> {
        let (messages, answers) = self.single.last_answers(CHECKED)?;
        self.compare(messages, answers)
    }

    /// Processes each message of its ring once more, and compares all answers.
    pub fn check_on(&mut self) -> Result<(), Failure> {
        let (messages, answers) = self.single.run_checked()?;
        self.compare(messages, answers)
    }

    /// How long the execution takes, milliseconds.
    pub fn execution_ms(&self) -> f64 {
        self.execution.load.execution_ms
    }

    fn compare(&self, messages: Range<u64>, answers: u64) -> Result<(), Failure> {
        let Execution { provider, algorithm, case, .. } = *self.execution;
        let seed = seed(self.execution, self.number, self.renewed);
        if answers == expected_answers(provider, algorithm, case, seed, messages)? {
            return Ok(());
        }
        let number = self.number;
        Err(Failure::WrongAnswer(format!(
            "what session {number} wrote beside the others is not the right answer"
        )))
    }
}

fn ready(execution: &Execution<'_>, number: u32, life: u32) -> Result<Single, Failure> {
    let Execution { provider, algorithm, case, .. } = *execution;
    let rings = SharedRings::default();
    let seed = seed(execution, number, life);
    Ok(Single::prepare(provider, algorithm, case, seed, &rings)?)
}

/// Sessions that share a context share its key.
fn seed(execution: &Execution<'_>, number: u32, life: u32) -> u64 {
    use ciphermark_record::sessions::Contexts;
    match execution.load.contexts {
        Contexts::Own => execution.seed.wrapping_add(u64::from(life) * LIVES + u64::from(number)),
        Contexts::Shared => execution.seed,
    }
}

/// Bytes of the messages that a session processes in turn.
pub struct Lengths {
    /// Bytes of the first n messages of a turn, for each n; the last is the whole turn.
    sums: Vec<u64>,
}

impl Lengths {
    /// For a session whose bytes nobody asks for.
    pub fn none() -> Self {
        Self { sums: vec![0, 0] }
    }

    pub fn of(single: &Single, turn: usize) -> Self {
        let mut sums = vec![0];
        for index in 0..turn.max(1) as u64 {
            sums.push(sums[index as usize] + single.message_bytes(index));
        }
        Self { sums }
    }

    /// Bytes of the first so many messages.
    pub fn of_first(&self, messages: u64) -> u64 {
        let turn = self.sums.len() as u64 - 1;
        messages / turn * self.sums[turn as usize] + self.sums[(messages % turn) as usize]
    }
}
