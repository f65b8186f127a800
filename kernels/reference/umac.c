/* UMAC of RFC 4418. */
#include "ciphers.h"
#include "uhash.h"

#define UMAC(streams) \
    UMAC_PARAMETERS(ciphermark_umac_start, ciphermark_umac_finish, 4, streams, \
                    ciphermark_uhash_reference, ciphermark_aes_reference, \
                    ciphermark_umac_rfc4418_derive, 8)

static const struct umac UMAC_32 = UMAC(1), UMAC_64 = UMAC(2), UMAC_96 = UMAC(3),
                         UMAC_128 = UMAC(4);

#define KEYS {16, 32}
#define NONCES {1, 16}
#define ROW(name, umac, tag) \
    UMAC_ROW(name, umac, tag, KEYS, NONCES, \
             UMAC_CONTEXT_BYTES(sizeof(struct uhash_state), AES_SCHEDULE_BYTES), "reference", NULL)

static const row rows[] = {
    ROW("umac-32", UMAC_32, 4), ROW("umac-64", UMAC_64, 8), ROW("umac-96", UMAC_96, 12),
    ROW("umac-128", UMAC_128, 16)};

KERNELS(ciphermark_umac_reference_rows, rows);
