/* AES-128 in counter mode. */
#define BYTES 1024
#include "loop.h"

#include <mbedtls/aes.h>

static mbedtls_aes_context context;

static void encrypt(void)
{
    uint8_t counter[16], stream[16];
    size_t used = 0;
    next_nonce();
    memcpy(counter, nonce, sizeof counter);
    require(mbedtls_aes_crypt_ctr(&context, BYTES, &used, counter, stream, message, output) == 0);
}

int main(void)
{
    mbedtls_aes_init(&context);
    require(mbedtls_aes_setkey_enc(&context, key, 128) == 0);
    return print_cost(encrypt);
}
