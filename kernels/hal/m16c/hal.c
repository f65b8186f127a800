/* A bare M16C in the simulator of GDB, which has a console where the processor has memory. */
#include "hal.h"

#include <string.h>

#define CONSOLE (*(volatile char *)0x401)

extern const uint8_t ciphermark_data[];
/* The linker's: the first byte behind all variables, aligned, and that behind the stack. */
extern uint8_t variables_end[], stack_end[];

void hal_write(const char *text)
{
    for (; *text != '\0'; text++)
        CONSOLE = *text;
}

uint8_t *hal_memory(size_t *bytes)
{
    const uint8_t *const lowest_of_stack = stack_end - HAL_STACK_BYTES;
    *bytes = variables_end < lowest_of_stack ? (size_t)(lowest_of_stack - variables_end) : 0;
    return variables_end;
}

void hal_read(uint32_t at, uint8_t *bytes, size_t count)
{
    memcpy(bytes, ciphermark_data + at, count);
}
