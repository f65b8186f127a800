/* 128-EEA2 and 128-EIA2 of 3GPP TS 33.401, annex B: AES in counter mode, and CMAC of AES. */
#ifndef CIPHERMARK_EEA2EIA2_H
#define CIPHERMARK_EEA2EIA2_H

#include "cmac.h"
#include "ecb.h"
#include "threegpp.h"

/*
 * The functions of rows whose parameters are a `struct block_cipher`. The context is its schedule,
 * or for EIA2 that of CMAC.
 */
int ciphermark_eea2(const row *self, void *context, const message *m);
int ciphermark_eia2(const row *self, void *context, const message *m);

/* All rows of an AES with schedules of `schedule` bytes. */
#define EEA2_EIA2_ROWS(...) EEA2_EIA2_ROWS_OF(__VA_ARGS__)
#define EEA2_EIA2_ROWS_OF(cipher, schedule, timing_, backend_) \
    BEARER_CIPHER_ROWS("eea2", cipher, schedule, ciphermark_ecb_set_encrypt_key, ciphermark_eea2, \
                       SIZE_MAX, timing_, backend_), \
    THREEGPP_MAC_ROW("eia2", BEARER_NONCE_BYTES, cipher, sizeof(struct cmac_subkeys) + (schedule), \
                     ciphermark_cmac_set_key, ciphermark_eia2, SIZE_MAX, timing_, backend_)

#endif
