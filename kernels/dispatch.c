/*
 * The list of all kernels, one line for each file. Of several backends for one algorithm the first
 * is the default, so the fast ones stand before the references.
 */
#include "kernels.h"

#define EACH_GROUP(GROUP) \
    GROUP(aes_reference_rows) \
    GROUP(hash127_portable_rows) \
    GROUP(hash127_reference_rows) \
    GROUP(idea_reference_rows) \
    GROUP(md5_reference_rows) \
    GROUP(rc5_reference_rows) \
    GROUP(rc6_reference_rows) \
    GROUP(speck64_reference_rows) \
    GROUP(speck128_reference_rows) \
    GROUP(tea_reference_rows) \
    GROUP(treyfer_reference_rows) \
    GROUP(umac_portable_rows) \
    GROUP(umac_reference_rows) \
    GROUP(umac2000_variant_rows) \
    GROUP(vmac_portable_rows) \
    GROUP(vmac_reference_rows) \
    GROUP(xtea_reference_rows)

#define DECLARED(group) extern const struct ciphermark_kernels ciphermark_##group;
EACH_GROUP(DECLARED)

#define LISTED(group) &ciphermark_##group,
const struct ciphermark_kernels *const ciphermark_kernels[] = {EACH_GROUP(LISTED)};

const size_t ciphermark_kernels_count = sizeof ciphermark_kernels / sizeof ciphermark_kernels[0];
