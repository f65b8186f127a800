/*
 * A message of hash127, whole and in pieces, by rows of vectors.
 *
 * The file that includes this defines
 *   NEAR_POWERS, STRIDES, L, HELD_BYTES and MOST_NEAR_WORDS; struct columns, and whole_number, what
 *     number_of_words gives
 *   struct state, in which k is a whole_number and held, held_bytes and has_columns are those of a
 *     message in pieces
 *   take_rows(state, input, rows, before): at most STRIDES rows, behind the columns before them
 *   load_columns(state), store_columns(state, columns)
 *   finish_hash(state, columns, k, input, bytes, hash): the columns, or NULL, and the bytes after them
 */
#ifndef CIPHERMARK_HASH127_PIECES_H
#define CIPHERMARK_HASH127_PIECES_H

/* Any number of rows but 0. */
static inline struct columns take_all_rows(const struct state *state, const uint8_t *input,
                                           size_t rows, const struct columns *before)
{
    size_t taken = rows < STRIDES ? rows : STRIDES;
    struct columns columns = take_rows(state, input, taken, before);
    for (rows -= taken; rows > 0; rows -= taken) {
        input += taken * VECTOR_BYTES;
        taken = rows < STRIDES ? rows : STRIDES;
        columns = take_rows(state, input, taken, &columns);
    }
    return columns;
}

static void hash_message(const void *context, const uint8_t k[HASH127_BYTES], const uint8_t *input,
                         size_t bytes, uint8_t hash[HASH127_BYTES])
{
    const struct state *state = context;
    const whole_number number = number_of_words(k);
    struct columns columns;
    size_t rows;
    if (bytes <= MOST_NEAR_WORDS * HASH127_WORD_BYTES) {
        finish_hash(state, NULL, &number, input, bytes, hash);
        return;
    }
    rows = bytes / VECTOR_BYTES;
    columns = take_all_rows(state, input, rows, NULL);
    input += rows * VECTOR_BYTES;
    finish_hash(state, &columns, &number, input, bytes % VECTOR_BYTES, hash);
}

static void start(void *context, const uint8_t k[HASH127_BYTES])
{
    struct state *state = context;
    state->k = number_of_words(k);
    state->held_bytes = 0;
    state->has_columns = 0;
}

static inline void update_rows(struct state *state, const uint8_t *input, size_t rows)
{
    const struct columns before = load_columns(state);
    const struct columns after =
        take_all_rows(state, input, rows, state->has_columns ? &before : NULL);
    store_columns(state, &after);
    state->has_columns = 1;
}

static void update(void *context, const uint8_t *input, size_t bytes)
{
    struct state *state = context;
    const size_t wanted = HELD_BYTES - state->held_bytes;
    if (state->held_bytes > 0 && bytes > wanted) {
        memcpy(state->held + state->held_bytes, input, wanted);
        update_rows(state, state->held, HELD_BYTES / VECTOR_BYTES);
        state->held_bytes = 0;
        input += wanted;
        bytes -= wanted;
    }
    if (bytes > HELD_BYTES) {
        update_rows(state, input, bytes / VECTOR_BYTES);
        input += bytes / VECTOR_BYTES * VECTOR_BYTES;
        bytes %= VECTOR_BYTES;
    }
    memcpy(state->held + state->held_bytes, input, bytes);
    state->held_bytes += (uint32_t)bytes;
}

static void finish(void *context, uint8_t hash[HASH127_BYTES])
{
    struct state *state = context;
    const size_t bytes = state->held_bytes, rows = bytes / VECTOR_BYTES;
    struct columns columns;
    if (!state->has_columns) {
        finish_hash(state, NULL, &state->k, state->held, bytes, hash);
        return;
    }
    if (rows > 0)
        update_rows(state, state->held, rows);
    columns = load_columns(state);
    finish_hash(state, &columns, &state->k, state->held + rows * VECTOR_BYTES, bytes % VECTOR_BYTES,
                hash);
}

#endif
