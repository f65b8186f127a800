/*
 * Variants of UMAC of October 2000, to be compared with what its authors printed: their code, which
 * takes other keys of layer 3 than the draft says, and RC6, while AES was not chosen yet.
 */
#include "ciphers.h"
#include "uhash.h"

#define VARIANT(name, word, streams, most_key, cipher, schedule_bytes, derive, variant) \
    UMAC_ROW(name, UMAC, ciphermark_umac_start, ciphermark_umac_finish, word, streams, most_key, \
             16, 1, 16, UHASH_REFERENCE, cipher, schedule_bytes, derive, CIPHERMARK_VARIABLE_TIME, \
             "reference", variant)

#define CODE(name, streams) \
    VARIANT(name, 4, streams, 32, ciphermark_aes_reference, AES_SCHEDULE_BYTES, \
            ciphermark_umac2000_code_derive, "flavour reference-code")

static const row rows[] = {
    VARIANT("umac2000-2-8", 2, 4, 16, ciphermark_rc6_reference, RC6_SCHEDULE_BYTES,
            ciphermark_umac2000_derive, "block_cipher RC6-32/20/16"),
    CODE("umac2000-4-4", 1), CODE("umac2000-4-8", 2), CODE("umac2000-4-12", 3),
    CODE("umac2000-4-16", 4)};

KERNELS(ciphermark_umac2000_variant_rows, rows);
