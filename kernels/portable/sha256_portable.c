/* SHA-256 and SHA-224 with eight steps written out, so that nothing moves between registers. */
#include "sha256.h"

#include "words.h"

/* The functions of FIPS 180-4, section 4.1.2, in fewer operations. */
static inline uint32_t ch(uint32_t x, uint32_t y, uint32_t z)
{
    return z ^ (x & (y ^ z));
}

/* No bit is in both terms, so their sum is their union, and neither waits for the other. */
static inline uint32_t maj(uint32_t x, uint32_t y, uint32_t z)
{
    return (y & z) + (x & (y ^ z));
}

static inline uint32_t Sigma0(uint32_t x)
{
    return rotate_right32(x, 2) ^ rotate_right32(x, 13) ^ rotate_right32(x, 22);
}

static inline uint32_t Sigma1(uint32_t x)
{
    return rotate_right32(x, 6) ^ rotate_right32(x, 11) ^ rotate_right32(x, 25);
}

static inline uint32_t sigma0(uint32_t x)
{
    return rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ x >> 3;
}

static inline uint32_t sigma1(uint32_t x)
{
    return rotate_right32(x, 17) ^ rotate_right32(x, 19) ^ x >> 10;
}

/* W_t for t of `from` + i (section 6.2.2, step 1). All calls have a constant i. */
static inline uint32_t scheduled(uint32_t w[16], unsigned from, unsigned i, const uint8_t *block)
{
    if (from == 0)
        w[i] = load_be32(block + 4 * i);
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
    uint32_t *state = chain;
    for (; count > 0; count--, block += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        uint32_t w[16];
        unsigned from;
        for (from = 0; from < 64; from += 16) {
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

const struct hash ciphermark_sha224_portable = {
    64, 28, 32, 8, 1, ciphermark_sha224_start, compress, ciphermark_sha224_finish};

const struct hash ciphermark_sha256_portable = {
    64, 32, 32, 8, 1, ciphermark_sha256_start, compress, ciphermark_sha256_finish};

static const row rows[] = {
    DIGEST_ROW("sha256", ciphermark_sha256_portable, 32, "portable"),
    DIGEST_ROW("sha224", ciphermark_sha224_portable, 28, "portable"),
};

KERNELS(ciphermark_sha256_portable_rows, rows);
