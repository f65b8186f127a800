/* HMAC of the fast hashes. */
#include "hashes.h"
#include "hmac.h"

static const row rows[] = {
    HMAC_ROW("hmac-md5", ciphermark_md5_portable, 16, "portable"),
    HMAC_ROW("hmac-sha1", ciphermark_sha1_portable, 20, "portable"),
    HMAC_ROW("hmac-sha224", ciphermark_sha224_portable, 28, "portable"),
    HMAC_ROW("hmac-sha256", ciphermark_sha256_portable, 32, "portable"),
    HMAC_ROW("hmac-sha384", ciphermark_sha384_portable, 48, "portable"),
    HMAC_ROW("hmac-sha512", ciphermark_sha512_portable, 64, "portable"),
};

KERNELS(ciphermark_hmac_portable_rows, rows);
