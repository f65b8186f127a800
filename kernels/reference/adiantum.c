/* Adiantum with XChaCha12, all of it by references. */
#include "adiantum.h"
#include "ciphers.h"

static const struct adiantum adiantum = {
    &ciphermark_chacha12_reference, &ciphermark_poly1305_reference, &ciphermark_aes_reference};

static const row rows[] = {
    ADIANTUM_ROWS(adiantum, AES_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference")};

KERNELS(ciphermark_adiantum_reference_rows, rows);
