#include "incremental.h"

int ciphermark_incremental(const row *self, void *context, const message *m)
{
    return ciphermark_incremental_chunks(self, context, m, SIZE_MAX);
}

int ciphermark_incremental_chunks(const row *self, void *context, const message *m,
                                  size_t chunk_bytes)
{
    const struct incremental *calls = self->parameters;
    const int refusal = calls->start(self, context, m->nonce, m->nonce_bytes);
    size_t at, bytes;
    if (refusal != CIPHERMARK_DONE)
        return refusal;
    for (at = 0; at < m->input_bytes; at += bytes) {
        bytes = m->input_bytes - at < chunk_bytes ? m->input_bytes - at : chunk_bytes;
        calls->update(self, context, chunk_at(m, at), bytes);
    }
    calls->finish(self, context, m->output);
    return CIPHERMARK_DONE;
}
