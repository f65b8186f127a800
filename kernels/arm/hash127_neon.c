/* hash127 by NEON. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "neon.h"

#define NEAR_POWERS 68
#define STRIDES 120
#define WORDS_ARE_BIASED 0
#define load_row load_vector
#define products multiply_even_signed32
#define other_words odd_words
#define joined_words lower_halves64

#include "hash127_powers.h"

static const row rows[] = {HASH127_POWERS_ROWS("neon")};

KERNELS(ciphermark_hash127_neon_rows, rows);

#endif
