/*
 * The list of all kernels, one line for each file. Of several backends for one algorithm the first
 * is the default, so the fast ones stand before the references.
 */
#include "kernels.h"

#define EACH_GROUP(GROUP) \
    GROUP(aes_reference_rows) \
    GROUP(chacha20_portable_rows) \
    GROUP(chacha20_reference_rows) \
    GROUP(chacha20_poly1305_portable_rows) \
    GROUP(chacha20_poly1305_reference_rows) \
    GROUP(hmac_portable_rows) \
    GROUP(hmac_reference_rows) \
    GROUP(md5_portable_rows) \
    GROUP(md5_reference_rows) \
    GROUP(poly1305_portable_rows) \
    GROUP(poly1305_reference_rows) \
    GROUP(rc4_reference_rows) \
    GROUP(seal3_reference_rows) \
    GROUP(sha1_portable_rows) \
    GROUP(sha1_reference_rows) \
    GROUP(sha256_portable_rows) \
    GROUP(sha256_reference_rows) \
    GROUP(sha512_portable_rows) \
    GROUP(sha512_reference_rows)

#define DECLARED(group) extern const struct ciphermark_kernels ciphermark_##group;
EACH_GROUP(DECLARED)

#define LISTED(group) &ciphermark_##group,
const struct ciphermark_kernels *const ciphermark_kernels[] = {EACH_GROUP(LISTED)};

const size_t ciphermark_kernels_count = sizeof ciphermark_kernels / sizeof ciphermark_kernels[0];
