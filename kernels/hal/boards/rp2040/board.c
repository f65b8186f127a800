/*
 * An RP2040 on the 12 MHz of its crystal. The image lies in RAM, so that neither the flash nor its
 * cache is in the figures; the boot ROM goes to the first instruction there (RP2040 datasheet, 2.8).
 * UART0 on GPIO0 and GPIO1.
 */
#include "boards/board.h"
#include "boards/cortex_m/board.h"
#include "boards/pl011/uart.h"

/* RP2040 datasheet: 2.14 (resets), 2.15.7 (clocks), 2.16.7 (crystal), 2.19.6 (pins). */
#define RESETS_RESET REGISTER(0x4000c000)
#define RESETS_DONE REGISTER(0x4000c008)
#define IO_BANK0 (1u << 5)
#define PADS_BANK0 (1u << 8)
#define UART0 (1u << 22)
#define USED (IO_BANK0 | PADS_BANK0 | UART0)
#define CLK_REF_CTRL REGISTER(0x40008030)
#define CLK_REF_SELECTED REGISTER(0x40008038)
#define CLK_SYS_CTRL REGISTER(0x4000803c)
#define CLK_SYS_SELECTED REGISTER(0x40008044)
#define CLK_PERI_CTRL REGISTER(0x40008048)
#define FROM_CRYSTAL 2u
#define FROM_CLK_REF 0u
#define PERI_ENABLED (1u << 11)
#define XOSC_CTRL REGISTER(0x40024000)
#define XOSC_STATUS REGISTER(0x40024004)
#define XOSC_STARTUP REGISTER(0x4002400c)
#define XOSC_1_TO_15_MHZ 0xaa0u
#define XOSC_ENABLE (0xfabu << 12)
#define XOSC_STABLE (1u << 31)
#define STARTUP_DELAY 47u /* of 256 cycles: 1 ms */
#define GPIO0_CTRL REGISTER(0x40014004)
#define GPIO1_CTRL REGISTER(0x4001400c)
#define FUNCTION_UART 2u

static void start_clocks(void)
{
    XOSC_CTRL = XOSC_1_TO_15_MHZ;
    XOSC_STARTUP = STARTUP_DELAY;
    XOSC_CTRL = XOSC_1_TO_15_MHZ | XOSC_ENABLE;
    while ((XOSC_STATUS & XOSC_STABLE) == 0)
        continue;
    CLK_REF_CTRL = FROM_CRYSTAL;
    while (CLK_REF_SELECTED != 1u << FROM_CRYSTAL)
        continue;
    CLK_SYS_CTRL = FROM_CLK_REF;
    while (CLK_SYS_SELECTED != 1u << FROM_CLK_REF)
        continue;
    CLK_PERI_CTRL = PERI_ENABLED; /* from clk_sys */
}

void board_start(void)
{
    start_clocks();
    RESETS_RESET &= ~USED;
    while ((RESETS_DONE & USED) != USED)
        continue;
    GPIO0_CTRL = FUNCTION_UART;
    GPIO1_CTRL = FUNCTION_UART;
    pl011_start();
}
