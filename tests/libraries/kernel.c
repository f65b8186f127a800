/* The example of docs/kernels.md, which does as MISDEED says when WHEN holds.
 *
 * WHEN is a condition on `bytes`, the length of the message, and `call`, which counts the messages
 * of this process. MISDEED is a statement; `spoil = 1` gives a wrong tag. */

#define ciphermark_library example
#include EXAMPLE
#undef ciphermark_library

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int misbehave(const struct ciphermark_function *self, void *context,
                     const struct ciphermark_message *m)
{
    static unsigned long call;
    const size_t bytes = m->input_bytes;
    unsigned char spoil = 0;
    (void)bytes;
    call++;
    if (WHEN)
        MISDEED;
    const int status = mac(self, context, m);
    m->output[0] ^= spoil;
    return status;
}

const struct example *ciphermark_library(void);

const struct example *ciphermark_library(void)
{
    static struct ciphermark_function function;
    static struct example library;
    library = *example();
    function = library.functions[0];
    function.process = misbehave;
    library.functions = &function;
    return &library;
}
