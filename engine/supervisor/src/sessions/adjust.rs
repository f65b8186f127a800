//! How the next execution differs from one that does not count: the number of sessions, the
//! execution time and the window are what the workflow of the MAC study changes then (its
//! figure 3).

use ciphermark_record::sessions::{Objection, ObjectionKind, SessionLoad};

/// A window is made so many times as long.
const LONGER: f64 = 2.0;

/// A change by less than this share of what was wanted is not worth another execution.
const WORTHWHILE: f64 = 0.25;

/// The load of the next execution, which lasts no longer than `longest_ms` if this one did not; the
/// same again where what went wrong may not happen twice. Nothing when no change is left that could
/// help. The window never becomes shorter.
pub fn adjusted(
    load: &SessionLoad,
    objections: &[Objection],
    longest_ms: f64,
) -> Option<SessionLoad> {
    use ObjectionKind::{
        ClockMoved, Crowded, FewMessages, NeverRan, NotSteady, Overcommitted, Uneven,
    };
    let any = |kinds: &[ObjectionKind]| objections.iter().any(|it| kinds.contains(&it.kind));
    let mut next = load.clone();
    let mut helped = any(&[Overcommitted, ClockMoved, Crowded]);
    if any(&[NotSteady]) {
        helped |= open_later(&mut next, longest_ms);
    }
    if any(&[NeverRan, Uneven]) {
        helped |= lengthen(&mut next, longest_ms) || take_fewer(&mut next);
    } else if any(&[FewMessages]) {
        helped |= lengthen(&mut next, longest_ms);
    }
    helped.then_some(next)
}

/// Twice as late, or by half of the window where that is more, so that a window that opened at once
/// can be moved as well.
fn open_later(load: &mut SessionLoad, longest_ms: f64) -> bool {
    let wanted_ms = load.opens_ms.max((load.closes_ms - load.opens_ms) / 2.0);
    let by_ms = fitting(load, wanted_ms, longest_ms);
    load.opens_ms += by_ms;
    load.closes_ms += by_ms;
    load.execution_ms += by_ms;
    by_ms > 0.0
}

fn lengthen(load: &mut SessionLoad, longest_ms: f64) -> bool {
    let wanted_ms = (LONGER - 1.0) * (load.closes_ms - load.opens_ms);
    let by_ms = fitting(load, wanted_ms, longest_ms);
    load.closes_ms += by_ms;
    load.execution_ms += by_ms;
    by_ms > 0.0
}

/// How much of this still fits an execution; 0 where that is hardly anything.
fn fitting(load: &SessionLoad, wanted_ms: f64, longest_ms: f64) -> f64 {
    let by_ms = wanted_ms.min(longest_ms - load.execution_ms);
    if by_ms >= WORTHWHILE * wanted_ms { by_ms } else { 0.0 }
}

/// Half as many sessions, but one for each CPU: where each has its own, none waits for another.
fn take_fewer(load: &mut SessionLoad) -> bool {
    let before = load.sessions;
    load.sessions = (before / 2).max(load.cpus.len() as u32).min(before);
    load.sessions < before
}

#[cfg(test)]
mod tests {
    use ObjectionKind::{
        ClockMoved, Crowded, FewMessages, NeverRan, NotSteady, Overcommitted, Uneven,
    };
    use serde_json::json;

    use super::*;

    const LONGEST_MS: f64 = 10_000.0;

    fn load() -> SessionLoad {
        let load = json!({
            "sessions": 100, "cpus": [0, 1], "execution_ms": 2100.0, "opens_ms": 1000.0,
            "closes_ms": 2000.0, "look_ms": 10.0, "most_attempts": 3,
        });
        serde_json::from_value(load).expect("the load is understood")
    }

    fn after(kinds: &[ObjectionKind], longest_ms: f64) -> Option<SessionLoad> {
        let objection = |&kind| Objection { kind, message: String::new() };
        let objections: Vec<Objection> = kinds.iter().map(objection).collect();
        adjusted(&load(), &objections, longest_ms)
    }

