/* ChaCha20 (RFC 8439), and ChaCha12, which has 12 rounds. */
#include "chacha20.h"

#include "words.h"

/* Section 2.1. */
static void quarter_round(uint32_t state[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
    state[a] += state[b];
    state[d] = rotate_left32(state[d] ^ state[a], 16);
    state[c] += state[d];
    state[b] = rotate_left32(state[b] ^ state[c], 12);
    state[a] += state[b];
    state[d] = rotate_left32(state[d] ^ state[a], 8);
    state[c] += state[d];
    state[b] = rotate_left32(state[b] ^ state[c], 7);
}

/* Section 2.3: down the columns of the state, then along its diagonals. */
static void double_round(uint32_t state[16])
{
    unsigned i;
    for (i = 0; i < 4; i++)
        quarter_round(state, i, 4 + i, 8 + i, 12 + i);
    for (i = 0; i < 4; i++)
        quarter_round(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
}

/* Sections 2.3 and 2.4. */
static void xor_block(const uint32_t state[16], uint8_t *output, const uint8_t *input, unsigned rounds)
{
    uint32_t working[16];
    unsigned i;
    memcpy(working, state, sizeof working);
    for (i = 0; i < rounds; i += 2)
        double_round(working);
    for (i = 0; i < 16; i++)
        store_le32(output + 4 * i, load_le32(input + 4 * i) ^ (working[i] + state[i]));
}

#define XOR_BLOCKS(name, rounds) \
    static void name(uint32_t state[16], uint8_t *output, const uint8_t *input, size_t blocks) \
    { \
        for (; blocks > 0; blocks--) { \
            xor_block(state, output, input, rounds); \
            state[12]++; \
            output += CHACHA20_BLOCK_BYTES; \
            input += CHACHA20_BLOCK_BYTES; \
        } \
    }
XOR_BLOCKS(xor_blocks_20, 20)
XOR_BLOCKS(xor_blocks_12, 12)

const struct chacha20 ciphermark_chacha20_reference = {xor_blocks_20};
const struct chacha20 ciphermark_chacha12_reference = {xor_blocks_12};

static const row rows[] = {CHACHA20_ROW(ciphermark_chacha20_reference, "reference")};

KERNELS(ciphermark_chacha20_reference_rows, rows);
