/* Calls of kernels, checked, see include/kernels.h. */
#include "kernels.h"

#include "words.h"

#define TRY(call) \
    do { \
        const int refusal_ = (call); \
        if (refusal_ != CIPHERMARK_DONE) \
            return refusal_; \
    } while (0)

static int is_in(const struct ciphermark_range *range, size_t bytes)
{
    return bytes >= range->least && bytes <= range->most;
}

int ciphermark_set_key(const struct ciphermark_function *kernel, void *context, const uint8_t *key,
                       size_t key_bytes)
{
    if (!is_in(&kernel->key_bytes, key_bytes))
        return CIPHERMARK_BAD_KEY;
    return kernel->set_key == NULL ? CIPHERMARK_DONE
                                   : kernel->set_key(kernel, context, key, key_bytes);
}

/* A division costs as much as all other checks, so blocks of a byte are spared it. */
static int is_whole_blocks(const struct ciphermark_function *kernel, size_t bytes)
{
    return kernel->block_bytes == 1 || bytes % kernel->block_bytes == 0;
}

/* Bytes of the message itself; a forgery may be too short to hold a tag. */
static int check_input(const struct ciphermark_function *kernel, const struct ciphermark_message *m,
                       size_t *text_bytes)
{
    const size_t tag_bytes = kernel->operation == CIPHERMARK_OPEN ? kernel->tag_bytes : 0;
    const unsigned most_unused = kernel->counts_bits && m->input_bytes > 0 ? 7 : 0;
    if (m->input_bytes < tag_bytes || m->unused_bits > most_unused || m->repeats)
        return CIPHERMARK_BAD_INPUT;
    *text_bytes = m->input_bytes - tag_bytes;
    if (kernel->operation == CIPHERMARK_KEYSTREAM)
        return m->input_bytes == 0 ? CIPHERMARK_DONE : CIPHERMARK_BAD_INPUT;
    if (!is_in(&kernel->input_bytes, *text_bytes) || !is_whole_blocks(kernel, *text_bytes))
        return CIPHERMARK_BAD_INPUT;
    return CIPHERMARK_DONE;
}

static int check_output(const struct ciphermark_function *kernel,
                        const struct ciphermark_message *m, size_t text_bytes)
{
    size_t bytes;
    switch (kernel->operation) {
    case CIPHERMARK_KEYSTREAM:
        return is_in(&kernel->input_bytes, m->output_bytes) ? CIPHERMARK_DONE
                                                            : CIPHERMARK_BAD_OUTPUT;
    case CIPHERMARK_MAC:
    case CIPHERMARK_DIGEST:
        bytes = kernel->tag_bytes;
        break;
    case CIPHERMARK_SEAL:
        if (text_bytes > SIZE_MAX - kernel->tag_bytes)
            return CIPHERMARK_BAD_INPUT;
        bytes = text_bytes + kernel->tag_bytes;
        break;
    default:
        bytes = text_bytes;
    }
    return m->output_bytes == bytes ? CIPHERMARK_DONE : CIPHERMARK_BAD_OUTPUT;
}

static int check_lengths(const struct ciphermark_function *kernel,
                         const struct ciphermark_message *m)
{
    size_t text_bytes = 0;
    if (!is_in(&kernel->nonce_bytes, m->nonce_bytes))
        return CIPHERMARK_BAD_NONCE;
    TRY(check_input(kernel, m, &text_bytes));
    return check_output(kernel, m, text_bytes);
}

static int is_missing(const uint8_t *bytes, size_t count)
{
    return bytes == NULL && count > 0;
}

static int is_output_over(const struct ciphermark_message *m, const uint8_t *bytes, size_t count)
{
    const uintptr_t output = (uintptr_t)m->output, other = (uintptr_t)bytes;
    return output < other ? other - output < m->output_bytes && count > 0
                          : output - other < count && m->output_bytes > 0;
}

/* What is read may overlap; only a cipher's output may lie over it, and only just where the input
 * is. */
static int check_buffers(const struct ciphermark_function *kernel,
                         const struct ciphermark_message *m)
{
    const int is_cipher =
        kernel->operation == CIPHERMARK_ENCRYPT || kernel->operation == CIPHERMARK_DECRYPT;
    const int is_in_place = is_cipher && m->output == m->input;
    if (is_missing(m->nonce, m->nonce_bytes) || is_missing(m->aad, m->aad_bytes) ||
        is_missing(m->input, m->input_bytes) || is_missing(m->output, m->output_bytes))
        return CIPHERMARK_BAD_BUFFER;
    if ((!is_in_place && is_output_over(m, m->input, m->input_bytes)) ||
        is_output_over(m, m->nonce, m->nonce_bytes) || is_output_over(m, m->aad, m->aad_bytes))
        return CIPHERMARK_BAD_BUFFER;
    return CIPHERMARK_DONE;
}

int ciphermark_check(const struct ciphermark_function *kernel, const struct ciphermark_message *m)
{
    TRY(check_lengths(kernel, m));
    TRY(check_buffers(kernel, m));
    return kernel->check_nonce == NULL ? CIPHERMARK_DONE
                                       : kernel->check_nonce(kernel, m->nonce, m->nonce_bytes);
}

int ciphermark_process(const struct ciphermark_function *kernel, void *context,
                       const struct ciphermark_message *m)
{
    TRY(ciphermark_check(kernel, m));
    return kernel->process(kernel, context, m);
}

int ciphermark_process_chunks(const struct ciphermark_function *kernel, void *context,
                              const struct ciphermark_message *m, size_t chunk_bytes)
{
    if (kernel->process_chunks == NULL || chunk_bytes == 0 ||
        chunk_bytes % kernel->block_bytes != 0)
        return CIPHERMARK_BAD_INPUT;
    TRY(ciphermark_check(kernel, m));
    return kernel->process_chunks(kernel, context, m, chunk_bytes);
}
