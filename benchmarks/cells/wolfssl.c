/* SHA-512. */
#include "loop.h"

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/sha512.h>

static wc_Sha512 context;

static void digest(void)
{
    require(wc_Sha512Update(&context, message, bytes) == 0);
    require(wc_Sha512Final(&context, tag) == 0);
}

static void prepare(void)
{
    require(wc_InitSha512(&context) == 0);
}

PROGRAM({"sha512", prepare, digest})
