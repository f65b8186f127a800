/* RC5-32/16, several blocks side by side. */
#define RC5_ROUNDS 16
#define RC5_PORTABLE ciphermark_rc5_16_portable
#define RC5_REFERENCE ciphermark_rc5_16_reference
#include "rc5_lanes.h"

static const row rows[] = {ROWS("rc5-32-16-8-ecb", 8)};

KERNELS(ciphermark_rc5_16_portable_rows, rows);