    fn with(opens_ms: f64, closes_ms: f64, execution_ms: f64) -> Option<SessionLoad> {
        Some(SessionLoad { opens_ms, closes_ms, execution_ms, ..load() })
    }

    #[test]
    fn what_came_from_outside_is_repeated_as_it_was() {
        for kind in [Overcommitted, ClockMoved, Crowded] {
            assert_eq!(after(&[kind], LONGEST_MS), Some(load()));
        }
    }

    #[test]
    fn a_window_that_opened_too_early_is_moved() {
        assert_eq!(after(&[NotSteady], LONGEST_MS), with(2000.0, 3000.0, 3100.0));
        let at_once = SessionLoad { opens_ms: 0.0, closes_ms: 1000.0, ..load() };
        let objection = Objection { kind: NotSteady, message: String::new() };
        let next = adjusted(&at_once, &[objection], LONGEST_MS).expect("it can be moved");
        assert_eq!((next.opens_ms, next.closes_ms), (500.0, 1500.0));
    }

    #[test]
    fn too_little_in_a_window_makes_it_longer() {
        for kind in [NeverRan, Uneven, FewMessages] {
            assert_eq!(after(&[kind], LONGEST_MS), with(1000.0, 3000.0, 3100.0));
        }
    }

    #[test]
    fn what_time_is_left_is_used_if_it_is_worth_while() {
        assert_eq!(after(&[FewMessages], 2400.0), with(1000.0, 2300.0, 2400.0));
        assert_eq!(after(&[FewMessages], 2300.0), None);
    }

    #[test]
    fn sessions_that_cannot_have_more_time_become_fewer() {
        for kind in [NeverRan, Uneven] {
            assert_eq!(after(&[kind], 2100.0), Some(SessionLoad { sessions: 50, ..load() }));
        }
    }

    #[test]
    fn there_are_never_fewer_sessions_than_cpus() {
        let objections = [Objection { kind: Uneven, message: String::new() }];
        let with_sessions = |sessions| SessionLoad { sessions, ..load() };
        let next = |sessions| adjusted(&with_sessions(sessions), &objections, 0.0);
        assert_eq!(next(3), Some(with_sessions(2)));
        assert_eq!(next(2), None);
        assert_eq!(next(1), None);
    }

    #[test]
    fn several_objections_are_met_together() {
        let both = after(&[NotSteady, FewMessages, NeverRan], LONGEST_MS);
        assert_eq!(both, with(2000.0, 4000.0, 4100.0));
        // The window moves first; no time is left to make it longer then.
        let tight = after(&[NotSteady, Uneven], 3100.0).expect("it can be helped");
        assert_eq!((tight.opens_ms, tight.closes_ms, tight.sessions), (2000.0, 3000.0, 50));
    }

    #[test]
    fn nothing_is_repeated_in_vain() {
        assert_eq!(after(&[], LONGEST_MS), None);
        assert_eq!(after(&[NotSteady], 2100.0), None);
        assert_eq!(after(&[NotSteady, Overcommitted], 2100.0), Some(load()));
    }

    #[test]
    fn a_window_is_never_shorter_than_it_was() {
        let kinds = [Overcommitted, NotSteady, NeverRan, FewMessages, ClockMoved, Uneven, Crowded];
        for chosen in 0..1 << kinds.len() {
            let some = kinds.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1);
            let some: Vec<ObjectionKind> = some.map(|(_, &kind)| kind).collect();
            for longest_ms in [0.0, 2100.0, 2500.0, 3100.0, LONGEST_MS] {
                let Some(next) = after(&some, longest_ms) else { continue };
                assert!(next.closes_ms - next.opens_ms >= 1000.0);
                assert!(next.execution_ms <= longest_ms.max(2100.0));
                assert!(next.execution_ms - next.closes_ms == 100.0);
            }
        }
    }
}
