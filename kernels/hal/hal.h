/*
 * What a firmware asks of the target that it runs on. Each kind of target has a folder that
 * answers: linux/ is a process, as on the host and in qemu-user; avr/ is a bare microcontroller;
 * boards/ has those that are asked over a serial port.
 */
#ifndef CIPHERMARK_HAL_H
#define CIPHERMARK_HAL_H

#include <stddef.h>
#include <stdint.h>

/* What the target runs, once: a firmware defines it. The target ends with its status, 0 to 100. */
int firmware(void);

/* Writes text where whoever runs the target reads it. */
void hal_write(const char *text);

/* Memory for contexts and messages, aligned to 16 bytes: the same with every call. */
uint8_t *hal_memory(size_t *bytes);

/* Copies `count` bytes, from the byte `at` on, of the data that the image carries (data.S), or that
 * whoever asks a board has for it. */
void hal_read(uint32_t at, uint8_t *bytes, size_t count);

#endif
