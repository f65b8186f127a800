/* A LibTomCrypt whose SHA-256 fails after many messages, in front of the real one, which it is linked
 * to. */

#define _GNU_SOURCE
#include <dlfcn.h>

int sha256_process(void *state, const unsigned char *message, unsigned long bytes)
{
    static int (*process)(void *, const unsigned char *, unsigned long);
    static unsigned long call;
    if (!process)
        process = dlsym(RTLD_NEXT, "sha256_process");
    return ++call > 300 ? 5 : process(state, message, bytes);
}
