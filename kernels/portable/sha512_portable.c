/* SHA-512 and SHA-384, see sha2_steps.h. */
#include "sha512_word.h"

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
