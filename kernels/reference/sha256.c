/* SHA-256 and SHA-224 (FIPS 180-4). */
#include "sha256.h"

#include "words.h"

/* Section 5.3.2: the second 32 bits of the fractions of the square roots of the ninth to the
 * sixteenth prime. */
static const uint32_t START_224[8] IN_FLASH = {
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
    0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};

/* Section 5.3.3: the first 32 bits of those of the first eight primes. */
static const uint32_t START_256[8] IN_FLASH = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static void copy_start(uint32_t state[8], const uint32_t start[8])
{
    unsigned i;
    for (i = 0; i < 8; i++)
        state[i] = flash32(&start[i]);
}

void ciphermark_sha224_start(void *chain)
{
    copy_start(chain, START_224);
}

void ciphermark_sha256_start(void *chain)
{
    copy_start(chain, START_256);
}

/* The functions of section 4.1.2; the lower-case sigmas are those of the message schedule. */
static uint32_t ch(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (~x & z);
}

static uint32_t maj(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

static uint32_t Sigma0(uint32_t x)
{
    return rotate_right32(x, 2) ^ rotate_right32(x, 13) ^ rotate_right32(x, 22);
}

static uint32_t Sigma1(uint32_t x)
{
    return rotate_right32(x, 6) ^ rotate_right32(x, 11) ^ rotate_right32(x, 25);
}

static uint32_t sigma0(uint32_t x)
{
    return rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ x >> 3;
}

static uint32_t sigma1(uint32_t x)
{
    return rotate_right32(x, 17) ^ rotate_right32(x, 19) ^ x >> 10;
}

/* Section 6.2.2, step 1: W_t for t of 16 and more, which takes the place of W_(t-16). */
static void schedule(uint32_t w[16], unsigned t)
{
    w[t % 16] += sigma1(w[(t - 2) % 16]) + w[(t - 7) % 16] + sigma0(w[(t - 15) % 16]);
}

/* Section 6.2.2. */
static void compress_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t w[16];
    unsigned t;
    for (t = 0; t < 16; t++)
        w[t] = load_be32(block + 4 * t);
    for (t = 0; t < 64; t++) {
        uint32_t t1, t2;
        if (t >= 16)
            schedule(w, t);
        t1 = h + Sigma1(e) + ch(e, f, g) + flash32(&K[t]) + w[t % 16];
        t2 = Sigma0(a) + maj(a, b, c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
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

static void compress(void *chain, const uint8_t *blocks, size_t count)
{
    for (; count > 0; count--, blocks += 64)
        compress_block(chain, blocks);
}

static void store_words(const uint32_t *state, uint8_t *digest, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        store_be32(digest + 4 * i, state[i]);
}

void ciphermark_sha224_finish(const void *chain, uint8_t *digest)
{
    store_words(chain, digest, 7);
}

void ciphermark_sha256_finish(const void *chain, uint8_t *digest)
{
    store_words(chain, digest, 8);
}

const struct hash ciphermark_sha224_reference = {
    64, 28, 32, 8, 1, ciphermark_sha224_start, compress, ciphermark_sha224_finish};

const struct hash ciphermark_sha256_reference = {
    64, 32, 32, 8, 1, ciphermark_sha256_start, compress, ciphermark_sha256_finish};

static const row rows[] = {
    DIGEST_ROW("sha256", ciphermark_sha256_reference, 32, "reference"),
    DIGEST_ROW("sha224", ciphermark_sha224_reference, 28, "reference"),
};

KERNELS(ciphermark_sha256_reference_rows, rows);
