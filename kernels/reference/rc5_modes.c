/* The mode of RC5-32/12. */
#include "catalogue.h"
#include "ciphers.h"

#define RC5 \
    ciphermark_rc5_reference, RC5_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"

static const row cbc[] = {RC5_CBC_ROWS(RC5)};
KERNELS(ciphermark_rc5_reference_cbc_rows, cbc);
