// VMAC(AES)-64.
#define BYTES 1500
#include "loop.h"

#include <cryptopp/aes.h>
#include <cryptopp/vmac.h>

static CryptoPP::VMAC<CryptoPP::AES, 64> vmac;

static void mac()
{
    next_nonce();
    vmac.Resynchronize(nonce, 16);
    vmac.CalculateDigest(tag, message, BYTES);
}

int main()
{
    vmac.SetKeyWithIV(key, 16, nonce, 16);
    return print_cost(mac);
}
