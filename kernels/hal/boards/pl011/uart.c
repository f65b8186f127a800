/* ARM's PL011 (DDI 0183), without interrupts. */
#include "boards/board.h"
#include "boards/cortex_m/board.h"
#include "boards/pl011/uart.h"

#define UARTDR REGISTER(HAL_PL011 + 0x00)
#define UARTFR REGISTER(HAL_PL011 + 0x18)
#define UARTIBRD REGISTER(HAL_PL011 + 0x24)
#define UARTFBRD REGISTER(HAL_PL011 + 0x28)
#define UARTLCR_H REGISTER(HAL_PL011 + 0x2c)
#define UARTCR REGISTER(HAL_PL011 + 0x30)
#define RXFE (1u << 4)
#define TXFF (1u << 5)
#define FIFOS_8_BITS (1u << 4 | 3u << 5)
#define UARTEN_TXE_RXE (1u | 1u << 8 | 1u << 9)

/* In 64ths of what a bit takes over 16, rounded (3.3.6). */
#define DIVISOR ((HAL_CLOCK_HZ * 4 + HAL_BAUD / 2) / HAL_BAUD)

void pl011_start(void)
{
    UARTCR = 0;
    UARTIBRD = DIVISOR / 64;
    UARTFBRD = DIVISOR % 64;
    UARTLCR_H = FIFOS_8_BITS; /* the divisors count from here on */
    UARTCR = UARTEN_TXE_RXE;
}

void board_send(uint8_t byte)
{
    while ((UARTFR & TXFF) != 0)
        continue;
    UARTDR = byte;
}

uint8_t board_receive(void)
{
    while ((UARTFR & RXFE) != 0)
        continue;
    return (uint8_t)UARTDR;
}
