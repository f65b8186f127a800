/* Calls of MACs whose message comes in pieces, see include/kernels.h. */
#include "incremental.h"

/* Null where a kernel has no such calls, or takes only pieces of whole blocks. */
static const struct incremental *calls_of(const struct ciphermark_function *kernel)
{
    const int has_calls = kernel->process_chunks == ciphermark_incremental_chunks;
    return has_calls && kernel->block_bytes == 1 ? kernel->parameters : NULL;
}

int ciphermark_start(const struct ciphermark_function *kernel, void *context, const uint8_t *nonce,
                     size_t nonce_bytes)
{
    const struct incremental *calls = calls_of(kernel);
    if (calls == NULL)
        return CIPHERMARK_BAD_INPUT;
    if (nonce_bytes < kernel->nonce_bytes.least || nonce_bytes > kernel->nonce_bytes.most)
        return CIPHERMARK_BAD_NONCE;
    return calls->start(kernel, context, nonce, nonce_bytes);
}

void ciphermark_update(const struct ciphermark_function *kernel, void *context,
                       const uint8_t *input, size_t input_bytes)
{
    calls_of(kernel)->update(kernel, context, input, input_bytes);
}

void ciphermark_finish(const struct ciphermark_function *kernel, void *context, uint8_t *tag)
{
    calls_of(kernel)->finish(kernel, context, tag);
}
