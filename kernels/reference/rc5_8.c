/* RC5-32/8. */
#define RC5_ROUNDS 8
#define RC5_REFERENCE ciphermark_rc5_8_reference
#include "rc5_cipher.h"

static const row rows[] = {ROWS("rc5-32-8-8-ecb", 8)};

KERNELS(ciphermark_rc5_8_reference_rows, rows);
