/*
 * What a board answers beneath line.c: bytes over its serial port, and the cycles that its processor
 * counts between the marks (firmware/marks.h).
 */
#ifndef CIPHERMARK_BOARD_H
#define CIPHERMARK_BOARD_H

#include <stdint.h>

/* Sends a byte once there is room for it. */
void board_send(uint8_t byte);

/* The next byte of whoever asks; waits for it. */
uint8_t board_receive(void);

/* The counter that is read, once it is known to count: `dwt`, `systick`, `mcycle`, `timer1`. */
const char *board_counter(void);

/* There are so many intervals at most before somebody asks: of a kernel that does nothing, and of
 * the kernel. */
#define MOST_INTERVALS 2

/* Cycles of the intervals since the last call of this, and how many there are. */
uint8_t board_intervals(uint64_t cycles[MOST_INTERVALS]);

/* Waits for a command, a letter, and begins its answer. */
char line_command(void);

/* Ends the answer with the status of a firmware. */
void line_end(int status);

#endif
