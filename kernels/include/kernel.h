/*
 * The form of a shared object that supplies algorithms to the engine.
 *
 * Code of your own becomes a provider by it, without rebuilding anything (`--kernel PATH`), and so
 * do libraries whose callers must know their structures: engine/shims/ holds one shim for each,
 * linked to the library. The shared object exports one function, `ciphermark_library`, which
 * returns a table: what the library is, and one row per algorithm, operation and backend.
 *
 * The engine calls it like this, `row` being a row of the table:
 *
 *     context: row->context_bytes zero bytes, aligned to row->context_alignment, never moved
 *     row->init(row, context)                     once: what a good caller does once
 *     row->set_key(row, context, key, key_bytes)  any number of times
 *     row->process(row, context, message)         any number of times, always after a key
 *     row->release(row, context)                  once, unless init has failed
 *
 * process_chunks and process_lanes stand for process where they are there and are asked for. `row` is
 * a copy that the engine makes of the table's: its `nonce_bytes` are the one length that nonces will
 * have.
 *
 * Contexts are independent of each other and may be used by several threads, each by one at a time.
 * A message's answer depends on the key and the message alone, not on earlier messages. Functions
 * do not allocate, as far as the library lets them, and leave alone what they do not need: what
 * set_key and process do is what is timed.
 *
 * Before each call the engine checks the lengths of key, nonce and output, and that the input is
 * whole blocks (`block_bytes` of algorithms/<name>.toml), so functions need not; for other callers
 * of the kernels of this folder, kernels.h does. No pointer of a message is null, also where it
 * points at no bytes. The engine's input and output do not overlap.
 *
 * C99, and C++ by its C linkage. All lengths are in bytes.
 */
#ifndef CIPHERMARK_KERNEL_H
#define CIPHERMARK_KERNEL_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this form. It grows with every change below; the engine refuses other numbers. */
#define CIPHERMARK_ABI 6

/*
 * What init, set_key and process return: 0 for done; CIPHERMARK_REFUSED when a tag is wrong (with
 * process_lanes: any tag), after which the output means nothing; any other number is the library's
 * own error code.
 */
#define CIPHERMARK_DONE 0
/* Outside the error codes of all libraries, of which there are none where int has 16 bits. */
#if INT_MAX > 0x7fff
#define CIPHERMARK_STATUS(number) (-1000000 - (number))
#else
#define CIPHERMARK_STATUS(number) (-(number))
#endif
#define CIPHERMARK_REFUSED CIPHERMARK_STATUS(1)

/*
 * What a call is told that has something the function does not: nothing was written. Of kernels.h
 * and the kernels of this folder; other libraries may use them too.
 */
#define CIPHERMARK_BAD_KEY CIPHERMARK_STATUS(2)    /* a key of another length, or one that
                                                      the mode forbids */
#define CIPHERMARK_BAD_NONCE CIPHERMARK_STATUS(3)  /* a nonce of another length, or a number in it
                                                      that is out of range */
#define CIPHERMARK_BAD_INPUT CIPHERMARK_STATUS(4)  /* a message too short or too long, or not of
                                                      whole blocks */
#define CIPHERMARK_BAD_OUTPUT CIPHERMARK_STATUS(5) /* an output of another length than the answer */
#define CIPHERMARK_BAD_COUNT CIPHERMARK_STATUS(6)  /* no messages in a call, or too many */
#define CIPHERMARK_BAD_BUFFER CIPHERMARK_STATUS(7) /* a null pointer to bytes, or an output where
                                                      other bytes of the call are */
/* What init answers for a row that this build or version of the library lacks, and renew for what
 * cannot be got anew. */
#define CIPHERMARK_UNSUPPORTED CIPHERMARK_STATUS(8)

/*
 * What process does: input -> output.
 *
 * Two more operations need no row. `setup` is the set_key of an algorithm's sending row (SEAL,
 * ENCRYPT, MAC, KEYSTREAM). `verify` is the MAC row and then tags_equal of the library, unless the
 * library has a call for it, which is a row VERIFY beside the MAC row.
 */
enum ciphermark_operation {
    CIPHERMARK_SEAL = 1,  /* plaintext -> ciphertext, then tag */
    CIPHERMARK_OPEN,      /* ciphertext, then tag -> plaintext, or CIPHERMARK_REFUSED */
    CIPHERMARK_ENCRYPT,   /* plaintext -> as many bytes of ciphertext */
    CIPHERMARK_DECRYPT,   /* ciphertext -> as many bytes of plaintext */
    CIPHERMARK_MAC,       /* message -> tag */
    CIPHERMARK_DIGEST,    /* message -> digest */
    CIPHERMARK_KEYSTREAM, /* nothing -> as many bytes of keystream as the output has */
    CIPHERMARK_VERIFY     /* message and, in place of associated data, its tag ->
                             nothing, or CIPHERMARK_REFUSED */
};

/* What renew gets anew. */
enum ciphermark_renewal {
    CIPHERMARK_CONTEXT = 1, /* the context, of an algorithm that is at hand */
    CIPHERMARK_LOOKED_UP    /* the context, and the algorithm, which is looked up by its name */
};

/* Whether a function's time is independent of secrets, as its authors state. */
enum ciphermark_timing {
    CIPHERMARK_TIMING_UNSTATED = 0,
    CIPHERMARK_CONSTANT_TIME,
    CIPHERMARK_VARIABLE_TIME
};

/* Lengths from least to most, both included. */
struct ciphermark_range {
    size_t least;
    size_t most;
};

