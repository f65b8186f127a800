/* ChaCha20-Poly1305 of the fast kernels. */
#include "chacha20_poly1305.h"

static const struct chacha20_poly1305 functions = {
    &ciphermark_chacha20_portable, &ciphermark_poly1305_portable};

static const row rows[] = {CHACHA20_POLY1305_ROWS(functions, "portable")};

KERNELS(ciphermark_chacha20_poly1305_portable_rows, rows);
