#include "threegpp.h"

int ciphermark_check_threegpp_nonce(const row *self, const uint8_t *nonce, size_t nonce_bytes)
{
    (void)self;
    return has_threegpp_numbers(nonce, nonce_bytes) ? CIPHERMARK_DONE : CIPHERMARK_BAD_NONCE;
}
