/*
 * All that a board can be asked, in one image: what it is, and what the other firmwares do, which are
 * compiled for it under names of their own. Their data comes over the serial port.
 */
#include "boards/board.h"
#include "hal.h"
#include "print.h"

#define PROTOCOL 1

/* Of the image, in a file that is written for it. */
extern const char board_target[];
extern const char board_build[];

int firmware_rows(void);
int firmware_vectors(void);
int firmware_measure(void);

static int firmware_hello(void)
{
    print("ciphermark ", PROTOCOL, " ");
    hal_write(board_target);
    hal_write(" ");
    hal_write(board_build);
    hal_write(" ");
    hal_write(board_counter());
    hal_write("\n");
    return 0;
}

int firmware(void)
{
    hal_write("started\n"); /* in the midst of an answer it tells of a reset */
    for (;;) {
        switch (line_command()) {
        case 'h':
            line_end(firmware_hello());
            break;
        case 'r':
            line_end(firmware_rows());
            break;
        case 'v':
            line_end(firmware_vectors());
            break;
        case 'm':
            line_end(firmware_measure());
            break;
        default: /* garbled: no end tells so */
            break;
        }
    }
}
