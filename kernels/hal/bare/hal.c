/*
 * A program without a C library: the code of a bare processor, that speaks to whoever runs it by
 * two system calls of Linux. What it costs is that of the kernels and of the compiler's own
 * library alone.
 */
#include "hal.h"

#include <string.h>

#include "system_call.h"

#define STANDARD_OUTPUT 1

extern const uint8_t ciphermark_data[];

static uint8_t memory[HAL_MEMORY_BYTES] __attribute__((aligned(16)));

void hal_main(void);

/* Where start.S goes. */
void hal_main(void)
{
    system_call(NUMBER_EXIT, firmware(), 0, 0);
    for (;;)
        __asm__ volatile("");
}

void hal_write(const char *text)
{
    const char *end = text;
    while (*end != '\0')
        end++;
    system_call(NUMBER_WRITE, STANDARD_OUTPUT, (long)text, end - text);
}

uint8_t *hal_memory(size_t *bytes)
{
    *bytes = HAL_MEMORY_BYTES;
    return memory;
}

void hal_read(uint32_t at, uint8_t *bytes, size_t count)
{
    memcpy(bytes, ciphermark_data + at, count);
}
