/*
 * An ATmega with TIMER1 and USART0. The timer counts cycles in 16 bits; an interrupt counts its
 * overflows, and what the interrupt takes itself is measured at the start and left out of each
 * interval: it is the same number of cycles each time, whatever it interrupts.
 */
#include "boards/board.h"
#include "hal.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay_basic.h>

#define BAUD HAL_BAUD
#define F_CPU HAL_CLOCK_HZ
#include <util/setbaud.h>

#define MOST_CALIBRATIONS 1000
#define LOOPS 500 /* of 4 cycles */
#define HALF 0x8000

struct reading {
    uint16_t ticks;
    uint16_t overflows; /* that the interrupt has counted */
    uint8_t flags;      /* TOV1: one more, before or just after `ticks` was read */
};

static volatile uint16_t overflows;
static uint8_t interrupt_cycles;

ISR(TIMER1_OVF_vect)
{
    overflows++;
}

/* No branch, and no interrupt between the parts: each reading takes the same time. */
static inline struct reading read(void)
{
    struct reading now;
    cli();
    now.ticks = TCNT1;
    now.flags = TIFR1;
    now.overflows = overflows;
    sei();
    return now;
}

#include "boards/intervals.h"

static uint32_t time(const struct reading *now)
{
    const uint8_t is_more = (now->flags & (1 << TOV1)) != 0 && now->ticks < HALF;
    return ((uint32_t)(now->overflows + is_more) << 16) + now->ticks;
}

/* All of them, with those of the interrupts between. */
static uint32_t raw_cycles(const struct reading *from, const struct reading *to)
{
    return time(to) - time(from);
}

static uint16_t interrupts(const struct reading *from, const struct reading *to)
{
    return (uint16_t)(to->overflows - from->overflows);
}

static uint64_t cycles_between(const struct reading *from, const struct reading *to)
{
    return raw_cycles(from, to) - (uint32_t)interrupt_cycles * interrupts(from, to);
}

/* A loop with the interrupt in it, beside one without. */
static void calibrate(void)
{
    uint32_t without = 0, with = 0;
    const struct interval *const first = intervals;
    uint16_t tries;
    for (tries = 0; tries < MOST_CALIBRATIONS && (with == 0 || without == 0); tries++) {
        mark_begin();
        _delay_loop_2(LOOPS);
        mark_end();
        *(interrupts(&first->from, &first->to) > 0 ? &with : &without) =
            raw_cycles(&first->from, &first->to);
        count = 0;
    }
    interrupt_cycles = (uint8_t)(with - without);
}

const char *board_counter(void)
{
    return "timer1";
}

void board_send(uint8_t byte)
{
    loop_until_bit_is_set(UCSR0A, UDRE0);
    UDR0 = byte;
}

uint8_t board_receive(void)
{
    loop_until_bit_is_set(UCSR0A, RXC0);
    return UDR0;
}

int main(void)
{
    UBRR0 = UBRR_VALUE;
    UCSR0A = USE_2X << U2X0;
    UCSR0B = 1 << TXEN0 | 1 << RXEN0;
    TCCR1A = 0;
    TCCR1B = 1 << CS10; /* each cycle of the processor */
    TIMSK1 = 1 << TOIE1;
    sei();
    calibrate();
    return firmware();
}
