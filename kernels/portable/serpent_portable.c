/*
 * Serpent with S-boxes as boolean expressions over words, so that nothing secret is looked up in a
 * table. A block alone is limited by chains of dependences, which are kept short; several blocks
 * lie beside each other in lanes, which the compiler makes vectors.
 */
#include "ciphers.h"
#include "ecb.h"
#include "fast_ciphers.h"
#include "serpent.h"
#include "serpent_sboxes.h"
#include "words.h"

#define BLOCK_BYTES 16

/* Enough for two vectors of 128 bits, of which one is computed while the other waits. */
#define LANES 8

static inline struct words xor_key(struct words x, const uint32_t key[4])
{
    const struct words y = {x.w0 ^ key[0], x.w1 ^ key[1], x.w2 ^ key[2], x.w3 ^ key[3]};
    return y;
}

/* The linear transformation. */
static inline struct words transform(struct words x)
{
    x.w0 = rotate_left32(x.w0, 13);
    x.w2 = rotate_left32(x.w2, 3);
    x.w1 = rotate_left32(x.w1 ^ x.w0 ^ x.w2, 1);
    x.w3 = rotate_left32(x.w3 ^ x.w2 ^ x.w0 << 3, 7);
    x.w0 = rotate_left32(x.w0 ^ x.w1 ^ x.w3, 5);
    x.w2 = rotate_left32(x.w2 ^ x.w3 ^ x.w1 << 7, 22);
    return x;
}

static inline struct words transform_back(struct words x)
{
    x.w2 = rotate_right32(x.w2, 22) ^ x.w3 ^ x.w1 << 7;
    x.w0 = rotate_right32(x.w0, 5) ^ x.w1 ^ x.w3;
    x.w3 = rotate_right32(x.w3, 7) ^ x.w2 ^ x.w0 << 3;
    x.w1 = rotate_right32(x.w1, 1) ^ x.w0 ^ x.w2;
    x.w2 = rotate_right32(x.w2, 3);
    x.w0 = rotate_right32(x.w0, 13);
    return x;
}

/*
 * A round of encryption takes the transformation of the round before, its key and its S-box; a
 * round of decryption undoes them in reverse, after the inverse transformation of the round behind
 * it.
 */
