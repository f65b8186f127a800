/* A process: text goes to its standard output, and its exit code is the firmware's status. */
#include "hal.h"

#include <stdio.h>
#include <string.h>

#define ALIGNMENT 16

extern const uint8_t ciphermark_data[];

static uint8_t memory[HAL_MEMORY_BYTES + ALIGNMENT];

int main(void)
{
    return firmware();
}

void hal_write(const char *text)
{
    fputs(text, stdout);
}

uint8_t *hal_memory(size_t *bytes)
{
    *bytes = HAL_MEMORY_BYTES;
    return memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
}

void hal_read(uint32_t at, uint8_t *bytes, size_t count)
{
    memcpy(bytes, ciphermark_data + at, count);
}
