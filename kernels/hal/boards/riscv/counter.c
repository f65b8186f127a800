/*
 * `mcycle` (The RISC-V Instruction Set Manual, volume II, 3.1.10), or the register of the chip that
 * stands for it (HAL_CYCLES, with HAL_COUNTER as its name). Its lower 32 bits: an interval has fewer
 * than 2^32 cycles.
 */
#include "boards/board.h"
#include "boards/riscv/board.h"
#include "marks.h"

#ifndef HAL_CYCLES
#define HAL_CYCLES "mcycle"
#define HAL_COUNTER "mcycle"
#endif

static uint32_t begun, lengths[MOST_INTERVALS];
static uint8_t count;

static inline uint32_t read(void)
{
    uint32_t now;
    __asm__ volatile(WITH_CSR("csrr %0, " HAL_CYCLES) : "=r"(now) : : "memory");
    return now;
}

KEPT_APART void mark_begin(void)
{
    begun = read();
}

KEPT_APART void mark_end(void)
{
    const uint32_t now = read();
    if (count < MOST_INTERVALS)
        lengths[count++] = now - begun;
}

uint8_t board_intervals(uint64_t cycles[MOST_INTERVALS])
{
    const uint8_t found = count;
    uint8_t i;
    for (i = 0; i < found; i++)
        cycles[i] = lengths[i];
    count = 0;
    return found;
}

const char *board_counter(void)
{
    return HAL_COUNTER;
}
