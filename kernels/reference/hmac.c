/* HMAC of the reference hashes. */
#include "hashes.h"
#include "hmac.h"

static const row rows[] = {
    HMAC_ROW("hmac-md5", ciphermark_md5_reference, 16, "reference"),
    HMAC_ROW("hmac-sha1", ciphermark_sha1_reference, 20, "reference"),
    HMAC_ROW("hmac-sha224", ciphermark_sha224_reference, 28, "reference"),
    HMAC_ROW("hmac-sha256", ciphermark_sha256_reference, 32, "reference"),
    HMAC_ROW("hmac-sha384", ciphermark_sha384_reference, 48, "reference"),
    HMAC_ROW("hmac-sha512", ciphermark_sha512_reference, 64, "reference"),
};

KERNELS(ciphermark_hmac_reference_rows, rows);