#define ROUND(n) \
    static inline struct words round##n(struct words x, const uint32_t key[4]) \
    { \
        return substitute##n(xor_key(transform(x), key)); \
    } \
    static inline struct words unround##n(struct words x, const uint32_t key[4]) \
    { \
        return xor_key(unsubstitute##n(transform_back(x)), key); \
    }

ROUND(0)
ROUND(1)
ROUND(2)
ROUND(3)
ROUND(4)
ROUND(5)
ROUND(6)
ROUND(7)

static inline struct words first_round(struct words x, const uint32_t key[4])
{
    return substitute0(xor_key(x, key));
}

static inline struct words first_unround(struct words x, const uint32_t key[4])
{
    return xor_key(unsubstitute7(x), key);
}

/* What lies between the rounds that are special: DO(function, key) for each. */
#define SEVEN_ROUNDS(DO, key) \
    DO(round1, (key)[0]) \
    DO(round2, (key)[1]) \
    DO(round3, (key)[2]) \
    DO(round4, (key)[3]) \
    DO(round5, (key)[4]) \
    DO(round6, (key)[5]) \
    DO(round7, (key)[6])

#define SEVEN_UNROUNDS(DO, key) \
    DO(unround6, (key)[6]) \
    DO(unround5, (key)[5]) \
    DO(unround4, (key)[4]) \
    DO(unround3, (key)[3]) \
    DO(unround2, (key)[2]) \
    DO(unround1, (key)[1]) \
    DO(unround0, (key)[0])

static inline struct words load_block(const uint8_t *input)
{
    const struct words x = {load_le32(input), load_le32(input + 4), load_le32(input + 8),
                            load_le32(input + 12)};
    return x;
}

/* Stores pairs of words, so that the next block of a chain can load them at once. */
static inline void store_block(uint8_t *output, struct words x)
{
    store_le64(output, (uint64_t)x.w1 << 32 | x.w0);
    store_le64(output + 8, (uint64_t)x.w3 << 32 | x.w2);
}

#define IN_BLOCK(function, key) x = function(x, key);

static void encrypt_block(const struct serpent_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    const uint32_t(*const keys)[4] = schedule->keys, (*key)[4] = keys + 1;
    struct words x = load_block(input);
    IN_BLOCK(first_round, keys[0])
    for (;; key += 8) {
        SEVEN_ROUNDS(IN_BLOCK, key)
        if (key == keys + SERPENT_ROUNDS - 7)
            break;
        IN_BLOCK(round0, key[7])
    }
    store_block(output, xor_key(x, keys[SERPENT_ROUNDS]));
}

static void decrypt_block(const struct serpent_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    const uint32_t(*const keys)[4] = schedule->keys, (*key)[4] = keys + SERPENT_ROUNDS - 8;
    struct words x = xor_key(load_block(input), keys[SERPENT_ROUNDS]);
    IN_BLOCK(first_unround, key[7])
    for (;; key -= 8) {
        SEVEN_UNROUNDS(IN_BLOCK, key)
        if (key == keys)
            break;
        IN_BLOCK(unround7, key[-1])
    }
    store_block(output, x);
}

/* Blocks beside each other. */
struct lanes {
    uint32_t w0[LANES], w1[LANES], w2[LANES], w3[LANES];
};

static inline struct words get_lane(const struct lanes *lanes, unsigned lane)
{
    const struct words x = {lanes->w0[lane], lanes->w1[lane], lanes->w2[lane], lanes->w3[lane]};
    return x;
}

static inline void set_lane(struct lanes *lanes, unsigned lane, struct words x)
{
    lanes->w0[lane] = x.w0;
    lanes->w1[lane] = x.w1;
    lanes->w2[lane] = x.w2;
    lanes->w3[lane] = x.w3;
}

#define IN_LANES(function, key) \
    for (lane = 0; lane < LANES; lane++) \
        set_lane(&x, lane, function(get_lane(&x, lane), key));

static void encrypt_lanes(const struct serpent_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    const uint32_t(*const keys)[4] = schedule->keys, (*key)[4] = keys + 1;
    struct lanes x;
    unsigned lane;
    for (lane = 0; lane < LANES; lane++)
        set_lane(&x, lane, load_block(input + lane * BLOCK_BYTES));
    IN_LANES(first_round, keys[0])
    for (;; key += 8) {
        SEVEN_ROUNDS(IN_LANES, key)
        if (key == keys + SERPENT_ROUNDS - 7)
            break;
        IN_LANES(round0, key[7])
    }
    for (lane = 0; lane < LANES; lane++)
        store_block(output + lane * BLOCK_BYTES,
                    xor_key(get_lane(&x, lane), keys[SERPENT_ROUNDS]));
}

static void decrypt_lanes(const struct serpent_schedule *schedule, uint8_t *output,
                          const uint8_t *input)
{
    const uint32_t(*const keys)[4] = schedule->keys, (*key)[4] = keys + SERPENT_ROUNDS - 8;
    struct lanes x;
    unsigned lane;
    for (lane = 0; lane < LANES; lane++)
        set_lane(&x, lane,
                 xor_key(load_block(input + lane * BLOCK_BYTES), keys[SERPENT_ROUNDS]));
    IN_LANES(first_unround, key[7])
    for (;; key -= 8) {
        SEVEN_UNROUNDS(IN_LANES, key)
        if (key == keys)
            break;
        IN_LANES(unround7, key[-1])
    }
    for (lane = 0; lane < LANES; lane++)
        store_block(output + lane * BLOCK_BYTES, get_lane(&x, lane));
}

BLOCK_BY_BLOCK(encrypt_rest, encrypt_block, BLOCK_BYTES)
BLOCK_BY_BLOCK(decrypt_rest, decrypt_block, BLOCK_BYTES)
BATCH_BY_BATCH(encrypt, encrypt_lanes, LANES, BLOCK_BYTES, encrypt_rest)
BATCH_BY_BATCH(decrypt, decrypt_lanes, LANES, BLOCK_BYTES, decrypt_rest)

static struct words substitute(struct words x, unsigned sbox)
{
    switch (sbox) {
    case 0:
        return substitute0(x);
    case 1:
        return substitute1(x);
    case 2:
        return substitute2(x);
    case 3:
        return substitute3(x);
    case 4:
        return substitute4(x);
    case 5:
        return substitute5(x);
    case 6:
        return substitute6(x);
    default:
        return substitute7(x);
    }
}

/* K_i takes the S-box S_(3 - i mod 8). */
static void set_key(void *context, const uint8_t *key, size_t key_bytes)
{
    struct serpent_schedule *schedule = context;
    unsigned i;
    ciphermark_serpent_prekeys(schedule, key, key_bytes);
    for (i = 0; i <= SERPENT_ROUNDS; i++) {
        uint32_t *words = schedule->keys[i];
        const struct words prekey = {words[0], words[1], words[2], words[3]};
        const struct words subkey = substitute(prekey, (35 - i) % 8);
        words[0] = subkey.w0;
        words[1] = subkey.w1;
        words[2] = subkey.w2;
        words[3] = subkey.w3;
    }
}

const struct block_cipher ciphermark_serpent_portable = {
    BLOCK_BYTES, SERPENT_SCHEDULE_BYTES, set_key, set_key, encrypt, decrypt};

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, BLOCK_BYTES, ciphermark_serpent_portable, SERPENT_SCHEDULE_BYTES, \
             CIPHERMARK_CONSTANT_TIME, "portable")

static const row rows[] = {
    ROWS("serpent-128-ecb", 16), ROWS("serpent-192-ecb", 24), ROWS("serpent-256-ecb", 32)};

KERNELS(ciphermark_serpent_portable_rows, rows);
