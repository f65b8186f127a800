/* SHA-256 and SHA-224, see sha2_steps.h. */
#include "sha256.h"

#include "words.h"

typedef uint32_t word;

#define WORD_BYTES 4
#define STEPS 64
#define load_word load_be32

/* FIPS 180-4, section 4.1.2. */
static inline word Sigma0(word x)
{
    return rotate_right32(x, 2) ^ rotate_right32(x, 13) ^ rotate_right32(x, 22);
}

static inline word Sigma1(word x)
{
    return rotate_right32(x, 6) ^ rotate_right32(x, 11) ^ rotate_right32(x, 25);
}

static inline word sigma0(word x)
{
    return rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ x >> 3;
}

static inline word sigma1(word x)
{
    return rotate_right32(x, 17) ^ rotate_right32(x, 19) ^ x >> 10;
}

#include "sha2_steps.h"

const struct hash ciphermark_sha224_portable = {
    64, 28, 32, 8, 1, ciphermark_sha224_start, compress, ciphermark_sha224_finish};

const struct hash ciphermark_sha256_portable = {
    64, 32, 32, 8, 1, ciphermark_sha256_start, compress, ciphermark_sha256_finish};

static const row rows[] = {
    DIGEST_ROW("sha256", ciphermark_sha256_portable, 32, "portable"),
    DIGEST_ROW("sha224", ciphermark_sha224_portable, 28, "portable"),
};

KERNELS(ciphermark_sha256_portable_rows, rows);
