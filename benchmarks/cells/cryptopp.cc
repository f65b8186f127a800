// VMAC(AES)-64.
#include "loop.h"

#include <cryptopp/aes.h>
#include <cryptopp/vmac.h>

static CryptoPP::VMAC<CryptoPP::AES, 64> vmac;

static void mac()
{
    next_nonce();
    vmac.Resynchronize(nonce, 16);
    vmac.CalculateDigest(tag, message, bytes);
}

static void prepare()
{
    vmac.SetKeyWithIV(key, 16, nonce, 16);
}

PROGRAM({"vmac-64", prepare, mac})
