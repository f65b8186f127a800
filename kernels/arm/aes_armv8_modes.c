/* The modes of AES by the instructions of ARMv8. */
#include "catalogue.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "aes_armv8.h"
#include "cpu.h"

#define AES \
    ciphermark_aes_armv8, AES_INSTRUCTIONS_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "armv8"

static const row cbc[] = {CBC_ROWS_BY_BITS("aes", AES)};
KERNELS_WHERE(ciphermark_aes_armv8_cbc_rows, cbc, ciphermark_has_aes);

static const row ctr[] = {CTR_ROWS_BY_BITS("aes", AES)};
KERNELS_WHERE(ciphermark_aes_armv8_ctr_rows, ctr, ciphermark_has_aes);

static const row cmac[] = {AES_CMAC_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_armv8_cmac_rows, cmac, ciphermark_has_aes);

static const row cbc_mac[] = {AES_CBC_MAC_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_armv8_cbc_mac_rows, cbc_mac, ciphermark_has_aes);

static const row xts[] = {AES_XTS_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_armv8_xts_rows, xts, ciphermark_has_aes);

static const row eea2_eia2[] = {EEA2_EIA2_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_armv8_eea2_eia2_rows, eea2_eia2, ciphermark_has_aes);

#endif
