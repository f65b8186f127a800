/* SHA-256 and SHA-224, see sha2_steps.h. */
#include "sha256_word.h"

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
