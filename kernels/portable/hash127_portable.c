/*
 * hash127 (Bernstein, 2000) by a table of powers of r: a chunk of n words is an inner product with
 * r^n … r, by SSE2, or in a loop that becomes vectors.
 *
 * Numbers modulo p = 2^127 - 1 are four limbs of 26 bits and one of 23. A limb times a word of 32
 * bits is less than 2^58, so that 63 products and what is carried fit 64 bits.
 *
 * Words are signed. The loop takes each as 2^31 more than it is, and begins with what that adds to
 * a chunk, subtracted, from a second table.
 */
#include "hash127.h"

#include "ciphers.h"
#include "words.h"

#if defined(__SSE2__) && !defined(CIPHERMARK_WITHOUT_SSE2)
#include <emmintrin.h>
#define HAS_SSE2 1
#else
#define HAS_SSE2 0
#endif

#define LIMBS 5
#define LIMB_BITS 26
#define LAST_LIMB_BITS 23
#define LIMB_MASK (((uint64_t)1 << LIMB_BITS) - 1)
#define LAST_LIMB_MASK (((uint64_t)1 << LAST_LIMB_BITS) - 1)

/* Words of a run, after which sums are carried, and of a chunk, after which they are multiplied. */
#define RUN 60
#define CHUNK (4 * RUN)
/* Place of r^CHUNK, so that rows are aligned; before it is r^(CHUNK + 1). */
#define FIRST_POWER 4
/*
 * Words that are taken at once: RUN is a multiple. -2^31 stands for those that a message's end
 * lacks, since 2^31 more is 0; and as many zeros follow the powers, to be loaded with the last.
 */
#define STEP 4
#define NO_WORD 0x80000000
#define RUN_BYTES (RUN * HASH127_WORD_BYTES)
#define CHUNK_BYTES (CHUNK * HASH127_WORD_BYTES)

struct number {
    uint64_t limbs[LIMBS];
};

/* 11 KB, of which the two tables are 9.8 KB. */
struct state {
    /* r^CHUNK … r: as the words that they are for; then zeros */
    uint32_t powers[LIMBS][FIRST_POWER + CHUNK + STEP];
    uint32_t offsets[CHUNK + 1][LIMBS]; /* -2^31 (r^n + … + r) of n words */
    struct number k;
    struct number sum; /* of the message so far, times r */
    uint8_t chunk[CHUNK_BYTES]; /* the last one, as far as it is there */
    uint32_t held;
    uint8_t is_started; /* whether a chunk came before */
};

/* ---- Numbers -------------------------------------------------------------------------------- */

/* Limbs of at most 2^63 become as wide as they should be, but for 2^16 in the second. */
static inline struct number carried(uint64_t l0, uint64_t l1, uint64_t l2, uint64_t l3, uint64_t l4)
{
    struct number number;
    l1 += l0 >> LIMB_BITS;
    l2 += l1 >> LIMB_BITS;
    l3 += l2 >> LIMB_BITS;
    l4 += l3 >> LIMB_BITS;
    /* 2^127 is 1. */
    l0 = (l0 & LIMB_MASK) + (l4 >> LAST_LIMB_BITS);
    number.limbs[0] = l0 & LIMB_MASK;
    number.limbs[1] = (l1 & LIMB_MASK) + (l0 >> LIMB_BITS);
    number.limbs[2] = l2 & LIMB_MASK;
    number.limbs[3] = l3 & LIMB_MASK;
    number.limbs[4] = l4 & LAST_LIMB_MASK;
    return number;
}

/* Of carried numbers; 2^130 is 8. Written out, since compilers make slow vectors of loops. */
static inline struct number product(const struct number *a, const struct number *b)
{
    const uint64_t a0 = a->limbs[0], a1 = a->limbs[1], a2 = a->limbs[2], a3 = a->limbs[3];
    const uint64_t a4 = a->limbs[4], b0 = b->limbs[0], b1 = b->limbs[1], b2 = b->limbs[2];
    const uint64_t b3 = b->limbs[3], b4 = b->limbs[4];
    return carried(a0 * b0 + 8 * (a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1),
                   a0 * b1 + a1 * b0 + 8 * (a2 * b4 + a3 * b3 + a4 * b2),
                   a0 * b2 + a1 * b1 + a2 * b0 + 8 * (a3 * b4 + a4 * b3),
                   a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + 8 * (a4 * b4),
                   a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0);
}

