/* SHA-1 with all steps written out, so that nothing moves from register to register. */
#include "sha1.h"

#include "words.h"

/* The functions of FIPS 180-4, section 4.1.1, in fewer operations. */
static inline uint32_t ch(uint32_t x, uint32_t y, uint32_t z)
{
    return z ^ (x & (y ^ z));
}

static inline uint32_t parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ (y ^ z);
}

/* No bit is in both terms, so their sum is their union, and neither waits for the other. */
static inline uint32_t maj(uint32_t x, uint32_t y, uint32_t z)
{
    return (y & z) + (x & (y ^ z));
}

/* W_t, section 6.1.3. All calls have a constant t, so w becomes 16 variables. */
static inline uint32_t scheduled(uint32_t w[16], unsigned t, const uint8_t *block)
{
    if (t < 16)
        w[t] = load_be32(block + 4 * t);
    else
        w[t % 16] = rotate_left32(
            w[(t - 3) % 16] ^ w[(t - 8) % 16] ^ w[(t - 14) % 16] ^ w[t % 16], 1);
    return w[t % 16];
}

#define STEP(function, k, a, b, c, d, e, t) \
    e += scheduled(w, t, block) + (k) + function(b, c, d) + rotate_left32(a, 5); \
    b = rotate_left32(b, 30)

#define FIVE_STEPS(function, k, t) \
    STEP(function, k, a, b, c, d, e, t); \
    STEP(function, k, e, a, b, c, d, (t) + 1); \
    STEP(function, k, d, e, a, b, c, (t) + 2); \
    STEP(function, k, c, d, e, a, b, (t) + 3); \
    STEP(function, k, b, c, d, e, a, (t) + 4)

#define TWENTY_STEPS(function, k, t) \
    FIVE_STEPS(function, k, t); \
    FIVE_STEPS(function, k, (t) + 5); \
    FIVE_STEPS(function, k, (t) + 10); \
    FIVE_STEPS(function, k, (t) + 15)

static void compress(void *chain, const uint8_t *block, size_t count)
{
    uint32_t *state = chain;
    for (; count > 0; count--, block += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
        uint32_t w[16];
        TWENTY_STEPS(ch, 0x5a827999, 0);
        TWENTY_STEPS(parity, 0x6ed9eba1, 20);
        TWENTY_STEPS(maj, 0x8f1bbcdc, 40);
        TWENTY_STEPS(parity, 0xca62c1d6, 60);
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
    }
}

const struct hash ciphermark_sha1_portable = {
    64, 20, 20, 8, 1, ciphermark_sha1_start, compress, ciphermark_sha1_finish};

static const row rows[] = {DIGEST_ROW("sha1", ciphermark_sha1_portable, 20, "portable")};

KERNELS(ciphermark_sha1_portable_rows, rows);
