/*
 * An ESP32-C3 whose boot ROM has loaded the image into RAM, as it loads a second boot loader: the
 * flash and its cache are not in the figures. UART0 on GPIO20 and GPIO21, as the ROM has left its
 * pins. The processor stays on the clock that the ROM has chosen; the port counts by the crystal.
 *
 * The processor has no mcycle: 0x7e0 to 0x7e2 are its own counter (technical reference manual, 1.4).
 */
#include "boards/board.h"
#include "boards/riscv/board.h"

/* Watchdogs: that of the RTC, the super watchdog, and those of the timer groups (technical reference
 * manual, 9 and 12); a key opens each for writing. */
#define RTC_WDTCONFIG0 REGISTER(0x60008090)
#define RTC_WDTWPROTECT REGISTER(0x600080a8)
#define RTC_SWD_CONF REGISTER(0x600080ac)
#define RTC_SWD_WPROTECT REGISTER(0x600080b0)
#define SWD_AUTO_FEED (1u << 31)
#define TIMG0_WDTCONFIG0 REGISTER(0x6001f048)
#define TIMG0_WDTWPROTECT REGISTER(0x6001f064)
#define TIMG1_WDTCONFIG0 REGISTER(0x60020048)
#define TIMG1_WDTWPROTECT REGISTER(0x60020064)
#define WDT_KEY 0x50d83aa1u
#define SWD_KEY 0x8f1d312au

/* UART0 (26.5): the port's clock is the crystal's. */
#define UART_FIFO REGISTER(0x60000000)
#define UART_CLKDIV REGISTER(0x60000014)
#define UART_STATUS REGISTER(0x6000001c)
#define UART_CLK_CONF REGISTER(0x60000078)
#define UART_ID REGISTER(0x60000080)
#define UART_UPDATE (1u << 31)
#define SCLK_SEL (3u << 20)
#define SCLK_CRYSTAL (3u << 20)
#define SCLK_DIVISOR 0xfffffu /* whole and broken parts: as after a reset, 1 */
#define SCLK_DIVISOR_1 0u
#define RECEIVED(status) ((status) & 0x3ffu)
#define WAITING(status) ((status) >> 16 & 0x3ffu)
#define ROOM 120u /* of 128 bytes */
#define CRYSTAL_HZ 40000000u
#define DIVISOR_16 ((CRYSTAL_HZ * 16ull + HAL_BAUD / 2) / HAL_BAUD)

static void stop_watchdogs(void)
{
    RTC_WDTWPROTECT = WDT_KEY;
    RTC_WDTCONFIG0 = 0;
    RTC_WDTWPROTECT = 0;
    RTC_SWD_WPROTECT = SWD_KEY;
    RTC_SWD_CONF |= SWD_AUTO_FEED;
    RTC_SWD_WPROTECT = 0;
    TIMG0_WDTWPROTECT = WDT_KEY;
    TIMG0_WDTCONFIG0 = 0;
    TIMG0_WDTWPROTECT = 0;
    TIMG1_WDTWPROTECT = WDT_KEY;
    TIMG1_WDTCONFIG0 = 0;
    TIMG1_WDTWPROTECT = 0;
}

static void start_port(void)
{
    UART_CLK_CONF = (UART_CLK_CONF & ~(SCLK_SEL | SCLK_DIVISOR)) | SCLK_CRYSTAL | SCLK_DIVISOR_1;
    UART_CLKDIV = (uint32_t)(DIVISOR_16 / 16) | (uint32_t)(DIVISOR_16 % 16) << 20;
    UART_ID |= UART_UPDATE;
    while ((UART_ID & UART_UPDATE) != 0)
        continue;
}

void board_start(void)
{
    stop_watchdogs();
    start_port();
    __asm__ volatile(WITH_CSR("csrw 0x7e0, %0") : : "r"(1)); /* mpcer: cycles */
    __asm__ volatile(WITH_CSR("csrw 0x7e1, %0") : : "r"(1)); /* mpcmr: counts, and wraps */
}

void board_send(uint8_t byte)
{
    while (WAITING(UART_STATUS) >= ROOM)
        continue;
    UART_FIFO = byte;
}

uint8_t board_receive(void)
{
    while (RECEIVED(UART_STATUS) == 0)
        continue;
    return (uint8_t)UART_FIFO;
}