static inline struct number sum_of(const struct number *a, const struct number *b)
{
    return carried(a->limbs[0] + b->limbs[0], a->limbs[1] + b->limbs[1], a->limbs[2] + b->limbs[2],
                   a->limbs[3] + b->limbs[3], a->limbs[4] + b->limbs[4]);
}

/* Of 128 bits; the first four limbs have 104 of them. */
static struct number to_limbs(uint64_t high, uint64_t low)
{
    const struct number number = {{low & LIMB_MASK, low >> 26 & LIMB_MASK,
                                   (low >> 52 | high << 12) & LIMB_MASK, high >> 14 & LIMB_MASK,
                                   high >> 40}};
    return number;
}

/* The number that four signed words stand for: as words of 2^31 more, with that subtracted. */
static struct number load_number(const uint8_t x[HASH127_BYTES])
{
    const uint64_t bias = 0x8000000080000000;
    /* 2^127 + 2^95 + 2^63 + 2^31 is 1 + 2^31 + 2^63 + 2^95. */
    static const struct number minus_bias = {{LIMB_MASK - 1, LIMB_MASK - (1 << 5),
                                              LIMB_MASK - (1 << 11), LIMB_MASK - (1 << 17),
                                              LAST_LIMB_MASK}};
    const struct number number = to_limbs(load_le64(x + 8) ^ bias, load_le64(x) ^ bias);
    return sum_of(&number, &minus_bias);
}

static void store_number(uint8_t bytes[HASH127_BYTES], struct number number)
{
    const uint64_t *limbs = number.limbs;
    uint64_t low, high, is_p;
    /* After this no limb is wider than it should be. */
    number = carried(limbs[0], limbs[1], limbs[2], limbs[3], limbs[4]);
    number = carried(limbs[0], limbs[1], limbs[2], limbs[3], limbs[4]);
    low = limbs[0] | limbs[1] << 26 | limbs[2] << 52;
    high = limbs[2] >> 12 | limbs[3] << 14 | limbs[4] << 40;
    /* p itself is 0: only for it are all bits but the last ones. */
    is_p = (((low & (high | (uint64_t)1 << 63)) + 1) == 0);
    store_le64(bytes, low & (is_p - 1));
    store_le64(bytes + 8, high & (is_p - 1));
}

/* ---- Tables --------------------------------------------------------------------------------- */

static struct number power_at(const struct state *state, size_t place)
{
    struct number power;
    unsigned i;
    for (i = 0; i < LIMBS; i++)
        power.limbs[i] = state->powers[i][place];
    return power;
}

/* Of n words: that of one less, minus 2^31 r^n. */
static struct number next_offset(const struct number *offset, const struct number *power)
{
    static const struct number bias = {{0, 1 << (31 - LIMB_BITS)}};
    /* Twice p, in limbs from which those of a product can be subtracted. */
    static const uint64_t most = 2 * LIMB_MASK, most_last = 2 * LAST_LIMB_MASK;
    const struct number biased = product(power, &bias);
    const uint64_t *limbs = biased.limbs;
    const struct number negative = {{most - limbs[0], most - limbs[1], most - limbs[2],
                                     most - limbs[3], most_last - limbs[4]}};
    return sum_of(offset, &negative);
}

static void set_key(void *context, const uint8_t r[HASH127_BYTES])
{
    struct state *state = context;
    const struct number first = load_number(r);
    struct number power = first, offset = {{0}};
    size_t n;
    unsigned i;
    for (i = 0; i < LIMBS; i++)
        memset(state->powers[i] + FIRST_POWER + CHUNK, 0, STEP * sizeof(uint32_t));
    for (n = 0; n <= CHUNK; n++) {
        for (i = 0; i < LIMBS; i++) {
            state->powers[i][FIRST_POWER + CHUNK - 1 - n] = (uint32_t)power.limbs[i];
            state->offsets[n][i] = (uint32_t)offset.limbs[i];
        }
        offset = next_offset(&offset, &power);
        power = product(&power, &first);
    }
}

