/* UMAC-64 (RFC 4418). */
#define BYTES 256
#include "loop.h"

#include <nettle/umac.h>

static struct umac64_ctx context;

static void mac(void)
{
    next_nonce();
    umac64_set_nonce(&context, 8, nonce);
    umac64_update(&context, BYTES, message);
    umac64_digest(&context, 8, tag);
}

int main(void)
{
    umac64_set_key(&context, key);
    return print_cost(mac);
}
