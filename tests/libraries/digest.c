/* A libcrypto whose hash functions do as MISDEED says when WHEN holds, and are the real ones
 * otherwise.
 *
 * WHEN is a condition on `bytes`, the length of the message, and `call`, which counts the messages
 * of 1000 bytes that this process has hashed. MISDEED is a statement; `spoil = 1` gives a wrong
 * digest. */

#include "libcrypto.h"
#include "misdeeds.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned char spoil;

int EVP_DigestUpdate(void *context, const void *message, size_t bytes)
{
    static int (*update)(void *, const void *, size_t);
    static unsigned long call;
    if (!update)
        update = real("EVP_DigestUpdate");
    call += bytes == 1000;
    if (WHEN)
        MISDEED;
    return update(context, message, bytes);
}

int EVP_DigestFinal_ex(void *context, unsigned char *digest, unsigned *bytes)
{
    static int (*final)(void *, unsigned char *, unsigned *);
    if (!final)
        final = real("EVP_DigestFinal_ex");
    int status = final(context, digest, bytes);
    digest[0] ^= spoil;
    spoil = 0;
    return status;
}
