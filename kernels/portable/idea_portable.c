/* IDEA, as many blocks side by side as compilers make vectors of, in 16-bit words throughout. */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "idea.h"
#include "words.h"

#define BLOCK_BYTES 8
/* Two vectors of 128 bits, so that one does not wait for the other. */
#define LANES 16

struct lanes {
    uint16_t a[LANES], b[LANES], c[LANES], d[LANES];
};

static void load(struct lanes *lanes, const uint8_t *input)
{
    unsigned i;
    for (i = 0; i < LANES; i++, input += BLOCK_BYTES) {
        lanes->a[i] = load_be16(input);
        lanes->b[i] = load_be16(input + 2);
        lanes->c[i] = load_be16(input + 4);
        lanes->d[i] = load_be16(input + 6);
    }
}

static void store(uint8_t *output, const struct lanes *lanes)
{
    unsigned i;
    for (i = 0; i < LANES; i++, output += BLOCK_BYTES) {
        store_be16(output, lanes->a[i]);
        store_be16(output + 2, lanes->b[i]);
        store_be16(output + 4, lanes->c[i]);
        store_be16(output + 6, lanes->d[i]);
    }
}

/*
 * Product modulo 2^16 + 1, where 0 stands for 2^16, by the halves of the product: vectors have
 * instructions for those. Where a factor is 0 the product of the numbers is 0, and that modulo
 * 2^16 + 1 is the opposite of the other factor, 1 - b in 16 bits.
 */
static uint16_t times(uint16_t a, uint16_t b)
{
    const uint32_t product = (uint32_t)a * b;
    const uint16_t low = (uint16_t)product, high = (uint16_t)(product >> 16);
    const uint16_t reduced = (uint16_t)(low - high + (low < high));
    const uint16_t has_zero = (uint16_t)(0u - ((low | high) == 0));
    const uint16_t opposite = (uint16_t)(1u - a - b);
    return (uint16_t)((reduced & (uint16_t)~has_zero) | (opposite & has_zero));
}

static void round_of_lanes(struct lanes *lanes, const uint16_t *Z)
{
    unsigned i;
    for (i = 0; i < LANES; i++) {
        const uint16_t a = times(lanes->a[i], Z[0]), d = times(lanes->d[i], Z[3]);
        const uint16_t b = (uint16_t)(lanes->b[i] + Z[1]), c = (uint16_t)(lanes->c[i] + Z[2]);
        const uint16_t product = times((uint16_t)(a ^ c), Z[4]);
        const uint16_t second = times((uint16_t)(product + (b ^ d)), Z[5]);
        const uint16_t first = (uint16_t)(product + second);
        lanes->a[i] = a ^ second;
        lanes->b[i] = c ^ second;
        lanes->c[i] = b ^ first;
        lanes->d[i] = d ^ first;
    }
}

/* The last round's words are not swapped, which is undone here. */
static void output_of_lanes(struct lanes *lanes, const uint16_t *Z)
{
    unsigned i;
    for (i = 0; i < LANES; i++) {
        const uint16_t b = lanes->b[i];
        lanes->a[i] = times(lanes->a[i], Z[0]);
        lanes->b[i] = (uint16_t)(lanes->c[i] + Z[1]);
        lanes->c[i] = (uint16_t)(b + Z[2]);
        lanes->d[i] = times(lanes->d[i], Z[3]);
    }
}

static void process_lanes(const struct idea_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    struct lanes lanes;
    unsigned round;
    load(&lanes, input);
    for (round = 0; round < IDEA_ROUNDS; round++)
        round_of_lanes(&lanes, schedule->Z + round * IDEA_ROUND_KEYS);
    output_of_lanes(&lanes, schedule->Z + IDEA_ROUNDS * IDEA_ROUND_KEYS);
    store(output, &lanes);
}

BATCH_BY_BATCH(process, process_lanes, LANES, BLOCK_BYTES, ciphermark_idea_reference.encrypt)

static void set_encrypt_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_idea_reference.set_encrypt_key(schedule, key, key_bytes);
}

static void set_decrypt_key(void *schedule, const uint8_t *key, size_t key_bytes)
{
    ciphermark_idea_reference.set_decrypt_key(schedule, key, key_bytes);
}

const struct block_cipher ciphermark_idea_portable = {
    BLOCK_BYTES, IDEA_SCHEDULE_BYTES, set_encrypt_key, set_decrypt_key, process, process};

static const row rows[] = {ECB_ROWS("idea-ecb", 16, BLOCK_BYTES, ciphermark_idea_portable,
                                    IDEA_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "portable")};

KERNELS(ciphermark_idea_portable_rows, rows);
