/* MD5 with all steps written out, so that nothing moves from register to register. */
#include "md5.h"

#include "words.h"

/* The functions of RFC 1321, section 3.4, such that b, which comes last, has the shortest way. */
static inline uint32_t f(uint32_t b, uint32_t c, uint32_t d)
{
    return d ^ (b & (c ^ d));
}

/* No bit is in both terms, so their sum is their union, and the first need not wait for b. */
static inline uint32_t g(uint32_t b, uint32_t c, uint32_t d)
{
    return (c & ~d) + (b & d);
}

static inline uint32_t h(uint32_t b, uint32_t c, uint32_t d)
{
    return b ^ (c ^ d);
}

static inline uint32_t i(uint32_t b, uint32_t c, uint32_t d)
{
    return c ^ (b | ~d);
}

#define STEP(function, a, b, c, d, word, step, bits) \
    a += T[step] + load_le32(block + 4 * ((word) % 16)) + function(b, c, d); \
    a = b + rotate_left32(a, bits)

/* Steps k to k + 3; a step takes the word (first + k · by) mod 16. */
#define FOUR_STEPS(function, k, first, by, s0, s1, s2, s3) \
    STEP(function, a, b, c, d, (first) + (k) * (by), k, s0); \
    STEP(function, d, a, b, c, (first) + ((k) + 1) * (by), (k) + 1, s1); \
    STEP(function, c, d, a, b, (first) + ((k) + 2) * (by), (k) + 2, s2); \
    STEP(function, b, c, d, a, (first) + ((k) + 3) * (by), (k) + 3, s3)

#define ROUND(function, k, first, by, s0, s1, s2, s3) \
    FOUR_STEPS(function, k, first, by, s0, s1, s2, s3); \
    FOUR_STEPS(function, (k) + 4, first, by, s0, s1, s2, s3); \
    FOUR_STEPS(function, (k) + 8, first, by, s0, s1, s2, s3); \
    FOUR_STEPS(function, (k) + 12, first, by, s0, s1, s2, s3)

static void compress(void *chain, const uint8_t *block, size_t count)
{
    uint32_t *state = chain;
    for (; count > 0; count--, block += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        ROUND(f, 0, 0, 1, 7, 12, 17, 22);
        ROUND(g, 16, 1, 5, 5, 9, 14, 20);
        ROUND(h, 32, 5, 3, 4, 11, 16, 23);
        ROUND(i, 48, 0, 7, 6, 10, 15, 21);
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
}

const struct hash ciphermark_md5_portable = {
    64, 16, 16, 8, 0, ciphermark_md5_start, compress, ciphermark_md5_finish};

static const row rows[] = {DIGEST_ROW("md5", ciphermark_md5_portable, 16, "portable")};

KERNELS(ciphermark_md5_portable_rows, rows);
