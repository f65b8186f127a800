/* What a board with a Cortex-M answers beneath counter.c. */
#ifndef CIPHERMARK_CORTEX_M_BOARD_H
#define CIPHERMARK_CORTEX_M_BOARD_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* Clocks, pins, the serial port. */
void board_start(void);

#endif