/* ---- A message ------------------------------------------------------------------------------ */

static void start(void *context, const uint8_t k[HASH127_BYTES])
{
    struct state *state = context;
    state->k = load_number(k);
    state->held = 0;
    state->is_started = 0;
}

#if HAS_SSE2

/* For each limb two, of 64 bits, which are half its sum each. */
struct sums {
    __m128i limbs[LIMBS];
};

static inline void add_step(struct sums *sums, unsigned limb, const uint32_t *powers, __m128i even,
                            __m128i odd)
{
    /* Multiplied are the first and the third 32 bits of each: for odd words, of the next place. */
    const __m128i at_even = _mm_loadu_si128((const __m128i *)powers);
    const __m128i at_odd = _mm_loadu_si128((const __m128i *)(powers + 1));
    __m128i sum = sums->limbs[limb];
    sum = _mm_add_epi64(sum, _mm_mul_epu32(at_even, even));
    sums->limbs[limb] = _mm_add_epi64(sum, _mm_mul_epu32(at_odd, odd));
}

/* All carries at once: of any sums, to less than 2^42. */
static inline void carry_sums(struct sums *sums)
{
    const __m128i mask = _mm_srli_epi64(_mm_set1_epi32(-1), 64 - LIMB_BITS);
    const __m128i last_mask = _mm_srli_epi64(_mm_set1_epi32(-1), 64 - LAST_LIMB_BITS);
    const __m128i s0 = sums->limbs[0], s1 = sums->limbs[1], s2 = sums->limbs[2];
    const __m128i s3 = sums->limbs[3], s4 = sums->limbs[4];
    sums->limbs[0] = _mm_add_epi64(_mm_and_si128(s0, mask), _mm_srli_epi64(s4, LAST_LIMB_BITS));
    sums->limbs[1] = _mm_add_epi64(_mm_and_si128(s1, mask), _mm_srli_epi64(s0, LIMB_BITS));
    sums->limbs[2] = _mm_add_epi64(_mm_and_si128(s2, mask), _mm_srli_epi64(s1, LIMB_BITS));
    sums->limbs[3] = _mm_add_epi64(_mm_and_si128(s3, mask), _mm_srli_epi64(s2, LIMB_BITS));
    sums->limbs[4] = _mm_add_epi64(_mm_and_si128(s4, last_mask), _mm_srli_epi64(s3, LIMB_BITS));
}

static inline uint64_t total(__m128i sum)
{
    uint64_t halves[2];
    _mm_storeu_si128((__m128i *)halves, sum);
    return halves[0] + halves[1];
}

/*
 * Adds products of words and of the powers from a place on; words in whole steps. Compilers, left
 * to themselves, shuffle powers as well as words, which takes longer than to multiply them.
 */
static inline struct number plus_products(const struct state *state, size_t place,
                                          const uint8_t *input, size_t words,
                                          const struct number *start)
{
    const uint64_t *limbs = start->limbs;
    const __m128i bias = _mm_slli_epi32(_mm_set1_epi32(1), 31), zero = _mm_setzero_si128();
    struct sums sums = {{zero, zero, zero, zero, zero}};
    size_t i = 0;
    while (i < words) {
        /* RUN products of each half, and less than 2^42 from before, are less than 2^64. */
        const size_t end = words - i < 2 * RUN ? words : i + 2 * RUN;
        for (; i < end; i += STEP, input += STEP * HASH127_WORD_BYTES) {
            const __m128i even = _mm_xor_si128(_mm_loadu_si128((const __m128i *)input), bias);
            const __m128i odd = _mm_srli_epi64(even, 32);
            add_step(&sums, 0, state->powers[0] + place + i, even, odd);
            add_step(&sums, 1, state->powers[1] + place + i, even, odd);
            add_step(&sums, 2, state->powers[2] + place + i, even, odd);
            add_step(&sums, 3, state->powers[3] + place + i, even, odd);
            add_step(&sums, 4, state->powers[4] + place + i, even, odd);
        }
        carry_sums(&sums);
    }
    return carried(limbs[0] + total(sums.limbs[0]), limbs[1] + total(sums.limbs[1]),
                   limbs[2] + total(sums.limbs[2]), limbs[3] + total(sums.limbs[3]),
                   limbs[4] + total(sums.limbs[4]));
}

