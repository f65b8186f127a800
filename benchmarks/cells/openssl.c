/* AES-128-GCM, sealing. */
#define BYTES 1500
#include "loop.h"

#include <openssl/evp.h>

static EVP_CIPHER_CTX *context;

static void seal(void)
{
    int written;
    next_nonce();
    require(EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) == 1);
    require(EVP_EncryptUpdate(context, output, &written, message, BYTES) == 1);
    require(EVP_EncryptFinal_ex(context, output + written, &written) == 1);
    require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
}

int main(void)
{
    context = EVP_CIPHER_CTX_new();
    require(EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, NULL) == 1);
    return print_cost(seal);
}
