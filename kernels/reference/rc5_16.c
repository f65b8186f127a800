/* RC5-32/16. */
#define RC5_ROUNDS 16
#define RC5_REFERENCE ciphermark_rc5_16_reference
#include "rc5_cipher.h"

static const row rows[] = {ROWS("rc5-32-16-8-ecb", 8)};

KERNELS(ciphermark_rc5_16_reference_rows, rows);
