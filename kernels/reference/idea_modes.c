/* The mode of IDEA. */
#include "catalogue.h"
#include "ciphers.h"

#define IDEA \
    ciphermark_idea_reference, IDEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference"

static const row cbc[] = {IDEA_CBC_ROWS(IDEA)};
KERNELS(ciphermark_idea_reference_cbc_rows, cbc);
