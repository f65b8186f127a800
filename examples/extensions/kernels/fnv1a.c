/* FNV-1a with 64 bits as a provider of its own: cc -O2 -shared -fPIC -I kernels/include -o fnv1a.so fnv1a.c */
#include "kernel.h"

static int digest(const struct ciphermark_function *self, void *context,
                  const struct ciphermark_message *message)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t i;
    (void)self;
    (void)context;
    for (i = 0; i < message->input_bytes; i++)
        hash = (hash ^ message->input[i]) * UINT64_C(0x100000001b3);
    for (i = 0; i < 8; i++)
        message->output[i] = (uint8_t)(hash >> (56 - 8 * i));
    return CIPHERMARK_DONE;
}

static const struct ciphermark_function functions[] = {{
    .algorithm = "fnv1a-64",
    .operation = CIPHERMARK_DIGEST,
    .tag_bytes = 8,
    .lanes = 1,
    .context_alignment = 1,
    .process = digest,
}};

const struct ciphermark_library *ciphermark_library(void)
{
    static const struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI,
        .function_bytes = sizeof(struct ciphermark_function),
        .header_version = "1",
        .library_version = "1",
        .inside = (void (*)(void))digest,
        .function_count = 1,
        .functions = functions,
    };
    return &library;
}
