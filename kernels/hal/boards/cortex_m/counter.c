/*
 * DWT's CYCCNT where the processor has one and it counts (ARMv7-M, C1.8), else SysTick (B3.3), which
 * counts down in 24 bits: an exception counts how often it wraps, and what the exception takes itself
 * is measured at the start and left out.
 */
#include "boards/board.h"
#include "boards/cortex_m/board.h"
#include "hal.h"

#define DEMCR REGISTER(0xe000edfc)
#define DWT_CTRL REGISTER(0xe0001000)
#define DWT_CYCCNT REGISTER(0xe0001004)
#define TRCENA (1u << 24)
#define CYCCNTENA 1u

#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define ICSR REGISTER(0xe000ed04)
#define PENDSTSET (1u << 26)
#define ENABLED 7u /* with its exception, by the clock of the processor */
#define PERIOD 0x1000000u
#define SHORT_PERIOD 0x1000u /* to see wraps soon */

#define MOST_CALIBRATIONS 1000
#define LOOPS 6 /* far within the short period, also where instructions take many cycles */

struct reading {
    uint32_t ticks;
    uint32_t wraps;   /* that the exception has counted */
    uint32_t pending; /* PENDSTSET: one more, before or just after `ticks` was read */
};

static volatile uint32_t wraps;
static volatile uint32_t *counter;
static uint32_t period; /* of SysTick; 0 of CYCCNT */
static uint32_t exception_cycles;

void board_main(void);
void systick_wrapped(void);

void systick_wrapped(void)
{
    wraps++;
}

static inline struct reading read(void)
{
    struct reading now;
    __asm__ volatile("cpsid i" ::: "memory");
    now.ticks = *counter;
    now.pending = ICSR;
    now.wraps = wraps;
    __asm__ volatile("cpsie i" ::: "memory");
    return now;
}

#include "boards/intervals.h"

static uint64_t time(const struct reading *now)
{
    const uint32_t passed = period - 1 - now->ticks;
    const uint32_t is_more = (now->pending & PENDSTSET) != 0 && passed < period / 2;
    return (uint64_t)(now->wraps + is_more) * period + passed;
}

static uint64_t raw_cycles(const struct reading *from, const struct reading *to)
{
    if (period == 0)
        return to->ticks - from->ticks;
    return time(to) - time(from);
}

static uint64_t cycles_between(const struct reading *from, const struct reading *to)
{
    return raw_cycles(from, to) - (uint64_t)exception_cycles * (to->wraps - from->wraps);
}

static void wait(void)
{
    volatile uint32_t loops = LOOPS;
    while (loops > 0)
        loops--;
}

#if __ARM_ARCH >= 7 /* ARMv6-M has no CYCCNT */
/* Whether CYCCNT is there and counts. */
static int begin_cyccnt(void)
{
    uint32_t before;
    DEMCR |= TRCENA;
    DWT_CYCCNT = 0;
    DWT_CTRL |= CYCCNTENA;
    before = DWT_CYCCNT;
    wait();
    counter = &DWT_CYCCNT;
    return DWT_CYCCNT != before;
}
#else
static int begin_cyccnt(void)
{
    return 0;
}
#endif

static void begin_systick(uint32_t new_period)
{
    period = new_period;
    SYST_CSR = 0;
    SYST_RVR = period - 1;
    SYST_CVR = 0;
    wraps = 0;
    SYST_CSR = ENABLED;
}

/* A loop with the exception in it, beside one without. */
static void calibrate(void)
{
    uint64_t without = 0, with = 0;
    const struct interval *const first = intervals;
    uint32_t tries, exceptions;
    for (tries = 0; tries < MOST_CALIBRATIONS && (with == 0 || without == 0); tries++) {
        mark_begin();
        wait();
        mark_end();
        exceptions = first->to.wraps - first->from.wraps;
        if (exceptions <= 1)
            *(exceptions > 0 ? &with : &without) = raw_cycles(&first->from, &first->to);
        count = 0;
    }
    exception_cycles = with > without && without > 0 ? (uint32_t)(with - without) : 0;
}

const char *board_counter(void)
{
    return period == 0 ? "dwt" : "systick";
}

void board_main(void)
{
    board_start();
    if (!begin_cyccnt()) {
        counter = &SYST_CVR;
        begin_systick(SHORT_PERIOD);
        calibrate();
        begin_systick(PERIOD);
    }
    (void)firmware();
}
