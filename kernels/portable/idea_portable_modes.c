/* The mode of IDEA, in which blocks wait for each other only to encrypt. */
#include "catalogue.h"
#include "ciphers.h"
#include "fast_ciphers.h"

#define IDEA ciphermark_idea_portable, IDEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "portable"

static const row cbc[] = {IDEA_CBC_ROWS(IDEA)};
KERNELS(ciphermark_idea_portable_cbc_rows, cbc);
