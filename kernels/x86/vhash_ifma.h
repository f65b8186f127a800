/*
 * Layers 1 and 2 of VHASH over eight blocks, one to each word of a vector, by products of 52 bits,
 * which AVX-512 adds up by itself.
 */
#ifndef CIPHERMARK_VHASH_IFMA_H
#define CIPHERMARK_VHASH_IFMA_H

#include "numbers127.h"
#include "vhash_terms.h"

#define VHASH_BATCH_BLOCKS 8
#define VHASH_BATCH_BYTES ((size_t)VHASH_BATCH_BLOCKS * VHASH_BLOCK_BYTES)

/* ---- Layer 1 -------------------------------------------------------------------------------- */

/*
 * Sums for 1, 2^52 and 2^104, of lower and upper halves of products of parts of 52 and 12 bits. All
 * parts are less than 2^52, so that eight products of three such halves are less than 2^57.
 */
struct sums {
    vector of[3];
};

INLINED void add_words(struct sums *sums, vector a, vector b)
{
    const vector upper_a = shift_right64(a, 52), upper_b = shift_right64(b, 52);
    sums->of[0] = add_lower52(sums->of[0], a, b);
    sums->of[1] = add_upper52(sums->of[1], a, b);
    sums->of[1] = add_lower52(sums->of[1], a, upper_b);
    sums->of[1] = add_lower52(sums->of[1], upper_a, b);
    sums->of[2] = add_upper52(sums->of[2], a, upper_b);
    sums->of[2] = add_upper52(sums->of[2], upper_a, b);
    sums->of[2] = add_lower52(sums->of[2], upper_a, upper_b);
}

/* The words of a key for a block's first half and its second, each twice. */
struct nh_key {
    vector even[2], odd[2];
};

INLINED struct nh_key nh_key(const uint64_t *words)
{
    const vector first = load_vector(words), second = load_vector(words + 8);
    const struct nh_key key = {{interleave_low64(first, first), interleave_low64(second, second)},
                               {interleave_high64(first, first),
                                interleave_high64(second, second)}};
    return key;
}

/*
 * Of two blocks, one in the even words of the sums and the other in the odd ones. Of the other so
 * many bytes are there, and only pairs of words that have any count.
 */
INLINED struct sums nh_two(const struct nh_key *key, const uint8_t *one, const uint8_t *other,
                           size_t other_bytes)
{
    struct sums sums = {{same64(0), same64(0), same64(0)}};
    unsigned i;
    for (i = 0; i < 2; i++) {
        const size_t bytes = other_bytes < 64 * i ? 0 : other_bytes - 64 * i;
        const __mmask8 kept = (__mmask8)(0x55 | _bzhi_u32(0xaa, (unsigned)(bytes + 15) / 16 * 2));
        const vector a = load_vector(one + 64 * i), b = load_bytes(other + 64 * i, bytes);
        add_words(&sums, _mm512_maskz_add_epi64(kept, interleave_low64(a, b), key->even[i]),
                  _mm512_maskz_add_epi64(kept, interleave_high64(a, b), key->odd[i]));
    }
    return sums;
}

/* Halves of both added up, and then quarters: words of twice as many blocks. */
INLINED vector added_halves(vector one, vector other)
{
    return add64(_mm512_shuffle_i64x2(one, other, 0x44), _mm512_shuffle_i64x2(one, other, 0xee));
}

INLINED vector added_quarters(vector one, vector other)
{
    return add64(_mm512_shuffle_i64x2(one, other, 0x88), _mm512_shuffle_i64x2(one, other, 0xdd));
}

/* Where the block of a lane begins; any other is that of the first `absent` lanes. */
INLINED const uint8_t *block_of(const uint8_t *input, unsigned lane, unsigned absent)
{
    return input + (lane > absent ? (size_t)VHASH_BLOCK_BYTES * (lane - absent) : 0);
}

