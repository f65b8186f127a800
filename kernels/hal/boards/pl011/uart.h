/* ARM's PL011 at the address HAL_PL011. */
#ifndef CIPHERMARK_PL011_H
#define CIPHERMARK_PL011_H

void pl011_start(void);

#endif
