/* For libraries that stand in front of the real libcrypto, which they are linked to: what they do
 * not define themselves is found there. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

/* The real function of that name. RTLD_NEXT would not do: it searches what the program was
 * started with, and these libraries are opened later. */
static inline void *real(const char *name)
{
    return dlsym(dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD), name);
}
