/* A libcrypto that takes every tag for the right one. */

#include "libcrypto.h"

int EVP_DecryptFinal_ex(void *context, unsigned char *output, int *bytes)
{
    int (*final)(void *, unsigned char *, int *) = real("EVP_DecryptFinal_ex");
    final(context, output, bytes);
    return 1;
}
