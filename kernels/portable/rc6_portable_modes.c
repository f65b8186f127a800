/* The modes of RC6-32/20 in which blocks do not wait for each other, at least to decrypt. */
#include "catalogue.h"
#include "ciphers.h"
#include "fast_ciphers.h"

#define RC6 ciphermark_rc6_portable, RC6_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "portable"

static const row cbc[] = {RC6_CBC_ROWS(RC6)};
KERNELS(ciphermark_rc6_portable_cbc_rows, cbc);

static const row ctr[] = {RC6_CTR_ROWS(RC6)};
KERNELS(ciphermark_rc6_portable_ctr_rows, ctr);
