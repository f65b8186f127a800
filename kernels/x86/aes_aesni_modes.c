/* The modes of AES by AES-NI. */
#include "catalogue.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "aes_aesni.h"

#define AES \
    ciphermark_aes_aesni, AES_INSTRUCTIONS_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "aesni"

static const row cbc[] = {CBC_ROWS_BY_BITS("aes", AES)};
KERNELS_WHERE(ciphermark_aes_aesni_cbc_rows, cbc, RUN_HERE);

static const row ctr[] = {CTR_ROWS_BY_BITS("aes", AES)};
KERNELS_WHERE(ciphermark_aes_aesni_ctr_rows, ctr, RUN_HERE);

static const row cmac[] = {AES_CMAC_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_aesni_cmac_rows, cmac, RUN_HERE);

static const row cbc_mac[] = {AES_CBC_MAC_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_aesni_cbc_mac_rows, cbc_mac, RUN_HERE);

static const row xts[] = {AES_XTS_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_aesni_xts_rows, xts, RUN_HERE);

static const row eea2_eia2[] = {EEA2_EIA2_ROWS(AES)};
KERNELS_WHERE(ciphermark_aes_aesni_eea2_eia2_rows, eea2_eia2, RUN_HERE);

#include "instructions_end.h"

#endif
