/* SHA-512 and SHA-384, see sha2_steps.h. */
#include "sha512.h"

#include "words.h"

typedef uint64_t word;

#define WORD_BYTES 8
#define STEPS 80
#define load_word load_be64

/* FIPS 180-4, section 4.1.3. */
static inline word Sigma0(word x)
{
    return rotate_right64(x, 28) ^ rotate_right64(x, 34) ^ rotate_right64(x, 39);
}

static inline word Sigma1(word x)
{
    return rotate_right64(x, 14) ^ rotate_right64(x, 18) ^ rotate_right64(x, 41);
}

static inline word sigma0(word x)
{
    return rotate_right64(x, 1) ^ rotate_right64(x, 8) ^ x >> 7;
}

static inline word sigma1(word x)
{
    return rotate_right64(x, 19) ^ rotate_right64(x, 61) ^ x >> 6;
}

#include "sha2_steps.h"

const struct hash ciphermark_sha384_portable = {
    128, 48, 64, 16, 1, ciphermark_sha384_start, compress, ciphermark_sha384_finish};

const struct hash ciphermark_sha512_portable = {
    128, 64, 64, 16, 1, ciphermark_sha512_start, compress, ciphermark_sha512_finish};

static const row rows[] = {
    DIGEST_ROW("sha512", ciphermark_sha512_portable, 64, "portable"),
    DIGEST_ROW("sha384", ciphermark_sha384_portable, 48, "portable"),
};

KERNELS(ciphermark_sha512_portable_rows, rows);
