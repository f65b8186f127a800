/*
 * Messages in pieces, each of which a library is given in one call.
 */
#ifndef CIPHERMARK_PIECES_H
#define CIPHERMARK_PIECES_H

#include "shim.h"

struct piece {
    size_t start;
    size_t bytes;
    int follows; /* whether there is another piece after this one */
};

/*
 * Goes on to the next piece of a message that arrives in chunks, the last being shorter. A library
 * that takes whole units until the message ends leaves a part of one over, which is given again
 * with the next piece. An empty message is one empty piece.
 */
static inline void next_piece(struct piece *piece, size_t message_bytes, size_t chunk_bytes,
                              size_t unit_bytes)
{
    size_t arrived = piece->start + piece->bytes;
    piece->start = arrived;
    while (chunk_bytes < message_bytes - arrived) {
        arrived += chunk_bytes - arrived % chunk_bytes;
        piece->bytes = (arrived - piece->start) / unit_bytes * unit_bytes;
        if (piece->bytes > 0)
            return;
    }
    piece->bytes = message_bytes - piece->start;
    piece->follows = 0;
}

/* Executes `statement` for each piece of a message, the one of n bytes from `at` on. */
#define EACH_PIECE(message_bytes, chunk_bytes, unit_bytes, statement) \
    do { \
        struct piece piece_ = {0, 0, 1}; \
        while (piece_.follows) { \
            size_t at, n; \
            next_piece(&piece_, message_bytes, chunk_bytes, unit_bytes); \
            at = piece_.start; \
            n = piece_.bytes; \
            statement; \
        } \
    } while (0)

/*
 * Executes `statement` for each piece of what a MAC or a hash is given, the one of n bytes at
 * `input`. Where the message repeats, every piece begins at the one chunk that there is, which has
 * to be whole units.
 */
#define EACH_INPUT(m, chunk_bytes, unit_bytes, statement) \
    EACH_PIECE((m)->input_bytes, chunk_bytes, unit_bytes, { \
        const uint8_t *input = (m)->repeats ? (m)->input : (m)->input + at; \
        statement; \
    })

/* Executes `statement` for each block of a message, the one from `at` on. */
#define EACH_BLOCK(message_bytes, block_bytes, statement) \
    do { \
        size_t at; \
        for (at = 0; at < (message_bytes); at += (block_bytes)) \
            statement; \
    } while (0)

/* The head of a function for messages in chunks, with the parameters that kernel.h gives it. */
#define CHUNKS(run) \
    static inline int run##_chunks(const row *self UNUSED, void *context UNUSED, \
                                   const message *m UNUSED, size_t chunk_bytes)

/*
 * The same, and a function `run` for whole messages by it. The compiler sees that the longest of all
 * chunks is the only one, and leaves nothing of the loop.
 */
#define PIECES(run) \
    CHUNKS(run); \
    ANSWERS(PROCESS(run), run##_chunks(self, context, m, SIZE_MAX)) \
    CHUNKS(run)

#endif
