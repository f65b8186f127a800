/* hash127 by tables of powers, over vectors that are words of 64 bits. */
#include "part.h"
#include "rows.h"
#include "words.h"

typedef uint64_t vector;
#define VECTOR_BYTES 8

/* Two words of 32 bits, the first in the lower half. */
static inline vector load_vector(const void *words)
{
    uint32_t x[2];
    memcpy(x, words, sizeof x);
    return (uint64_t)x[1] << 32 | x[0];
}

static inline void store_vector(void *words, vector x)
{
    const uint32_t both[2] = {(uint32_t)x, (uint32_t)(x >> 32)};
    memcpy(words, both, sizeof both);
}

static inline vector and2(vector a, vector b)
{
    return a & b;
}

static inline vector all32(uint32_t word)
{
    return (uint64_t)word << 32 | word;
}

static inline vector same64(uint64_t word)
{
    return word;
}

static inline vector add64(vector a, vector b)
{
    return a + b;
}

static inline vector shift_right64(vector x, unsigned bits)
{
    return x >> bits;
}

static inline uint64_t sum_of64(vector x)
{
    return x;
}

#define load_row load_le64
#define load_bytes load_part8

#define NEAR_POWERS 66
#define STRIDES 120
#define WORDS_ARE_BIASED 0

static inline vector products(vector a, vector b)
{
    return (uint64_t)((int64_t)(int32_t)(uint32_t)a * (int32_t)(uint32_t)b);
}

static inline vector other_words(vector x)
{
    return x >> 32;
}

static inline vector joined_words(vector a, vector b)
{
    return (a & UINT32_MAX) | b << 32;
}

#include "hash127_powers.h"

static const row rows[] = {HASH127_POWERS_ROWS("portable")};

KERNELS(ciphermark_hash127_portable_rows, rows);
