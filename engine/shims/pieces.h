/*
 * The pieces of a message that a library is given in one call each, for process_chunks.
 *
 *     struct piece piece = NO_PIECE_YET;
 *     while (piece.follows) {
 *         next_piece(&piece, message_bytes, chunk_bytes, unit_bytes);
 *         ... the piece.bytes bytes from piece.start on ...
 *     }
 */
#ifndef CIPHERMARK_PIECES_H
#define CIPHERMARK_PIECES_H

#include <stddef.h>
#include <stdint.h>

struct piece {
    size_t start;
    size_t bytes;
    int follows; /* whether there is another piece after this one */
};

#define NO_PIECE_YET {0, 0, 1}

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

/*
 * Defines `name`, which processes a message in one piece, by `name`_chunks. The compiler sees that
 * the longest of all chunks is the only one, and leaves nothing of the loop.
 */
#define IN_ONE_PIECE(name) \
    static int name(const struct ciphermark_function *self, void *context, \
                    const struct ciphermark_message *m) \
    { \
        return name##_chunks(self, context, m, SIZE_MAX); \
    }

#endif
