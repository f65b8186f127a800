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
 * may be copied and thrown away as they are. A cipher's output may be just where its input is; no
 * output may overlap anything else that the call reads or writes.
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

/* Most messages of one call; the `lanes` of all these kernels that have process_lanes. Memory of
 * 64 KiB has no room for more than some. */
#if SIZE_MAX > 0xffff
#define CIPHERMARK_MOST_LANES 4096
#else
#define CIPHERMARK_MOST_LANES 32
#endif

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

/* Sets the key. CIPHERMARK_BAD_KEY for one of another length, and of XTS for one of equal halves; then the
 * context is as it was. */
int ciphermark_set_key(const struct ciphermark_function *kernel, void *context, const uint8_t *key,
                       size_t key_bytes);

/*
 * Whether ciphermark_process takes a message: CIPHERMARK_DONE, or CIPHERMARK_BAD_NONCE, _INPUT,
 * _OUTPUT or _BUFFER where the message has something that the function does not. Writes nothing.
 */
int ciphermark_check(const struct ciphermark_function *kernel,
                     const struct ciphermark_message *message);

/*
 * Checks and processes a message. Where ciphermark_check refuses it nothing was written.
 * CIPHERMARK_REFUSED for a wrong tag: then the output is zeros.
 */
int ciphermark_process(const struct ciphermark_function *kernel, void *context,
                       const struct ciphermark_message *message);

/*
 * Processes count messages, message i under contexts[i], with any lengths and by any kernel: in one
 * call of process_lanes where it has that, and else one after the other.
 *
 * Several messages may have the same context, so a key is prepared once for all of them. Kernels
 * with process_lanes do no more than read contexts, so that several threads may share them too;
 * others may write to them while they process.
 *
 * All messages are checked before any is processed, so nothing was written when the answer is
 * CIPHERMARK_BAD_COUNT: none, or more than CIPHERMARK_MOST_LANES;
 * what ciphermark_check says of the first that it refuses; or
 * CIPHERMARK_BAD_BUFFER: also for a null pointer in the call itself, and where the output of one
 * message overlaps what another reads or writes. Contexts are taken to lie elsewhere.
 * Who has more messages, in several calls, can check all of them first. CIPHERMARK_REFUSED where
 * any tag is wrong: the output of those is zeros, and the others are done.
 */
int ciphermark_process_lanes(const struct ciphermark_function *kernel, void *const *contexts,
                             const struct ciphermark_message *messages, size_t count);

/*
 * As ciphermark_process, with the message given to the kernel chunk_bytes at a time.
 * CIPHERMARK_BAD_INPUT also where it takes whole messages only, and for chunks of no bytes or not of
 * whole blocks.
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
