/*
 * An STM32F4 on its internal oscillator of 16 MHz, by which flash has no wait states (RM0090, table
 * 10): nothing of the clocks is changed after a reset. USART2 on PA2 and PA3, which Nucleo boards
 * connect to USB (UM1724, 6.8).
 */
#include "boards/board.h"
#include "boards/cortex_m/board.h"

/* RM0090: table 1 (addresses), 7.3.10 and 7.3.13 (RCC), 8.4 (GPIO), 30.6 (USART). */
#define RCC_AHB1ENR REGISTER(0x40023830)
#define GPIOAEN (1u << 0)
#define RCC_APB1ENR REGISTER(0x40023840)
#define USART2EN (1u << 17)
#define GPIOA_MODER REGISTER(0x40020000)
#define GPIOA_AFRL REGISTER(0x40020020)
#define USART_SR REGISTER(0x40004400)
#define USART_DR REGISTER(0x40004404)
#define USART_BRR REGISTER(0x40004408)
#define USART_CR1 REGISTER(0x4000440c)
#define RXNE (1u << 5)
#define TXE (1u << 7)
#define UE (1u << 13)
#define TE (1u << 3)
#define RE (1u << 2)
#define ALTERNATE 2u
#define AF7 7u /* USART2 */

void board_start(void)
{
    RCC_AHB1ENR |= GPIOAEN;
    RCC_APB1ENR |= USART2EN;
    (void)RCC_APB1ENR; /* a clock is there two cycles after it is switched on (7.3.13) */
    GPIOA_AFRL = (GPIOA_AFRL & ~0xff00u) | AF7 << 8 | AF7 << 12;
    GPIOA_MODER = (GPIOA_MODER & ~0xf0u) | ALTERNATE << 4 | ALTERNATE << 6;
    USART_BRR = (HAL_CLOCK_HZ + HAL_BAUD / 2) / HAL_BAUD;
    USART_CR1 = UE | TE | RE;
}

void board_send(uint8_t byte)
{
    while ((USART_SR & TXE) == 0)
        continue;
    USART_DR = byte;
}

uint8_t board_receive(void)
{
    while ((USART_SR & RXNE) == 0)
        continue;
    return (uint8_t)USART_DR;
}