#else

/* Adds at most RUN products. */
static inline struct number plus_run(const struct state *state, size_t place,
                                     const uint8_t *input, size_t words,
                                     const struct number *start)
{
    const uint32_t *p0 = state->powers[0] + place, *p1 = state->powers[1] + place;
    const uint32_t *p2 = state->powers[2] + place, *p3 = state->powers[3] + place;
    const uint32_t *p4 = state->powers[4] + place;
    const uint64_t *limbs = start->limbs;
    uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
    size_t i;
    for (i = 0; i < words; i++) {
        const uint32_t word = load_le32(input + HASH127_WORD_BYTES * i) ^ NO_WORD;
        s0 += (uint64_t)word * p0[i];
        s1 += (uint64_t)word * p1[i];
        s2 += (uint64_t)word * p2[i];
        s3 += (uint64_t)word * p3[i];
        s4 += (uint64_t)word * p4[i];
    }
    return carried(limbs[0] + s0, limbs[1] + s1, limbs[2] + s2, limbs[3] + s3, limbs[4] + s4);
}

/* Adds products of words and of the powers from a place on; words in whole steps. */
static inline struct number plus_products(const struct state *state, size_t place,
                                          const uint8_t *input, size_t words,
                                          const struct number *start)
{
    struct number sum = *start;
    /* Whole runs apart: compilers know their length. */
    for (; words >= RUN; words -= RUN, place += RUN, input += RUN_BYTES)
        sum = plus_run(state, place, input, RUN, &sum);
    if (words > 0)
        sum = plus_run(state, place, input, words, &sum);
    return sum;
}

#endif

static inline size_t in_steps(size_t words)
{
    return (words + STEP - 1u) / STEP * STEP;
}

/*
 * Words and what is missing to a whole step. What came before goes first, so that processors can
 * do both at once.
 */
static void take_words(struct state *state, const uint8_t *input, size_t words)
{
    const size_t place = FIRST_POWER + CHUNK - words;
    /* The message begins with a word 1. */
    struct number before = power_at(state, state->is_started ? place : place - 1);
    struct number chunk;
    unsigned i;
    if (state->is_started)
        before = product(&before, &state->sum);
    for (i = 0; i < LIMBS; i++)
        chunk.limbs[i] = state->offsets[words][i];
    chunk = plus_products(state, place, input, in_steps(words), &chunk);
    state->sum = sum_of(&before, &chunk);
    state->is_started = 1;
}

static void update(void *context, const uint8_t *input, size_t bytes)
{
    struct state *state = context;
    const size_t wanted = CHUNK_BYTES - state->held;
    if (state->held > 0 && bytes >= wanted) {
        memcpy(state->chunk + state->held, input, wanted);
        take_words(state, state->chunk, CHUNK);
        state->held = 0;
        input += wanted;
        bytes -= wanted;
    }
    for (; state->held == 0 && bytes >= CHUNK_BYTES; bytes -= CHUNK_BYTES, input += CHUNK_BYTES)
        take_words(state, input, CHUNK);
    memcpy(state->chunk + state->held, input, bytes);
    state->held += (uint32_t)bytes;
}

static void finish(void *context, uint8_t hash[HASH127_BYTES])
{
    struct state *state = context;
    const size_t words = (state->held + HASH127_WORD_BYTES - 1u) / HASH127_WORD_BYTES;
    size_t i;
    memset(state->chunk + state->held, 0, HASH127_WORD_BYTES * words - state->held);
    for (i = words; i < in_steps(words); i++)
        store_le32(state->chunk + HASH127_WORD_BYTES * i, NO_WORD);
    if (words > 0 || !state->is_started)
        take_words(state, state->chunk, words);
    store_number(hash, sum_of(&state->sum, &state->k));
}

static const struct hash127 hash127_portable = {
    sizeof(struct state), set_key, start, update, finish};

static const row rows[] = {HASH127_ROWS(hash127_portable, sizeof(struct state),
                                        ciphermark_rc6_reference, RC6_SCHEDULE_BYTES, "portable")};

KERNELS(ciphermark_hash127_portable_rows, rows);
