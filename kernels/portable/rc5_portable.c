/* RC5-32/12, several blocks side by side. */
#define RC5_ROUNDS 12
#define RC5_PORTABLE ciphermark_rc5_portable
#define RC5_REFERENCE ciphermark_rc5_reference
#include "rc5_lanes.h"

static const row rows[] = {ROWS("rc5-32-12-8-ecb", 8), ROWS("rc5-32-12-16-ecb", 16)};

KERNELS(ciphermark_rc5_portable_rows, rows);
