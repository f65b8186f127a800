/* SHA-512 and SHA-384 (FIPS 180-4). */
#include "sha512.h"

#include "words.h"

/* Section 5.3.4: the first 64 bits of the fractions of the square roots of the ninth to the
 * sixteenth prime. */
static const uint64_t START_384[8] IN_FLASH = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

/* Section 5.3.5: the first 64 bits of those of the first eight primes. */
static const uint64_t START_512[8] IN_FLASH = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static void copy_start(uint64_t state[8], const uint64_t start[8])
{
    unsigned i;
    for (i = 0; i < 8; i++)
        state[i] = flash64(&start[i]);
}

void ciphermark_sha384_start(void *chain)
{
    copy_start(chain, START_384);
}

void ciphermark_sha512_start(void *chain)
{
    copy_start(chain, START_512);
}

/* The functions of section 4.1.3; the lower-case sigmas are those of the message schedule. */
static uint64_t ch(uint64_t x, uint64_t y, uint64_t z)
{
    return (x & y) ^ (~x & z);
}

static uint64_t maj(uint64_t x, uint64_t y, uint64_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

static uint64_t Sigma0(uint64_t x)
{
    return rotate_right64(x, 28) ^ rotate_right64(x, 34) ^ rotate_right64(x, 39);
}

static uint64_t Sigma1(uint64_t x)
{
    return rotate_right64(x, 14) ^ rotate_right64(x, 18) ^ rotate_right64(x, 41);
}

static uint64_t sigma0(uint64_t x)
{
    return rotate_right64(x, 1) ^ rotate_right64(x, 8) ^ x >> 7;
}

static uint64_t sigma1(uint64_t x)
{
    return rotate_right64(x, 19) ^ rotate_right64(x, 61) ^ x >> 6;
}

/* Section 6.4.2, step 1: W_t for t of 16 and more, which takes the place of W_(t-16). */
static void schedule(uint64_t w[16], unsigned t)
{
    w[t % 16] += sigma1(w[(t - 2) % 16]) + w[(t - 7) % 16] + sigma0(w[(t - 15) % 16]);
}

/* Section 6.4.2. */
static void compress_block(uint64_t state[8], const uint8_t *block)
{
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint64_t w[16];
    unsigned t;
    for (t = 0; t < 16; t++)
        w[t] = load_be64(block + 8 * t);
    for (t = 0; t < 80; t++) {
        uint64_t t1, t2;
        if (t >= 16)
            schedule(w, t);
        t1 = h + Sigma1(e) + ch(e, f, g) + flash64(&K[t]) + w[t % 16];
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
    for (; count > 0; count--, blocks += 128)
        compress_block(chain, blocks);
}

static void store_words(const uint64_t *state, uint8_t *digest, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        store_be64(digest + 8 * i, state[i]);
}

void ciphermark_sha384_finish(const void *chain, uint8_t *digest)
{
    store_words(chain, digest, 6);
}

void ciphermark_sha512_finish(const void *chain, uint8_t *digest)
{
    store_words(chain, digest, 8);
}

const struct hash ciphermark_sha384_reference = {
    128, 48, 64, 16, 1, ciphermark_sha384_start, compress, ciphermark_sha384_finish};

const struct hash ciphermark_sha512_reference = {
    128, 64, 64, 16, 1, ciphermark_sha512_start, compress, ciphermark_sha512_finish};

static const row rows[] = {
    DIGEST_ROW("sha512", ciphermark_sha512_reference, 64, "reference"),
    DIGEST_ROW("sha384", ciphermark_sha384_reference, 48, "reference"),
};

KERNELS(ciphermark_sha512_reference_rows, rows);
