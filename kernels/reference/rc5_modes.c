/* The mode of RC5-32. */
#include "catalogue.h"
#include "ciphers.h"

#define OF_ROUNDS(rounds) RC5_SCHEDULE_BYTES(rounds), CIPHERMARK_VARIABLE_TIME, "reference"
#define RC5_8 ciphermark_rc5_8_reference, OF_ROUNDS(8)
#define RC5_12 ciphermark_rc5_reference, OF_ROUNDS(12)

static const row cbc[] = {RC5_8_CBC_ROWS(RC5_8), RC5_12_CBC_ROWS(RC5_12)};
KERNELS(ciphermark_rc5_reference_cbc_rows, cbc);
