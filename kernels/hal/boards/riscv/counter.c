/*
 * `mcycle` (The RISC-V Instruction Set Manual, volume II, 3.1.10), or the register of the chip that
 * stands for it (HAL_CYCLES, with HAL_COUNTER as its name). Its lower 32 bits: an interval has fewer
 * than 2^32 cycles.
 */
#include "boards/board.h"
#include "boards/riscv/board.h"

#ifndef HAL_CYCLES
#define HAL_CYCLES "mcycle"
#define HAL_COUNTER "mcycle"
#endif

struct reading {
    uint32_t cycles;
};

static inline struct reading read(void)
{
    struct reading now;
    __asm__ volatile(WITH_CSR("csrr %0, " HAL_CYCLES) : "=r"(now.cycles) : : "memory");
    return now;
}

#include "boards/intervals.h"

static uint64_t cycles_between(const struct reading *from, const struct reading *to)
{
    return to->cycles - from->cycles;
}

const char *board_counter(void)
{
    return HAL_COUNTER;
}
