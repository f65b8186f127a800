/* hash127 by SSE2, which multiplies words without signs only. */
#include "rows.h"

#if defined(__x86_64__)

#include "sse2.h"

#define NEAR_POWERS 60
#define STRIDES 60
#define WORDS_ARE_BIASED 1
#define load_row load_vector
#define products multiply_even32
#define other_words odd_words
#define joined_words lower_halves64

#include "hash127_powers.h"

static const row rows[] = {HASH127_POWERS_ROWS("sse2")};

KERNELS(ciphermark_hash127_sse2_rows, rows);

#endif
