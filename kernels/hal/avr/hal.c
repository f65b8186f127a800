/*
 * A bare ATmega. Text goes to the (first) UART. At the end the status stands on port B, and the
 * processor sleeps with interrupts off, from which nothing can wake it.
 */
#include "hal.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>

/* The ATmega103 has one UART, at the same addresses. */
#ifdef UDR0
#define UART_DATA UDR0
#define UART_STATUS UCSR0A
#define UART_CONTROL UCSR0B
#define UART_DIVISOR UBRR0L
#define IS_EMPTY UDRE0
#define CAN_SEND TXEN0
#else
#define UART_DATA UDR
#define UART_STATUS USR
#define UART_CONTROL UCR
#define UART_DIVISOR UBRR
#define IS_EMPTY UDRE
#define CAN_SEND TXEN
#endif

#ifndef RAMPZ /* without flash beyond 64 KiB no address is far */
#define pgm_read_byte_far(address) pgm_read_byte((uint16_t)(address))
#endif

extern const uint8_t ciphermark_data[];

int main(void)
{
    UART_DIVISOR = 0; /* the fastest */
    UART_CONTROL = 1 << CAN_SEND;
    PORTB = (uint8_t)firmware();
    cli();
    sleep_enable();
    for (;;)
        sleep_cpu();
}

void hal_write(const char *text)
{
    for (; *text != '\0'; text++) {
        loop_until_bit_is_set(UART_STATUS, IS_EMPTY);
        UART_DATA = (uint8_t)*text;
    }
}

void hal_read(uint32_t at, uint8_t *bytes, size_t count)
{
    uint_farptr_t from = pgm_get_far_address(ciphermark_data) + at;
    for (; count > 0; count--)
        *bytes++ = pgm_read_byte_far(from++);
}
