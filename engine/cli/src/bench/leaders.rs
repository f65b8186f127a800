//! The fastest implementation of each algorithm, as on the first screen of a survey
//! (`python/ciphermark/workloads/single/overview.py`).

use std::collections::BTreeMap;

use ciphermark_harness::stopping::Estimate;
use ciphermark_record::description::{Algorithm, Kind, Status};

use super::cases::size;
use super::figures::Row;
use super::numbers::significant;

/// The message at which libraries are compared at most: an Ethernet frame carries it.
pub const PACKET_BYTES: u64 = 1500;

const KINDS: [Kind; 6] =
    [Kind::Suite, Kind::Aead, Kind::Cipher, Kind::Stream, Kind::Mac, Kind::Hash];

/// Kinds that people choose from, with the purpose of each.
const FOR: [(Kind, &str); 3] =
    [(Kind::Aead, "to encrypt and authenticate"), (Kind::Mac, "as MAC"), (Kind::Hash, "as hash")];

pub struct Leader<'a> {
    pub algorithm: &'a Algorithm,
    /// At the size of the comparison.
    pub best: &'a Row<'a>,
    /// Rows of one implementation at each size.
    pub by_size: BTreeMap<u64, &'a Row<'a>>,
    /// Providers that cannot be distinguished from the best.
    pub ties: Vec<&'a str>,
}

/// Finds the fastest of each algorithm that has a figure, kind by kind in the order of the plan.
pub fn leaders<'a>(algorithms: &'a [Algorithm], rows: &'a [Row<'a>]) -> Vec<Leader<'a>> {
    let mut found: Vec<_> = algorithms.iter().filter_map(|it| leader(it, rows)).collect();
    found.sort_by_key(|it| KINDS.iter().position(|kind| *kind == it.algorithm.kind));
    found
}

fn leader<'a>(algorithm: &'a Algorithm, rows: &'a [Row<'a>]) -> Option<Leader<'a>> {
    let own: Vec<&Row> = rows.iter().filter(|it| it.case.algorithm == algorithm.name).collect();
    let at = compared_at(&own)?;
    let cost = |row: &Row| row.cycles.map_or(f64::INFINITY, |it| it.value);
    let mut rivals: Vec<&Row> =
        own.iter().copied().filter(|it| size(it.case) == at && it.cycles.is_some()).collect();
    rivals.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let best = *rivals.first()?;
    let ties = rivals[1..].iter().filter(|it| is_tie(it, best));
    let same = own.iter().filter(|it| it.case.provider == best.case.provider);
    Some(Leader {
        algorithm,
        best,
        by_size: same.map(|&it| (size(it.case), it)).collect(),
        ties: ties.map(|it| it.case.provider.as_str()).collect(),
    })
}

/// The largest message up to a packet of those at which half as many rows have settled as at any.
fn compared_at(own: &[&Row]) -> Option<u64> {
    let mut settled: BTreeMap<u64, usize> = BTreeMap::new();
    for row in own {
        *settled.entry(size(row.case)).or_default() += usize::from(row.settled);
    }
    if settled.keys().any(|&it| it <= PACKET_BYTES) {
        settled.retain(|&it, _| it <= PACKET_BYTES);
    }
    let most = settled.values().max().copied().unwrap_or(0);
    settled.into_iter().filter(|&(_, count)| 2 * count >= most).map(|(bytes, _)| bytes).max()
}

/// Whether 1 lies in the interval of the ratio of two costs, whose logarithms err independently.
fn is_tie(row: &Row, best: &Row) -> bool {
    let both = row.cycles.zip(best.cycles);
    let Some((
        Estimate { value, interval: Some((low, _)) },
        Estimate { value: least, interval: Some((_, high)) },
    )) = both
    else {
        return false;
    };
    low <= 0.0 || (value / least).ln() <= (value / low).ln().hypot((high / least).ln())
}

/// Recommends the cheapest sound algorithm of each kind that people choose from, in a sentence.
pub fn recommendation(found: &[Leader]) -> Option<String> {
    let is_sound = |it: &&Leader| it.algorithm.status >= Status::Acceptable;
    let cost = |it: &Leader| it.best.cycles_per_byte().unwrap_or(f64::INFINITY);
    let chosen: Vec<String> = FOR
        .iter()
        .filter_map(|(kind, purpose)| {
            let of_kind = found.iter().filter(|it| it.algorithm.kind == *kind).filter(is_sound);
            let known = of_kind.filter(|it| it.best.half_width().is_some());
            let it = known.min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
            let by =
                std::iter::once(it.best.case.provider.as_str()).chain(it.ties.first().copied());
            let by: Vec<&str> = by.collect();
            let speed = it.best.mbytes_per_second.map(|it| format!("{} MB/s", significant(it)));
            let how: Vec<String> = [it.best.path.clone()]
                .into_iter()
                .filter(|it| !it.is_empty())
                .chain(speed)
                .collect();
            let (name, by, how) = (&it.algorithm.name, by.join(" or "), how.join(", "));
            Some(format!("{name} by {by} {purpose} ({how})"))
        })
        .collect();
    let (last, before) = chosen.split_last()?;
    Some(match before {
        [] => format!("{last}."),
        _ => format!("{} and {last}.", before.join(", ")),
    })
}
