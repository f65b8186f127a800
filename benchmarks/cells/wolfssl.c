/* SHA-512. */
#define BYTES 1500
#include "loop.h"

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/sha512.h>

static wc_Sha512 context;

static void digest(void)
{
    require(wc_Sha512Update(&context, message, BYTES) == 0);
    require(wc_Sha512Final(&context, tag) == 0);
}

int main(void)
{
    require(wc_InitSha512(&context) == 0);
    return print_cost(digest);
}
