/* KASUMI, block by block. */
#include "loop.h"

#include <tomcrypt.h>

static symmetric_ECB context;

static void encrypt(void)
{
    require(ecb_encrypt(message, output, bytes, &context) == CRYPT_OK);
}

static void prepare(void)
{
    int cipher = register_cipher(&kasumi_desc);
    require(cipher != -1 && ecb_start(cipher, key, 16, 0, &context) == CRYPT_OK);
}

PROGRAM({"kasumi-ecb", prepare, encrypt})