struct ciphermark_message {
    const uint8_t *nonce; /* nonce or IV */
    size_t nonce_bytes;
    const uint8_t *aad; /* associated data of an AEAD; for VERIFY the tag */
    size_t aad_bytes;
    const uint8_t *input;
    size_t input_bytes; /* with the tag for OPEN */
    uint8_t *output;
    size_t output_bytes; /* with the tag for SEAL */
    /*
     * Low bits of the last byte of input that are no part of the message: 0 to 7, and 0 where
     * `counts_bits` is. Whatever they are, they change nothing; in the output they are 0.
     */
    unsigned unused_bits;
    /*
     * 1 where the message is one chunk again and again, the last time cut to what is left of
     * input_bytes: input points at that chunk alone. Only for process_chunks of a row that
     * `takes_repeats`, else 0.
     */
    unsigned repeats;
};

/* One operation of one algorithm by one backend. Rows of one algorithm stand together. */
struct ciphermark_function {
    /*
     * Canonical name: "aes-128-gcm". A row may stand for a family that differs in the bits of its keys,
     * "aes-{128,192,256}-gcm": the engine makes a row of each, with `key_bytes` of that many bits.
     */
    const char *algorithm;
    uint32_t operation;    /* enum ciphermark_operation */
    uint32_t timing;       /* enum ciphermark_timing */
    struct ciphermark_range key_bytes;   /* lengths of keys that it takes; 0 to 0 for a hash */
    struct ciphermark_range nonce_bytes; /* lengths of nonces that it takes */
    size_t tag_bytes;                    /* length of its tag or digest, else 0 */
    size_t lanes; /* most messages of one call of process_lanes; 1 where there is none */
    size_t context_bytes;
    size_t context_alignment; /* a power of two */
    const void *parameters;   /* for its own functions; the engine does not look at it */

    /* Null where a context of zero bytes is ready. */
    int (*init)(const struct ciphermark_function *self, void *context);
    /* Null where there is no key. */
    int (*set_key)(const struct ciphermark_function *self, void *context, const uint8_t *key,
                   size_t key_bytes);
    int (*process)(const struct ciphermark_function *self, void *context,
                   const struct ciphermark_message *message);
    /* Null where nothing has to be given back. */
    void (*release)(const struct ciphermark_function *self, void *context);

    /*
     * The code path that this row takes, as in "table" or "bytesliced-avx512"; null where the
     * library chooses. Of several rows for one algorithm and operation, which all name theirs, the
     * first is what is used unless told otherwise. A row whose path the processor lacks is left out
     * of the table.
     */
    const char *backend;
    /*
     * As process, with the input given to the library chunk_bytes at a time, the last chunk being
     * shorter. Null where the library takes whole messages only. chunk_bytes is at least 1, and
     * whole blocks where messages are.
     */
    int (*process_chunks)(const struct ciphermark_function *self, void *context,
                          const struct ciphermark_message *message, size_t chunk_bytes);
    /*
     * Processes count messages in one call, 1 to `lanes`, message i under contexts[i], each of
     * which has a key. Lengths may differ, and several messages may have the same context. Nothing
     * was written where one of them is told CIPHERMARK_BAD_NONCE. Null where there is no such call.
     */
    int (*process_lanes)(const struct ciphermark_function *self, void *const *contexts,
                         const struct ciphermark_message *messages, size_t count);
    /*
     * Lengths of messages that it takes, without tags, and the bytes of a block, of which messages
     * are whole ones. 0 to 0 and 0 where they are left to algorithms/<name>.toml.
     */
    struct ciphermark_range input_bytes;
    size_t block_bytes;
    /* 1 where the length of a message is counted in bits. */
    uint32_t counts_bits;
    /*
     * Null for the algorithm as it is usually meant. Otherwise a parameter of test vectors and its
     * value, "sbox identity": the row is verified by those vectors and not measured.
     */
    const char *variant;
    /*
     * CIPHERMARK_BAD_NONCE where a number in a nonce of a right length is out of range, else done;
     * what process says of it. Null where all nonces are good, and where only process knows.
     */
    int (*check_nonce)(const struct ciphermark_function *self, const uint8_t *nonce,
                       size_t nonce_bytes);
    /* 1 where process_chunks, of a MAC or a digest, takes messages that are one chunk repeated. */
    uint32_t takes_repeats;
};

struct ciphermark_library {
    uint32_t abi;            /* CIPHERMARK_ABI */
    uint32_t function_bytes; /* sizeof(struct ciphermark_function) */
    const char *header_version;  /* of the headers that the shim was compiled with: "3.8" */
    const char *library_version; /* of the library that the loader found, as it says itself */
    const char *build; /* the library's build options in its own words; null where it has none */
    /* A function of the library, by which the engine finds the file that it is in. */
    void (*inside)(void);
    /*
     * 1 if the tags are equal, else 0, in a time that does not depend on where they differ. Null
     * where the library has none; then the engine compares.
     */
    int (*tags_equal)(const void *one, const void *other, size_t bytes);
    /*
     * Gets anew what init has got and gives the old back, as a caller does who keeps nothing between
     * messages; a key has to be set afterwards. When it fails, the old stays. Null where nothing is
     * looked up by name: then a context is released, zeroed and initialised.
     */
    int (*renew)(const struct ciphermark_function *self, void *context, uint32_t what);
    size_t function_count;
    const struct ciphermark_function *functions;
};

/*
 * The table, which lives as long as the shared object is loaded. Called by one thread at a time
 * and before any other function, so that the library can be started here.
 */
const struct ciphermark_library *ciphermark_library(void);

#ifdef __cplusplus
}
#endif

#endif
