/* AES-128 in counter mode. */
#include "loop.h"

#include <mbedtls/aes.h>

static mbedtls_aes_context context;

static void encrypt(void)
{
    uint8_t counter[16], stream[16];
    size_t used = 0;
    next_nonce();
    memcpy(counter, nonce, sizeof counter);
    require(mbedtls_aes_crypt_ctr(&context, bytes, &used, counter, stream, message, output) == 0);
}

static void prepare(void)
{
    mbedtls_aes_init(&context);
    require(mbedtls_aes_setkey_enc(&context, key, 128) == 0);
}

PROGRAM({"aes-128-ctr", prepare, encrypt})
