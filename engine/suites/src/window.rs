//! The anti-replay window (RFC 4303, section 3.4.3): which of the last packet numbers have come.

/// Numbers that a window looks back, a machine word (RFC 4303 has 32 at least, and 64 preferred).
const WIDTH: u64 = u64::BITS as u64;

/// The window of one association.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    /// The largest number so far.
    top: u64,
    /// Bit n is set when number `top - n` has come.
    seen: u64,
    /// Packets that a gateway would have dropped.
    replayed: u64,
}

impl Window {
    /// Whether a packet of this number may still come.
    #[inline]
    fn expects(&self, number: u64) -> bool {
        match self.top.checked_sub(number) {
            None => true,
            Some(behind) => behind < WIDTH && self.seen >> behind & 1 == 0,
        }
    }

    /// Looks at a packet's number before its integrity is checked. One that has come already is
    /// counted and let through: the harness replays prepared packets, which no real sender would.
    #[inline]
    pub fn look(&mut self, number: u64) {
        self.replayed += u64::from(!self.expects(number));
    }

    /// Notes a packet whose integrity was right.
    #[inline]
    pub fn accept(&mut self, number: u64) {
        if let Some(behind) = self.top.checked_sub(number) {
            self.seen |= 1_u64.checked_shl(behind.min(WIDTH) as u32).unwrap_or(0);
        } else {
            let ahead = number - self.top;
            self.seen = if ahead < WIDTH { self.seen << ahead | 1 } else { 1 };
            self.top = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(numbers: &[u64]) -> Window {
        let mut window = Window::default();
        numbers.iter().for_each(|&number| window.accept(number));
        window
    }

    #[test]
    fn each_number_is_expected_once() {
        let window = after(&[1, 2, 5, 100]);
        assert!(!window.expects(100) && window.expects(101) && window.expects(99));
        // 100 - 36 is the last that fits into 64 bits.
        assert!(window.expects(37) && !window.expects(36));
        assert_eq!(window.replayed, 0);
    }

    #[test]
    fn numbers_may_come_in_any_order_within_the_window() {
        let mut window = after(&[10, 8, 9, 11]);
        assert!([8, 9, 10, 11].iter().all(|&it| !window.expects(it)));
        window.look(9);
        window.look(7);
        assert_eq!(window.replayed, 1);
        window.accept(11 + WIDTH);
        assert!(!window.expects(11) && window.expects(12));
    }
}
