/* RC5-32/12, the usual number of rounds. */
#define RC5_ROUNDS 12
#define RC5_REFERENCE ciphermark_rc5_reference
#include "rc5_cipher.h"

static const row rows[] = {ROWS("rc5-32-12-8-ecb", 8), ROWS("rc5-32-12-16-ecb", 16)};

KERNELS(ciphermark_rc5_reference_rows, rows);
