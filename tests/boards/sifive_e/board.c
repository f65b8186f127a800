/* QEMU's machine sifive_e: the serial port of a SiFive FE310 (FE310-G000 manual, 18). */
#include "boards/board.h"
#include "boards/riscv/board.h"

#define TXDATA REGISTER(0x10013000)
#define RXDATA REGISTER(0x10013004)
#define TXCTRL REGISTER(0x10013008)
#define RXCTRL REGISTER(0x1001300c)
#define DIV REGISTER(0x10013018)
#define FULL_OR_EMPTY (1u << 31)

void board_start(void)
{
    DIV = HAL_CLOCK_HZ / HAL_BAUD - 1;
    TXCTRL = 1;
    RXCTRL = 1;
}

void board_send(uint8_t byte)
{
    while ((TXDATA & FULL_OR_EMPTY) != 0)
        continue;
    TXDATA = byte;
}

uint8_t board_receive(void)
{
    uint32_t received;
    do
        received = RXDATA;
    while ((received & FULL_OR_EMPTY) != 0);
    return (uint8_t)received;
}
