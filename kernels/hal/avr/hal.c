/*
 * A bare ATmega. Text goes to the (first) UART. At the end the status stands on port A, and the
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

#define ALIGNMENT 16

extern const uint8_t ciphermark_data[];
/* The linker's: the first byte behind all variables. */
extern uint8_t __heap_start[];

/* The lowest byte that the stack may have. */
static uint8_t *stack_end;

int main(void)
{
    stack_end = (uint8_t *)SP + 1 - HAL_STACK_BYTES;
    UART_DIVISOR = 0; /* the fastest */
    UART_CONTROL = 1 << CAN_SEND;
    PORTA = (uint8_t)firmware();
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

uint8_t *hal_memory(size_t *bytes)
{
    uint8_t *const memory =
        __heap_start + (ALIGNMENT - (uintptr_t)__heap_start % ALIGNMENT) % ALIGNMENT;
    *bytes = memory < stack_end ? (size_t)(stack_end - memory) : 0;
    return memory;
}

void hal_read(uint32_t at, uint8_t *bytes, size_t count)
{
    uint_farptr_t from = pgm_get_far_address(ciphermark_data) + at;
    for (; count > 0; count--)
        *bytes++ = pgm_read_byte_far(from++);
}
