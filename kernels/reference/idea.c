/*
 * IDEA (Lai, Massey, Murphy, Markov Ciphers and Differential Cryptanalysis, 1991, where it is still
 * called IPES).
 */
#include "ciphers.h"
#include "ecb.h"
#include "idea.h"
#include "words.h"

#define BLOCK_BYTES 8
/* How many subkeys decryption takes the inverses of: every third. */
#define INVERTED_KEYS 18

typedef char schedule_has_its_size[sizeof(struct idea_schedule) == IDEA_SCHEDULE_BYTES ? 1 : -1];

/*
 * Product modulo 2^16 + 1, where 0 stands for 2^16.
 *
 * With x = a - 1 and y = b - 1 it is xy + x + y + 1, of which all but the 1 fits 32 bits; and 2^16
 * is -1. So no number is a case of its own, and there is no branch. The factors have 16 bits and
 * the sum is apart, or compilers make x (y + 1) of it, whose 17 bits small processors multiply
 * slowly.
 */
static uint16_t times(uint16_t a, uint16_t b)
{
    const uint16_t x = (uint16_t)(a - 1u), y = (uint16_t)(b - 1u);
    const uint32_t sum = (uint32_t)x + y;
    const uint32_t product = (uint32_t)x * y + sum;
    const uint32_t reduced = (product & 0xffff) - (product >> 16);
    return (uint16_t)(reduced - (reduced >> 16) + 1);
}

/* a^(2^16 - 1), the inverse of a modulo the prime 2^16 + 1: from n ones in the exponent to 2n. */
static uint16_t inverse(uint16_t a)
{
    uint16_t power = a, shifted;
    unsigned n, i;
    for (n = 1; n < 16; n *= 2) {
        shifted = power;
        for (i = 0; i < n; i++)
            shifted = times(shifted, shifted);
        power = times(shifted, power);
    }
    return power;
}

static uint16_t minus(uint16_t a)
{
    return (uint16_t)(0u - a);
}

/* Eight subkeys are the key; the next eight are so many of the key rotated left by 25 bits. */
static void set_encrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    uint16_t *Z = ((struct idea_schedule *)context)->Z;
    unsigned i;
    (void)key_bytes;
    for (i = 0; i < 8; i++)
        Z[i] = load_be16(key + 2 * i);
    for (i = 8; i < IDEA_KEYS; i++) {
        const uint16_t *before = Z + (i / 8 - 1) * 8;
        Z[i] = (uint16_t)(before[(i + 1) % 8] << 9 | before[(i + 2) % 8] >> 7);
    }
}

/*
 * Inverts every third subkey, with one power for all of them: the inverse of the product of the
 * first i, times the product of the first i - 1, is the inverse of number i.
 */
static void invert_every_third(uint16_t Z[IDEA_KEYS])
{
    uint16_t before[INVERTED_KEYS], product = 1;
    unsigned i;
    for (i = 0; i < INVERTED_KEYS; i++) {
        before[i] = product;
        product = times(product, Z[3 * i]);
    }
    product = inverse(product);
    for (i = INVERTED_KEYS; i-- > 0;) {
        const uint16_t key = Z[3 * i];
        Z[3 * i] = times(product, before[i]);
        product = times(product, key);
    }
}

/* The subkeys by which the same rounds decrypt; rounds but the first swap the words in between. */
static void set_decrypt_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct idea_schedule *schedule = context, forward;
    unsigned round;
    set_encrypt_key(&forward, key, key_bytes);
    invert_every_third(forward.Z);
    for (round = 0; round <= IDEA_ROUNDS; round++) {
        const uint16_t *Z = forward.Z + (IDEA_ROUNDS - round) * IDEA_ROUND_KEYS;
        const unsigned swapped = round > 0 && round < IDEA_ROUNDS;
        uint16_t *inverted = schedule->Z + round * IDEA_ROUND_KEYS;
        inverted[0] = Z[0];
        inverted[1] = minus(Z[swapped ? 2 : 1]);
        inverted[2] = minus(Z[swapped ? 1 : 2]);
        inverted[3] = Z[3];
        /* The last two keys of the round before stay as they are. */
        if (round < IDEA_ROUNDS)
            memcpy(inverted + 4, Z - 2, 2 * sizeof *inverted);
    }
}

/* The last round's words are not swapped, which is undone in the output. */
static void process_block(const struct idea_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    uint16_t a = load_be16(input), b = load_be16(input + 2);
    uint16_t c = load_be16(input + 4), d = load_be16(input + 6);
    const uint16_t *Z = schedule->Z;
    unsigned round;
    for (round = 0; round < IDEA_ROUNDS; round++, Z += IDEA_ROUND_KEYS) {
        uint16_t first, second, kept;
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
