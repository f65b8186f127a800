/*
 * The kernels of this folder, for callers in C.
 *
 *     const struct ciphermark_function *kernel =
 *         ciphermark_find("kasumi-ecb", CIPHERMARK_ENCRYPT, NULL);
 *     void *context = ...;  kernel->context_bytes bytes, aligned to kernel->context_alignment
 *     ciphermark_set_key(kernel, context, key, 16);
 *     ciphermark_process(kernel, context, &message);
 *
 * All rows follow kernel.h; none allocates, none keeps anything but in its context, and contexts
 * may be copied and thrown away as they are. The output may be where the input is, and may not
 * overlap it otherwise.
 */
#ifndef CIPHERMARK_KERNELS_H
#define CIPHERMARK_KERNELS_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of one file: those of one algorithm stand together. */
struct ciphermark_kernels {
    const struct ciphermark_function *rows;
    size_t count;
    /* Whether this processor has the instructions that they use; null where every one has. */
    int (*run_here)(void);
};

/* Most messages of one call of process_lanes of any of these kernels. */
#define CIPHERMARK_MOST_LANES 4096

/* All of them; of several backends for one algorithm the first is what is used unless told. */
extern const struct ciphermark_kernels *const ciphermark_kernels[];
extern const size_t ciphermark_kernels_count;

/*
 * The row of an algorithm, as it is usually meant, by a backend, or by the first that runs here
 * where `backend` is null. Null where there is none.
 */
const struct ciphermark_function *ciphermark_find(const char *algorithm,
                                                  enum ciphermark_operation operation,
                                                  const char *backend);

/* Sets the key. CIPHERMARK_BAD_KEY for one of another length; then the context is as it was. */
int ciphermark_set_key(const struct ciphermark_function *kernel, void *context, const uint8_t *key,
                       size_t key_bytes);

/*
 * Processes a message. CIPHERMARK_BAD_NONCE, _INPUT or _OUTPUT where the message has something that
 * the function does not: then nothing was written. CIPHERMARK_REFUSED for a wrong tag: then the
 * output is zeros.
 */
int ciphermark_process(const struct ciphermark_function *kernel, void *context,
                       const struct ciphermark_message *message);

/*
 * The same, with the message given to the kernel chunk_bytes at a time. CIPHERMARK_BAD_INPUT also
 * where it takes whole messages only, and for chunks of no bytes or not of whole blocks.
 */
int ciphermark_process_chunks(const struct ciphermark_function *kernel, void *context,
                              const struct ciphermark_message *message, size_t chunk_bytes);

/*
 * A message of a MAC over a universal hash, in pieces as they come: started under the key that was
 * set, updated any number of times, and finished with a tag of kernel->tag_bytes. Starting it gives
 * CIPHERMARK_BAD_NONCE, or CIPHERMARK_BAD_INPUT where the kernel has no such calls; only a message
 * that was started may be updated, and finished once.
 */
int ciphermark_start(const struct ciphermark_function *kernel, void *context, const uint8_t *nonce,
                     size_t nonce_bytes);
void ciphermark_update(const struct ciphermark_function *kernel, void *context,
                       const uint8_t *input, size_t input_bytes);
void ciphermark_finish(const struct ciphermark_function *kernel, void *context, uint8_t *tag);

#ifdef __cplusplus
}
#endif

#endif
