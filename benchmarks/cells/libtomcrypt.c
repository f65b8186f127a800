/* KASUMI, block by block. */
#define BYTES 256
#include "loop.h"

#include <tomcrypt.h>

static symmetric_ECB context;

static void encrypt(void)
{
    require(ecb_encrypt(message, output, BYTES, &context) == CRYPT_OK);
}

int main(void)
{
    int cipher = register_cipher(&kasumi_desc);
    require(cipher != -1 && ecb_start(cipher, key, 16, 0, &context) == CRYPT_OK);
    return print_cost(encrypt);
}
