/* QEMU's machine lm3s6965evb: a PL011 beneath, as in an RP2040, whose clocks it lacks. */
#include "boards/cortex_m/board.h"
#include "boards/pl011/uart.h"

void board_start(void)
{
    pl011_start();
}
