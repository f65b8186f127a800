/* ChaCha20-Poly1305 of the reference kernels. */
#include "chacha20_poly1305.h"

static const struct chacha20_poly1305 functions = {
    &ciphermark_chacha20_reference, &ciphermark_poly1305_reference};

static const row rows[] = {CHACHA20_POLY1305_ROWS(functions, "reference")};

KERNELS(ciphermark_chacha20_poly1305_reference_rows, rows);
