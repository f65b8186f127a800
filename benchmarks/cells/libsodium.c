/* Poly1305; its key is taken anew for each message. */
#include "loop.h"

#include <sodium.h>

static void mac(void)
{
    require(crypto_onetimeauth_poly1305(tag, message, bytes, key) == 0);
}

static void prepare(void)
{
    require(sodium_init() >= 0);
}

PROGRAM({"poly1305", prepare, mac})
