/*
 * IDEA (Lai, Massey, Murphy, Markov Ciphers and Differential Cryptanalysis, 1991, where it is still
 * called IPES).
 */
#include "ciphers.h"
#include "ecb.h"
#include "idea.h"
#include "words.h"

#define BLOCK_BYTES 8

typedef char schedule_has_its_size[sizeof(struct idea_schedule) == IDEA_SCHEDULE_BYTES ? 1 : -1];

/*
 * Product modulo 2^16 + 1, where 0 stands for 2^16.
 *
 * With x = a - 1 and y = b - 1 it is xy + x + y + 1, of which all but the 1 fits 32 bits; and 2^16
 * is -1. So no number is a case of its own, and there is no branch.
 */
static uint16_t times(uint16_t a, uint16_t b)
{
    const uint32_t x = (uint16_t)(a - 1u), y = (uint16_t)(b - 1u);
    const uint32_t product = x * y + x + y;
    const uint32_t reduced = (product & 0xffff) - (product >> 16);
    return (uint16_t)(reduced + (reduced >> 31) + 1);
}

/* a^(2^16 - 1), the inverse of a modulo the prime 2^16 + 1. */
static uint16_t inverse(uint16_t a)
{
    uint16_t power = a;
    unsigned i;
    for (i = 0; i < 15; i++)
        power = times(times(power, power), a);
    return power;
}

static uint16_t minus(uint16_t a)
{
    return (uint16_t)(0u - a);
}

/* Eight subkeys are the key; the next eight are so many of the key rotated left by 25 bits. */
static void set_encrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct idea_schedule *schedule = context;
    uint16_t words[8], before[8];
    unsigned i, j;
    (void)key_bytes;
    for (j = 0; j < 8; j++)
        words[j] = load_be16(key + 2 * j);
    memset(schedule, 0, sizeof *schedule);
    for (i = 0; i < IDEA_ROUNDS * IDEA_ROUND_KEYS + 4; i++) {
        schedule->Z[i / IDEA_ROUND_KEYS][i % IDEA_ROUND_KEYS] = words[i % 8];
        if (i % 8 < 7)
            continue;
        memcpy(before, words, sizeof words);
        for (j = 0; j < 8; j++)
            words[j] = (uint16_t)((uint32_t)before[(j + 1) % 8] << 9 | before[(j + 2) % 8] >> 7);
    }
}

/* The subkeys by which the same rounds decrypt; rounds but the first swap the words in between. */
static void set_decrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct idea_schedule *schedule = context, forward;
    unsigned round;
    set_encrypt_key(&forward, key, key_bytes);
    memset(schedule, 0, sizeof *schedule);
    for (round = 0; round <= IDEA_ROUNDS; round++) {
        const uint16_t *Z = forward.Z[IDEA_ROUNDS - round];
        const unsigned swapped = round > 0 && round < IDEA_ROUNDS;
        uint16_t *inverted = schedule->Z[round];
        inverted[0] = inverse(Z[0]);
        inverted[1] = minus(Z[swapped ? 2 : 1]);
        inverted[2] = minus(Z[swapped ? 1 : 2]);
        inverted[3] = inverse(Z[3]);
        if (round < IDEA_ROUNDS)
            memcpy(inverted + 4, forward.Z[IDEA_ROUNDS - 1 - round] + 4, 2 * sizeof *inverted);
    }
}

/* The last round's words are not swapped, which is undone in the output. */
static void process_block(const struct idea_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    uint16_t a = load_be16(input), b = load_be16(input + 2);
    uint16_t c = load_be16(input + 4), d = load_be16(input + 6);
    const uint16_t *Z;
    unsigned round;
    for (round = 0; round < IDEA_ROUNDS; round++) {
        uint16_t first, second, kept;
        Z = schedule->Z[round];
        a = times(a, Z[0]);
        b = (uint16_t)(b + Z[1]);
        c = (uint16_t)(c + Z[2]);
        d = times(d, Z[3]);
        first = times((uint16_t)(a ^ c), Z[4]);
        second = times((uint16_t)(first + (b ^ d)), Z[5]);
        first = (uint16_t)(first + second);
        kept = b;
        a ^= second;
        b = (uint16_t)(c ^ second);
        c = (uint16_t)(kept ^ first);
        d ^= first;
    }
    Z = schedule->Z[IDEA_ROUNDS];
    store_be16(output, times(a, Z[0]));
    store_be16(output + 2, (uint16_t)(c + Z[1]));
    store_be16(output + 4, (uint16_t)(b + Z[2]));
    store_be16(output + 6, times(d, Z[3]));
}

BLOCK_BY_BLOCK(process, process_block, BLOCK_BYTES)

const struct block_cipher ciphermark_idea_reference = {
    BLOCK_BYTES, IDEA_SCHEDULE_BYTES, set_encrypt_key, set_decrypt_key, process, process};

static const row rows[] = {ECB_ROWS("idea-ecb", 16, BLOCK_BYTES, ciphermark_idea_reference,
                                    IDEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "reference")};

KERNELS(ciphermark_idea_reference_rows, rows);
