/* The memory between the variables of an AVR and its stack, which begins at the end. */
#include "hal.h"

#include <avr/io.h>

#define ALIGNMENT 16

/* The linker's: the first byte behind all variables. */
extern uint8_t __heap_start[];

uint8_t *hal_memory(size_t *bytes)
{
    uint8_t *const memory =
        __heap_start + (ALIGNMENT - (uintptr_t)__heap_start % ALIGNMENT) % ALIGNMENT;
    const uint8_t *const end = (const uint8_t *)RAMEND + 1 - HAL_STACK_BYTES;
    *bytes = memory < end ? (size_t)(end - memory) : 0;
    return memory;
}
