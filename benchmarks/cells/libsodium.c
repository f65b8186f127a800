/* Poly1305; its key is taken anew for each message. */
#define BYTES 1500
#include "loop.h"

#include <sodium.h>

static void mac(void)
{
    require(crypto_onetimeauth_poly1305(tag, message, BYTES, key) == 0);
}

int main(void)
{
    require(sodium_init() >= 0);
    return print_cost(mac);
}
