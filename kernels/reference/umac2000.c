/* UMAC and UHASH of October 2000 (draft-krovetz-umac-01), by words of 2 bytes, signed, and of 4. */
#include "ciphers.h"
#include "uhash.h"

#define UMAC(word, streams, cipher, derive) \
    UMAC_PARAMETERS(ciphermark_umac_start, ciphermark_umac_finish, word, streams, \
                    ciphermark_uhash_reference, cipher, derive, 16)
#define UMAC_2(streams) UMAC(2, streams, ciphermark_aes_reference, ciphermark_umac2000_derive)
#define UMAC_4(streams) UMAC(4, streams, ciphermark_aes_reference, ciphermark_umac2000_derive)
#define CODE_4(streams) UMAC(4, streams, ciphermark_aes_reference, ciphermark_umac2000_code_derive)
#define UHASH(word, streams) \
    UMAC_PARAMETERS(ciphermark_uhash_start, ciphermark_uhash_finish, word, streams, \
                    ciphermark_uhash_reference, ciphermark_aes_reference, \
                    ciphermark_umac2000_derive, 16)

static const struct umac UMAC_2_4 = UMAC_2(2), UMAC_2_8 = UMAC_2(4), UMAC_2_12 = UMAC_2(6),
                         UMAC_2_16 = UMAC_2(8), UMAC_4_4 = UMAC_4(1), UMAC_4_8 = UMAC_4(2),
                         UMAC_4_12 = UMAC_4(3), UMAC_4_16 = UMAC_4(4);
static const struct umac CODE_4_4 = CODE_4(1), CODE_4_8 = CODE_4(2), CODE_4_12 = CODE_4(3),
                         CODE_4_16 = CODE_4(4);
static const struct umac RC6_2_8 =
    UMAC(2, 4, ciphermark_rc6_reference, ciphermark_umac2000_derive);
static const struct umac UHASH_2_4 = UHASH(2, 2), UHASH_2_8 = UHASH(2, 4), UHASH_2_12 = UHASH(2, 6),
                         UHASH_2_16 = UHASH(2, 8), UHASH_4_4 = UHASH(4, 1),
                         UHASH_4_8 = UHASH(4, 2), UHASH_4_12 = UHASH(4, 3),
                         UHASH_4_16 = UHASH(4, 4);

#define KEYS {16, 32}
#define NO_NONCES {0, 0}
#define NONCES {1, 16}
#define CONTEXT(schedule) UMAC_CONTEXT_BYTES(sizeof(struct uhash_state), schedule)
#define AES CONTEXT(AES_SCHEDULE_BYTES)
#define UMAC_ROW_OF(name, umac, tag) \
    UMAC_ROW(name, umac, tag, KEYS, NONCES, AES, "reference", NULL)
#define UHASH_ROW_OF(name, uhash, tag) \
    UMAC_ROW(name, uhash, tag, KEYS, NO_NONCES, AES, "reference", NULL)
#define CODE_ROW_OF(name, umac, tag) \
    UMAC_ROW(name, umac, tag, KEYS, NONCES, AES, "reference", "flavour reference-code")

static const row rows[] = {
    UMAC_ROW_OF("umac2000-2-4", UMAC_2_4, 4),
    UMAC_ROW_OF("umac2000-2-8", UMAC_2_8, 8),
    UMAC_ROW("umac2000-2-8", RC6_2_8, 8, KEYS, NONCES, CONTEXT(RC6_SCHEDULE_BYTES), "reference",
             "block_cipher RC6-32/20/16"),
    UMAC_ROW_OF("umac2000-2-12", UMAC_2_12, 12),
    UMAC_ROW_OF("umac2000-2-16", UMAC_2_16, 16),
    UMAC_ROW_OF("umac2000-4-4", UMAC_4_4, 4),
    CODE_ROW_OF("umac2000-4-4", CODE_4_4, 4),
    UMAC_ROW_OF("umac2000-4-8", UMAC_4_8, 8),
    CODE_ROW_OF("umac2000-4-8", CODE_4_8, 8),
    UMAC_ROW_OF("umac2000-4-12", UMAC_4_12, 12),
    CODE_ROW_OF("umac2000-4-12", CODE_4_12, 12),
    UMAC_ROW_OF("umac2000-4-16", UMAC_4_16, 16),
    CODE_ROW_OF("umac2000-4-16", CODE_4_16, 16),
    UHASH_ROW_OF("uhash2000-2-4", UHASH_2_4, 4),
    UHASH_ROW_OF("uhash2000-2-8", UHASH_2_8, 8),
    UHASH_ROW_OF("uhash2000-2-12", UHASH_2_12, 12),
    UHASH_ROW_OF("uhash2000-2-16", UHASH_2_16, 16),
    UHASH_ROW_OF("uhash2000-4-4", UHASH_4_4, 4),
    UHASH_ROW_OF("uhash2000-4-8", UHASH_4_8, 8),
    UHASH_ROW_OF("uhash2000-4-12", UHASH_4_12, 12),
    UHASH_ROW_OF("uhash2000-4-16", UHASH_4_16, 16)};

KERNELS(ciphermark_umac2000_reference_rows, rows);
