/* RC5-32/8, several blocks side by side. */
#define RC5_ROUNDS 8
#define RC5_PORTABLE ciphermark_rc5_8_portable
#define RC5_REFERENCE ciphermark_rc5_8_reference
#include "rc5_lanes.h"

static const row rows[] = {ROWS("rc5-32-8-8-ecb", 8)};

KERNELS(ciphermark_rc5_8_portable_rows, rows);
