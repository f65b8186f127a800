/* SHA-512 and SHA-384 with eight steps written out, so that nothing moves between registers. */
#include "sha512.h"

#include "words.h"

/* The functions of FIPS 180-4, section 4.1.3, in fewer operations. */
static inline uint64_t ch(uint64_t x, uint64_t y, uint64_t z)
{
    return z ^ (x & (y ^ z));
}

/* No bit is in both terms, so their sum is their union, and neither waits for the other. */
static inline uint64_t maj(uint64_t x, uint64_t y, uint64_t z)
{
    return (y & z) + (x & (y ^ z));
}

static inline uint64_t Sigma0(uint64_t x)
{
    return rotate_right64(x, 28) ^ rotate_right64(x, 34) ^ rotate_right64(x, 39);
}

static inline uint64_t Sigma1(uint64_t x)
{
    return rotate_right64(x, 14) ^ rotate_right64(x, 18) ^ rotate_right64(x, 41);
}

static inline uint64_t sigma0(uint64_t x)
{
    return rotate_right64(x, 1) ^ rotate_right64(x, 8) ^ x >> 7;
}

static inline uint64_t sigma1(uint64_t x)
{
    return rotate_right64(x, 19) ^ rotate_right64(x, 61) ^ x >> 6;
}

/* W_t for t of `from` + i (section 6.4.2, step 1). All calls have a constant i. */
static inline uint64_t scheduled(uint64_t w[16], unsigned from, unsigned i, const uint8_t *block)
{
    if (from == 0)
        w[i] = load_be64(block + 8 * i);
    else
        w[i] += sigma1(w[(i + 14) % 16]) + w[(i + 9) % 16] + sigma0(w[(i + 1) % 16]);
    return w[i];
}

#define STEP(a, b, c, d, e, f, g, h, i) \
    h += Sigma1(e) + ch(e, f, g) + K[from + (i)] + scheduled(w, from, i, block); \
    d += h; \
    h += Sigma0(a) + maj(a, b, c)

#define EIGHT_STEPS(i) \
    STEP(a, b, c, d, e, f, g, h, i); \
    STEP(h, a, b, c, d, e, f, g, (i) + 1); \
    STEP(g, h, a, b, c, d, e, f, (i) + 2); \
    STEP(f, g, h, a, b, c, d, e, (i) + 3); \
    STEP(e, f, g, h, a, b, c, d, (i) + 4); \
    STEP(d, e, f, g, h, a, b, c, (i) + 5); \
    STEP(c, d, e, f, g, h, a, b, (i) + 6); \
    STEP(b, c, d, e, f, g, h, a, (i) + 7)

static void compress(void *chain, const uint8_t *block, size_t count)
{
    uint64_t *state = chain;
    for (; count > 0; count--, block += 128) {
        uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
        uint64_t w[16];
        unsigned from;
        for (from = 0; from < 80; from += 16) {
            EIGHT_STEPS(0);
            EIGHT_STEPS(8);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}

const struct hash ciphermark_sha384_portable = {
    128, 48, 64, 16, 1, ciphermark_sha384_start, compress, ciphermark_sha384_finish};

const struct hash ciphermark_sha512_portable = {
    128, 64, 64, 16, 1, ciphermark_sha512_start, compress, ciphermark_sha512_finish};

static const row rows[] = {
    DIGEST_ROW("sha512", ciphermark_sha512_portable, 64, "portable"),
    DIGEST_ROW("sha384", ciphermark_sha384_portable, 48, "portable"),
};

KERNELS(ciphermark_sha512_portable_rows, rows);
