/* ChaCha20 of several blocks at once, in loops over the blocks that compilers turn into vectors. */
#include "chacha20.h"

#include "words.h"

#define LANES 4

#define QUARTER_ROUND(a, b, c, d) \
    a += b, d = rotate_left32(d ^ a, 16), c += d, b = rotate_left32(b ^ c, 12), \
    a += b, d = rotate_left32(d ^ a, 8), c += d, b = rotate_left32(b ^ c, 7)

/* Word by word, that of each block beside those of the others. */
static void double_round(uint32_t x[16][LANES])
{
    unsigned i;
    for (i = 0; i < LANES; i++) {
        uint32_t x0 = x[0][i], x1 = x[1][i], x2 = x[2][i], x3 = x[3][i];
        uint32_t x4 = x[4][i], x5 = x[5][i], x6 = x[6][i], x7 = x[7][i];
        uint32_t x8 = x[8][i], x9 = x[9][i], x10 = x[10][i], x11 = x[11][i];
        uint32_t x12 = x[12][i], x13 = x[13][i], x14 = x[14][i], x15 = x[15][i];
        QUARTER_ROUND(x0, x4, x8, x12);
        QUARTER_ROUND(x1, x5, x9, x13);
        QUARTER_ROUND(x2, x6, x10, x14);
        QUARTER_ROUND(x3, x7, x11, x15);
        QUARTER_ROUND(x0, x5, x10, x15);
        QUARTER_ROUND(x1, x6, x11, x12);
        QUARTER_ROUND(x2, x7, x8, x13);
        QUARTER_ROUND(x3, x4, x9, x14);
        x[0][i] = x0, x[1][i] = x1, x[2][i] = x2, x[3][i] = x3;
        x[4][i] = x4, x[5][i] = x5, x[6][i] = x6, x[7][i] = x7;
        x[8][i] = x8, x[9][i] = x9, x[10][i] = x10, x[11][i] = x11;
        x[12][i] = x12, x[13][i] = x13, x[14][i] = x14, x[15][i] = x15;
    }
}

/* The state of each block, and its sum with what became of it. */
static void add_states(uint32_t x[16][LANES], const uint32_t state[16])
{
    unsigned word, i;
    for (word = 0; word < 16; word++) {
        for (i = 0; i < LANES; i++)
            x[word][i] += state[word] + (word == 12 ? i : 0);
    }
}

static void make_blocks(uint32_t x[16][LANES], const uint32_t state[16])
{
    unsigned round;
    memset(x, 0, 16 * sizeof x[0]);
    add_states(x, state);
    for (round = 0; round < 10; round++)
        double_round(x);
    add_states(x, state);
}

static void xor_blocks(uint32_t state[16], uint8_t *output, const uint8_t *input, size_t blocks)
{
    uint32_t x[16][LANES];
    unsigned word, i;
    while (blocks > 0) {
        const unsigned now = blocks < LANES ? (unsigned)blocks : LANES;
        make_blocks(x, state);
        for (i = 0; i < now; i++) {
            for (word = 0; word < 16; word++, output += 4, input += 4)
                store_le32(output, load_le32(input) ^ x[word][i]);
        }
        state[12] += now;
        blocks -= now;
    }
}

const struct chacha20 ciphermark_chacha20_portable = {xor_blocks};

static const row rows[] = {CHACHA20_ROW(ciphermark_chacha20_portable, "portable")};

KERNELS(ciphermark_chacha20_portable_rows, rows);
