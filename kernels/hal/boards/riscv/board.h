/* What a RISC-V board answers beneath counter.c. */
#ifndef CIPHERMARK_RISCV_BOARD_H
#define CIPHERMARK_RISCV_BOARD_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* An instruction on a control and status register, whatever -march says of them. */
#define WITH_CSR(instruction) ".option push\n.option arch, +zicsr\n" instruction "\n.option pop"

/* Clocks, pins, the serial port, and the counter where it must be switched on. */
void board_start(void);

#endif