/* Of four blocks, beginning with that of a lane. The last has so many bytes. */
INLINED struct sums nh_four(const struct nh_key *key, const uint8_t *input, unsigned lane,
                            unsigned absent, size_t last_bytes)
{
    const struct sums one = nh_two(key, block_of(input, lane, absent),
                                   block_of(input, lane + 1, absent), VHASH_BLOCK_BYTES);
    const struct sums other = nh_two(key, block_of(input, lane + 2, absent),
                                     block_of(input, lane + 3, absent), last_bytes);
    const struct sums sums = {{added_halves(one.of[0], other.of[0]),
                               added_halves(one.of[1], other.of[1]),
                               added_halves(one.of[2], other.of[2])}};
    return sums;
}

/* The results of layer 1, modulo 2^126, of eight blocks; of the first `absent` lanes anything. */
INLINED struct number nh_eight(const struct nh_key *key, const uint8_t *input, unsigned absent,
                               size_t last_bytes)
{
    const struct sums none = {{same64(0), same64(0), same64(0)}};
    const struct sums one = absent >= VHASH_BATCH_BLOCKS / 2
                                ? none
                                : nh_four(key, input, 0, absent, VHASH_BLOCK_BYTES);
    const struct sums other = nh_four(key, input, VHASH_BATCH_BLOCKS / 2, absent, last_bytes);
    const vector mask = same64(MASK52), top = same64(MASK_TOP >> 1);
    const vector zeroth = added_quarters(one.of[0], other.of[0]);
    const vector first = add64(added_quarters(one.of[1], other.of[1]), shift_right64(zeroth, 52));
    const vector second = add64(added_quarters(one.of[2], other.of[2]), shift_right64(first, 52));
    const struct number terms = {{and2(zeroth, mask), and2(first, mask), and2(second, top)}};
    return terms;
}

/* Of eight whole blocks. */
INLINED struct number nh_whole(const struct nh_key *key, const uint8_t *input)
{
    return nh_eight(key, input, 0, VHASH_BLOCK_BYTES);
}

/* ---- Layer 2 -------------------------------------------------------------------------------- */

/* Powers of layer 2's key k, in lanes: k^7, k^6, … and 1, for the last batch; k^15, k^14, … and k^8, for
 * the one before it; and k^8 in each. */
struct lane_powers {
    uint64_t last[FACTOR_VECTORS][VHASH_BATCH_BLOCKS], before_last[FACTOR_VECTORS][VHASH_BATCH_BLOCKS];
    uint64_t step[FACTOR_VECTORS][VHASH_BATCH_BLOCKS];
};

/* `powers` are k, k^2 and so on, up to k^15. */
static void set_lane_powers(struct lane_powers *lanes,
                            const struct wide powers[2 * VHASH_BATCH_BLOCKS - 1])
{
    uint64_t limbs[3][2 * VHASH_BATCH_BLOCKS], step[3];
    struct number last, before_last, each;
    unsigned i;
    for (i = 0; i < 2 * VHASH_BATCH_BLOCKS - 1; i++)
        store_limbs(&limbs[0][i], 2 * VHASH_BATCH_BLOCKS, powers[2 * VHASH_BATCH_BLOCKS - 2 - i]);
    store_limbs(&limbs[0][i], 2 * VHASH_BATCH_BLOCKS, widened(1));
    store_limbs(step, 1, powers[VHASH_BATCH_BLOCKS - 1]);
    for (i = 0; i < 3; i++) {
        before_last.limbs[i] = load_vector(limbs[i]);
        last.limbs[i] = load_vector(limbs[i] + VHASH_BATCH_BLOCKS);
        each.limbs[i] = same64(step[i]);
    }
    store_factor(lanes->last, factor(last));
    store_factor(lanes->before_last, factor(before_last));
    store_factor(lanes->step, factor(each));
}

/* Adds y where it is before all blocks that a lane has. */
INLINED void add_before(struct number *x, struct wide y, __mmask8 lane)
{
    uint64_t before[3];
    unsigned i;
    store_limbs(before, 1, y);
    for (i = 0; i < 3; i++)
        x->limbs[i] = add64(x->limbs[i], _mm512_maskz_mov_epi64(lane, same64(before[i])));
    carry(x);
}

/* Sums to which the batch before the last one has added its lanes, each times the power of k that is
 * behind it: it need not be multiplied and carried before the last one is added. */
