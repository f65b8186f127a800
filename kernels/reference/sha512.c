/* SHA-512 and SHA-384 (FIPS 180-4). */
#include "sha512_word.h"

#include "sha2.h"

/* Section 5.3.4: the first 64 bits of the fractions of the square roots of the ninth to the
 * sixteenth prime. */
static const word START_384[8] IN_FLASH = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

/* Section 5.3.5: the first 64 bits of those of the first eight primes. */
static const word START_512[8] IN_FLASH = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

void ciphermark_sha384_start(void *chain)
{
    copy_start(chain, START_384);
}

void ciphermark_sha512_start(void *chain)
{
    copy_start(chain, START_512);
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
