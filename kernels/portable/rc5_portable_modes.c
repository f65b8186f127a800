/* The mode of RC5-32/12, in which blocks wait for each other only to encrypt. */
#include "catalogue.h"
#include "ciphers.h"
#include "fast_ciphers.h"

#define RC5 ciphermark_rc5_portable, RC5_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "portable"

static const row cbc[] = {RC5_CBC_ROWS(RC5)};
KERNELS(ciphermark_rc5_portable_cbc_rows, cbc);
