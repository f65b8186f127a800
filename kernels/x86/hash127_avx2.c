/* hash127 by AVX2. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"

#define NEAR_POWERS 120
#define STRIDES 120
#define WORDS_ARE_BIASED 0
#define load_row load_vector
#define products multiply_even_signed32
#define other_words odd_words
#define joined_words lower_halves64

#include "hash127_powers.h"

static const row rows[] = {HASH127_POWERS_ROWS("avx2")};

KERNELS_WHERE(ciphermark_hash127_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
