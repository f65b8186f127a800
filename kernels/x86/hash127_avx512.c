/* hash127 by AVX-512. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx512.h"

#define NEAR_POWERS 112
#define STRIDES 112
#define WORDS_ARE_BIASED 0
#define load_row load_vector
#define products multiply_even_signed32
#define other_words odd_words
#define joined_words lower_halves64

#include "hash127_powers.h"

static const row rows[] = {HASH127_POWERS_ROWS("avx512")};

KERNELS_WHERE(ciphermark_hash127_avx512_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
