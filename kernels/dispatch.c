/*
 * The list of all kernels, one line for each file or cipher. Of several backends for one algorithm
 * the first is the default, so the fast ones stand before the references.
 */
#include "kernels.h"

/* Groups that only processors of one architecture can have. */
#if defined(__x86_64__)
#define X86(GROUP, group) GROUP(group)
#else
#define X86(GROUP, group)
#endif
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define ARM(GROUP, group) GROUP(group)
#else
#define ARM(GROUP, group)
#endif
/* An OCTEON has no floating point. */
#if defined(__OCTEON__)
#define DOUBLES(GROUP, group)
#else
#define DOUBLES(GROUP, group) GROUP(group)
#endif
#if defined(__ALTIVEC__)
#define ALTIVEC(GROUP, group) GROUP(group)
#else
#define ALTIVEC(GROUP, group)
#endif

/* The modes of a cipher with blocks of 128 bits. */
#define MODES(GROUP, cipher) \
    GROUP(cipher##_cbc_rows) \
    GROUP(cipher##_ctr_rows) \
    GROUP(cipher##_cmac_rows) \
    GROUP(cipher##_cbc_mac_rows)

#define EACH_GROUP(GROUP) \
    GROUP(adiantum_reference_rows) \
    X86(GROUP, aes_aesni_rows) \
    X86(GROUP, aes_aesni_cbc_rows) \
    X86(GROUP, aes_aesni_ctr_rows) \
    X86(GROUP, aes_aesni_cmac_rows) \
    X86(GROUP, aes_aesni_cbc_mac_rows) \
    X86(GROUP, aes_aesni_xts_rows) \
    X86(GROUP, aes_aesni_eea2_eia2_rows) \
    ARM(GROUP, aes_armv8_rows) \
    ARM(GROUP, aes_armv8_cbc_rows) \
    ARM(GROUP, aes_armv8_ctr_rows) \
    ARM(GROUP, aes_armv8_cmac_rows) \
    ARM(GROUP, aes_armv8_cbc_mac_rows) \
    ARM(GROUP, aes_armv8_xts_rows) \
    ARM(GROUP, aes_armv8_eea2_eia2_rows) \
    GROUP(aes_table_rows) \
    MODES(GROUP, aes_table) \
    GROUP(aes_table_xts_rows) \
    GROUP(aes_table_eea2_eia2_rows) \
    GROUP(aes_portable_rows) \
    MODES(GROUP, aes_portable) \
    GROUP(aes_portable_xts_rows) \
    GROUP(aes_portable_eea2_eia2_rows) \
    GROUP(aes_reference_rows) \
    MODES(GROUP, aes_reference) \
    GROUP(aes_reference_xts_rows) \
    GROUP(aes_reference_eea2_eia2_rows) \
    GROUP(ascon_aead128_reference_rows) \
    GROUP(ascon_hash256_reference_rows) \
    GROUP(camellia_table_rows) \
    MODES(GROUP, camellia_table) \
    GROUP(camellia_reference_rows) \
    MODES(GROUP, camellia_reference) \
    GROUP(chacha20_portable_rows) \
    GROUP(chacha20_reference_rows) \
    GROUP(chacha20_poly1305_portable_rows) \
    GROUP(chacha20_poly1305_reference_rows) \
    X86(GROUP, hash127_avx512_rows) \
    X86(GROUP, hash127_avx2_rows) \
    X86(GROUP, hash127_sse2_rows) \
    ARM(GROUP, hash127_neon_rows) \
    GROUP(hash127_portable_rows) \
    DOUBLES(GROUP, hash127_doubles_rows) \
    GROUP(hash127_reference_rows) \
    GROUP(hmac_portable_rows) \
    GROUP(hmac_reference_rows) \
    GROUP(idea_portable_rows) \
    GROUP(idea_portable_cbc_rows) \
    GROUP(idea_reference_rows) \
    GROUP(idea_reference_cbc_rows) \
    GROUP(kasumi_table_rows) \
    X86(GROUP, kasumi_bytesliced_avx512_rows) \
    X86(GROUP, kasumi_bitsliced_avx2_rows) \
    X86(GROUP, kasumi_bytesliced_gfni_avx2_rows) \
    X86(GROUP, kasumi_bytesliced_avx2_rows) \
    ARM(GROUP, kasumi_bytesliced_neon_rows) \
    GROUP(kasumi_reference_rows) \
    GROUP(md5_portable_rows) \
    GROUP(md5_reference_rows) \
    GROUP(poly1305_portable_rows) \
    GROUP(poly1305_reference_rows) \
    GROUP(rc4_reference_rows) \
    GROUP(rc5_portable_rows) \
    GROUP(rc5_8_portable_rows) \
    GROUP(rc5_16_portable_rows) \
    GROUP(rc5_portable_cbc_rows) \
    GROUP(rc5_reference_rows) \
    GROUP(rc5_8_reference_rows) \
    GROUP(rc5_16_reference_rows) \
    GROUP(rc5_reference_cbc_rows) \
    GROUP(rc6_portable_rows) \
    GROUP(rc6_portable_cbc_rows) \
    GROUP(rc6_portable_ctr_rows) \
    GROUP(rc6_reference_rows) \
    MODES(GROUP, rc6_reference) \
    GROUP(seal3_reference_rows) \
    GROUP(serpent_portable_rows) \
    MODES(GROUP, serpent_portable) \
    GROUP(serpent_reference_rows) \
    MODES(GROUP, serpent_reference) \
    GROUP(sha1_portable_rows) \
    GROUP(sha1_reference_rows) \
    GROUP(sha256_portable_rows) \
    GROUP(sha256_reference_rows) \
    GROUP(sha512_portable_rows) \
    GROUP(sha512_reference_rows) \
    GROUP(siphash_reference_rows) \
    X86(GROUP, snow3g_table_pclmulqdq_rows) \
    GROUP(snow3g_table_rows) \
    X86(GROUP, snow3g_avx512_rows) \
    X86(GROUP, snow3g_gfni_avx2_rows) \
    X86(GROUP, snow3g_avx2_rows) \
    ARM(GROUP, uea2_neon_rows) \
    ARM(GROUP, uia2_neon_rows) \
    GROUP(snow3g_reference_rows) \
    GROUP(speck128_portable_rows) \
    GROUP(speck128_reference_rows) \
    GROUP(speck64_reference_rows) \
    GROUP(tea_portable_rows) \
    GROUP(tea_reference_rows) \
    GROUP(treyfer_reference_rows) \
    GROUP(twofish_table_rows) \
    MODES(GROUP, twofish_table) \
    GROUP(twofish_reference_rows) \
    MODES(GROUP, twofish_reference) \
    X86(GROUP, umac_avx512_rows) \
    X86(GROUP, umac_avx2_rows) \
    X86(GROUP, umac_sse2_rows) \
    ARM(GROUP, umac_neon_rows) \
    ARM(GROUP, umac_neon_table_rows) \
    ALTIVEC(GROUP, umac_altivec_rows) \
    GROUP(umac_portable_rows) \
    GROUP(umac_reference_rows) \
    X86(GROUP, umac2000_avx512_rows) \
    X86(GROUP, umac2000_avx2_rows) \
    X86(GROUP, umac2000_sse2_rows) \
    ARM(GROUP, umac2000_neon_rows) \
    ARM(GROUP, umac2000_neon_table_rows) \
    ALTIVEC(GROUP, umac2000_altivec_rows) \
    GROUP(umac2000_portable_rows) \
    GROUP(umac2000_reference_rows) \
    X86(GROUP, umac2000_rc6_avx512_rows) \
    X86(GROUP, umac2000_rc6_avx2_rows) \
    X86(GROUP, umac2000_rc6_sse2_rows) \
    ARM(GROUP, umac2000_rc6_neon_rows) \
    ALTIVEC(GROUP, umac2000_rc6_altivec_rows) \
    GROUP(umac2000_rc6_portable_rows) \
    GROUP(umac2000_rc6_reference_rows) \
    GROUP(umac2000_variant_rows) \
    X86(GROUP, vmac_avx512_rows) \
    X86(GROUP, vmac_avx2_rows) \
    ARM(GROUP, vmac_neon_rows) \
    ARM(GROUP, vmac_neon_table_rows) \
    GROUP(vmac_portable_rows) \
    X86(GROUP, vmac_sse2_rows) \
    GROUP(vmac_reference_rows) \
    GROUP(xtea_portable_rows) \
    GROUP(xtea_reference_rows) \
    GROUP(zuc_table_rows) \
    X86(GROUP, zuc_wordsliced_avx512_rows) \
    X86(GROUP, zuc_wordsliced_gfni_avx2_rows) \
    X86(GROUP, zuc_wordsliced_avx2_rows) \
    ARM(GROUP, zuc_wordsliced_neon_rows) \
    GROUP(zuc_reference_rows)

#define DECLARED(group) extern const struct ciphermark_kernels ciphermark_##group;
EACH_GROUP(DECLARED)

#define LISTED(group) &ciphermark_##group,
const struct ciphermark_kernels *const ciphermark_kernels[] = {EACH_GROUP(LISTED)};

const size_t ciphermark_kernels_count = sizeof ciphermark_kernels / sizeof ciphermark_kernels[0];
