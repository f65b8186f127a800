//! Which packets wait in sequence behind each other, in which ring, and who takes from it.

use ciphermark_record::packets::{Architecture, Delivery, PacketLoad};

use super::buffers::Stage;

/// What follows from a load before any packet has passed.
pub struct Layout {
    pub delivery: Delivery,
    pub architecture: Architecture,
    pub stages: usize,
    pub priorities: usize,
    /// Of each flow.
    pub sequence_of: Vec<u32>,
    /// Where the packets of each sequence begin in an array of all; the last is the end of the last.
    pub starts: Vec<u32>,
    /// The ring of the first stage in which each sequence is.
    pub ring_of: Vec<u32>,
    /// The workers that take from each ring.
    pub members: Vec<Vec<usize>>,
    /// Batches that there can be.
    pub batches: usize,
}

impl Layout {
    /// A sequence is a flow where one CPU at a time may have packets of it, else all flows of a group
    /// and a priority.
    pub fn of(load: &PacketLoad, flows: u32) -> Self {
        let groups = load.groups.len().max(1);
        let priorities = load.priorities as usize;
        let stages = if load.then.is_some() && load.architecture != Architecture::RunToCompletion {
            2
        } else {
            1
        };
        let class =
            |flow: u32| (flow as usize % groups * priorities + flow as usize % priorities) as u32;
        let per_flow = load.delivery == Delivery::PerFlow;
        let sequences = if per_flow { flows } else { (groups * priorities) as u32 };
        let sequence_of: Vec<u32> =
            (0..flows).map(|flow| if per_flow { flow } else { class(flow) }).collect();
        let counts = counts(load.packets as u32, &sequence_of, sequences);
        let whole: usize = counts.iter().map(|it| it.div_ceil(load.batch) as usize).sum();
        Self {
            delivery: load.delivery,
            architecture: load.architecture,
            stages,
            priorities,
            starts: sums(&counts),
            ring_of: (0..sequences).map(|it| if per_flow { class(it) } else { it }).collect(),
            members: members(load, stages, priorities),
            // With a deadline each packet may go by itself.
            batches: if load.flush_us.is_some() { load.packets as usize } else { whole },
            sequence_of,
        }
    }

    /// How urgent the packets of a sequence are, 0 being the most urgent.
    pub fn priority(&self, sequence: u32) -> usize {
        self.ring_of[sequence as usize] as usize % self.priorities
    }

    pub fn sequences(&self) -> usize {
        self.ring_of.len()
    }

    /// The stage of a ring.
    pub fn stage(&self, ring: usize) -> Stage {
        if ring < self.rings_of_a_stage() { Stage::First } else { Stage::Second }
    }

    pub fn rings_of_a_stage(&self) -> usize {
        self.members.len() / self.stages
    }

    /// The rings that a worker takes from, those first that go before others: what is in flight
    /// before what is new, and what is urgent before what is not. Those in a tier are equal.
    pub fn tiers(&self, worker: usize) -> Vec<Vec<usize>> {
        let mut tiers = Vec::new();
        for stage in (0..self.stages).rev() {
            for priority in 0..self.priorities {
                let first = stage * self.rings_of_a_stage();
                let rings = (first..first + self.rings_of_a_stage())
                    .filter(|ring| (ring - first) % self.priorities == priority)
                    .filter(|&ring| self.members[ring].contains(&worker));
                tiers.push(rings.collect());
            }
        }
        tiers.retain(|tier: &Vec<usize>| !tier.is_empty());
        tiers
    }
}

/// Packets of each sequence.
fn counts(packets: u32, sequence_of: &[u32], sequences: u32) -> Vec<u32> {
    let flows = sequence_of.len() as u32;
    let mut counts = vec![0; sequences as usize];
    for (flow, &sequence) in (0..).zip(sequence_of) {
        counts[sequence as usize] += packets / flows + u32::from(flow < packets % flows);
    }
    counts
}

fn sums(counts: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let following = counts.iter().map(|count| {
        sum += count;
        sum
    });
    std::iter::once(0).chain(following).collect()
}

/// The workers of each ring: by stage, group and priority.
fn members(load: &PacketLoad, stages: usize, priorities: usize) -> Vec<Vec<usize>> {
    let groups = if load.groups.is_empty() { vec![load.cpus.clone()] } else { load.groups.clone() };
    let number = |cpu: &u32| load.cpus.iter().position(|it| it == cpu);
    let workers: Vec<Vec<usize>> =
        groups.iter().map(|group| group.iter().filter_map(number).collect()).collect();
    let mut members = Vec::new();
    for stage in 0..stages {
        for group in &workers {
            let those = at_stage(load.architecture, stage, group);
            members.extend((0..priorities).map(|_| those.to_vec()));
        }
    }
    members
}

/// The part of a group that works at a stage: of a pinned pipeline one half each, the larger one at
/// the first.
fn at_stage(architecture: Architecture, stage: usize, group: &[usize]) -> &[usize] {
    let (first, second) = group.split_at(group.len().div_ceil(2));
    match (architecture, stage) {
        _ if group.len() < 2 => group,
        (Architecture::PinnedPipeline, 0) => first,
        (Architecture::PinnedPipeline, _) => second,
        _ => group,
    }
}
