/* SHA-256 and SHA-224 (FIPS 180-4). */
#include "sha256_word.h"

#include "sha2.h"

/* Section 5.3.2: the second 32 bits of the fractions of the square roots of the ninth to the
 * sixteenth prime. */
static const word START_224[8] IN_FLASH = {
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
    0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};

/* Section 5.3.3: the first 32 bits of those of the first eight primes. */
static const word START_256[8] IN_FLASH = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

void ciphermark_sha224_start(void *chain)
{
    copy_start(chain, START_224);
}

void ciphermark_sha256_start(void *chain)
{
    copy_start(chain, START_256);
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
