/* ChaCha20-Poly1305, sealing: the message first and then its end, which spares Botan a copy. */
#include "loop.h"

#include <botan/ffi.h>

static botan_cipher_t cipher;

static void seal(void)
{
    size_t written, read, rest;
    next_nonce();
    require(botan_cipher_start(cipher, nonce, 12) == 0);
    require(botan_cipher_update(cipher, 0, output, sizeof output, &written, message, bytes,
                                &read) == 0);
    require(botan_cipher_update(cipher, BOTAN_CIPHER_UPDATE_FLAG_FINAL, output + written,
                                sizeof output - written, &rest, message + read, bytes - read,
                                &read) == 0);
}

static void prepare(void)
{
    require(botan_cipher_init(&cipher, "ChaCha20Poly1305", 0) == 0);
    require(botan_cipher_set_key(cipher, key, 32) == 0);
}

PROGRAM({"chacha20-poly1305", prepare, seal})