struct lane_sums {
    vector of[4];
};

INLINED struct lane_sums no_lanes(void)
{
    const struct lane_sums none = {{same64(0), same64(0), same64(0), same64(0)}};
    return none;
}

INLINED void add_lanes(struct lane_sums *sums, const struct number *x,
                       const uint64_t powers[FACTOR_VECTORS][VHASH_BATCH_BLOCKS])
{
    const struct factor ends = load_factor(powers);
    add_product_of(sums->of, x, &ends);
}

/* The sum of all lanes, with those of the last batch. */
INLINED struct wide ended_lanes(struct lane_sums *sums, const struct number *last,
                                const struct lane_powers *powers)
{
    uint64_t words[4];
    struct wide sum;
    add_lanes(sums, last, powers->last);
    sum_lanes(words, sums->of);
    sum = wide_of_sums(words);
    /* Else gcc takes the words from vectors after it has left them. */
    __asm__ volatile("" : "+r"(sum.low), "+r"(sum.high));
    leave_vectors();
    return sum;
}

/* All batches after the first, which is x; the last one's last block has so many bytes. */
INLINED struct wide take_later(const struct lane_powers *powers, const struct nh_key *key,
                               struct number x, const uint8_t *input, size_t batches,
                               size_t last_bytes)
{
    const struct factor step = load_factor(powers->step);
    struct lane_sums sums = no_lanes();
    if (batches > 1) {
        for (; batches > 2; batches--, input += VHASH_BATCH_BYTES)
            x = multiply_and_add(nh_whole(key, input), &x, &step);
        add_lanes(&sums, &x, powers->before_last);
        x = nh_eight(key, input, 0, last_bytes);
    }
    return ended_lanes(&sums, &x, powers);
}

/*
 * Both layers of some batches, at least one, with a key of layer 1. Each lane is a polynomial in
 * k^8, and in the end gets the power of k that its blocks are before. `y` is what is before the
 * first batch, times k^8.
 */
static __attribute__((noinline)) struct wide take_batches(const struct lane_powers *powers,
                                                          const uint64_t *l1_key, struct wide y,
                                                          const uint8_t *input, size_t batches)
{
    const struct nh_key key = nh_key(l1_key);
    struct number x = nh_whole(&key, input);
    add_before(&x, y, 0x80);
    return take_later(powers, &key, x, input + VHASH_BATCH_BYTES, batches, VHASH_BLOCK_BYTES);
}

/* Fewer bytes behind all batches are faster block by block: measured on a Xeon (Emerald Rapids). */
#define LEAST_RAGGED_BYTES (3 * VHASH_BLOCK_BYTES + 1)

/*
 * The same of any bytes, at least a block and a byte, whose blocks are no multiple of eight or whose
 * last block need not be whole: the first batch has fewer blocks than lanes, and its first lanes are
 * `absent`. `y` is what is before the first block, and where no lane is absent that times k^8.
 */
static __attribute__((noinline)) struct wide take_ragged(const struct lane_powers *powers,
                                                         const uint64_t *l1_key, struct wide y,
                                                         const uint8_t *input, size_t bytes,
                                                         unsigned absent)
{
    const struct nh_key key = nh_key(l1_key);
    const size_t last_bytes = (bytes - 1) % VHASH_BLOCK_BYTES + 1;
    const size_t batches = (bytes + VHASH_BATCH_BYTES - 1) / VHASH_BATCH_BYTES;
    struct number x = nh_eight(&key, input, absent, batches == 1 ? last_bytes : VHASH_BLOCK_BYTES);
    unsigned i;
    for (i = 0; i < 3; i++)
        x.limbs[i] = _mm512_maskz_mov_epi64((__mmask8)(0xff << absent), x.limbs[i]);
    add_before(&x, y, (__mmask8)(absent == 0 ? 0x80 : 1 << (absent - 1)));
    input += (size_t)VHASH_BLOCK_BYTES * (VHASH_BATCH_BLOCKS - absent);
    return take_later(powers, &key, x, input, batches, last_bytes);
}

#define VHASH_TAKES_BATCHES

#endif
