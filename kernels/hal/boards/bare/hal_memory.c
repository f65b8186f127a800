/* Memory of a board without a C library. */
#include "hal.h"

static uint8_t memory[HAL_MEMORY_BYTES] __attribute__((aligned(16)));

uint8_t *hal_memory(size_t *bytes)
{
    *bytes = HAL_MEMORY_BYTES;
    return memory;
}
