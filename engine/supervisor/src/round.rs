//! Which rounds a generation of processes makes.

/// Rounds for cases without an undisturbed group follow while they are more than this share, and not more
/// than so many times the usual rounds.
const FEW_WITHOUT_GROUP: f64 = 0.1;
const MOST_MORE_ROUNDS: u32 = 2;

/// Which cases a round takes a group of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    OfAll,
    /// Of those of which this generation has no sample that counts.
    OfThoseWithout,
}

impl Round {
    /// The next one of a generation that has made so many, where so many of the cases lack such samples.
    pub fn after(made: u32, usual: u32, without: usize, cases: usize) -> Option<Self> {
        if made < usual {
            return Some(Self::OfAll);
        }
        let are_many = without as f64 > FEW_WITHOUT_GROUP * cases as f64;
        (are_many && made < (1 + MOST_MORE_ROUNDS) * usual).then_some(Self::OfThoseWithout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rounds_follow_where_many_cases_were_disturbed() {
        assert_eq!(Round::after(0, 3, 0, 100), Some(Round::OfAll));
        assert_eq!(Round::after(2, 3, 0, 100), Some(Round::OfAll));
        assert_eq!(Round::after(3, 3, 10, 100), None);
        assert_eq!(Round::after(3, 3, 11, 100), Some(Round::OfThoseWithout));
        assert_eq!(Round::after(8, 3, 100, 100), Some(Round::OfThoseWithout));
        assert_eq!(Round::after(9, 3, 100, 100), None, "the neighbour may never rest");
        assert_eq!(Round::after(3, 3, 0, 0), None);
    }
}
