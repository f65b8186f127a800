/* Calls with whole messages of the MACs over universal/uhash.h, which go through no buffer. */
#ifndef CIPHERMARK_UMAC_PROCESS_H
#define CIPHERMARK_UMAC_PROCESS_H

#include "inlined.h"
#include "part.h"
#include "uhash.h"

/* A message's pad, in its context: as ciphermark_umac_start finds it, by words. */
INLINED const uint8_t *umac_pad(struct umac_pad *pad, const void *schedule,
                                void (*encrypt_part)(const void *schedule, uint8_t *output,
                                struct part input), const message *m, unsigned tag_bytes)
{
    const unsigned pads = tag_bytes > PAD_BLOCK_BYTES / 2 ? 1 : PAD_BLOCK_BYTES / tag_bytes;
    const size_t last = m->nonce_bytes - 1;
    const unsigned index = m->nonce[last] & (pads - 1);
    struct part input = load_part16(m->nonce, m->nonce_bytes);
    if (last < 8)
        input.low ^= (uint64_t)index << 8 * last;
    else
        input.high ^= (uint64_t)index << 8 * (last - 8);
    if (!pad->pad.is_known || load_le64(pad->pad.input) != input.low ||
        load_le64(pad->pad.input + 8) != input.high) {
        encrypt_part(schedule, pad->pad.block, input);
        store_le64(pad->pad.input, input.low);
        store_le64(pad->pad.input + 8, input.high);
        pad->pad.is_known = 1;
    }
    return pad->pad.block + index * tag_bytes;
}

/* Parts of a context, see umac.h. */
static inline void *uhash_context_of(void *context)
{
    return (uint8_t *)context + UMAC_STATE_OFFSET;
}

static inline const void *umac_schedule_of(void *context)
{
    return (uint8_t *)uhash_context_of(context) + ALIGNED(sizeof(struct uhash_context));
}

/* Defines `name`, a cipher's `encrypt_part`, by its `struct block_cipher`. */
#define ENCRYPT_PART(name, cipher) \
    static inline void name(const void *schedule, uint8_t *output, struct part input) \
    { \
        uint8_t block[PAD_BLOCK_BYTES]; \
        store_le64(block, input.low); \
        store_le64(block + 8, input.high); \
        (cipher).encrypt(schedule, output, block, 1); \
    }

/* The same by AES instructions, where they are inlined. */
#define AES_PART(name) \
    static inline void name(const void *context, uint8_t *output, struct part input) \
    { \
        const struct aes_schedule *schedule = context; \
        const aes_block block = aes_block_of(input.low, input.high); \
        if (schedule->rounds == 10) \
            store_aes_block(output, aes_encrypted(schedule, 10, block)); \
        else \
            store_aes_block(output, aes_encrypted(schedule, schedule->rounds, block)); \
    }

#define UHASH_PROCESS(word, streams) \
    static int process_UHASH_##word##_##streams(const row *self, void *context, const message *m) \
    { \
        (void)self; \
        hash_##word##_##streams(uhash_context_of(context), m, NO_MASK); \
        return CIPHERMARK_DONE; \
    }

#define UMAC_PROCESS(mac, encrypt_part, word, streams) \
    static int process_##mac##_##word##_##streams(const row *self, void *context, \
                                                  const message *m) \
    { \
        const uint8_t *pad = \
            umac_pad(context, umac_schedule_of(context), encrypt_part, m, (word) * (streams)); \
        (void)self; \
        hash_##word##_##streams(uhash_context_of(context), m, pad); \
        return CIPHERMARK_DONE; \
    }

#define UMAC_PROCESSES(mac, encrypt_part) \
    UMAC_PROCESS(mac, encrypt_part, 2, 2) \
    UMAC_PROCESS(mac, encrypt_part, 2, 4) \
    UMAC_PROCESS(mac, encrypt_part, 2, 6) \
    UMAC_PROCESS(mac, encrypt_part, 2, 8) \
    UMAC_PROCESS(mac, encrypt_part, 4, 1) \
    UMAC_PROCESS(mac, encrypt_part, 4, 2) \
    UMAC_PROCESS(mac, encrypt_part, 4, 3) \
    UMAC_PROCESS(mac, encrypt_part, 4, 4)

UHASH_PROCESS(2, 2)
UHASH_PROCESS(2, 4)
UHASH_PROCESS(2, 6)
UHASH_PROCESS(2, 8)
UHASH_PROCESS(4, 1)
UHASH_PROCESS(4, 2)
UHASH_PROCESS(4, 3)
UHASH_PROCESS(4, 4)

/* For rows, see umac.h. Vectors of the key of layer 1 are aligned as they are loaded. */
#define UHASH_TEMPLATE_HASH(word, streams) uhash_##word##_##streams
#define UHASH_TEMPLATE_STATE_BYTES sizeof(struct uhash_context)
#define UHASH_TEMPLATE_ALIGNMENT UMAC_STATE_OFFSET
#define UHASH_TEMPLATE_PROCESS(mac, word, streams) process_##mac##_##word##_##streams
#define UHASH_TEMPLATE_LANES(mac, word, streams) .lanes = 1

/*
 * The rows of a kernel with this AES, whose encrypt_aes_part there is: `rfc4418`, `october2000`, and
 * `october2000_rc6` with RC6 in its place.
 */
#define UMAC_KERNEL_ROWS(by, aes, schedule_bytes, timing, backend) \
    ENCRYPT_PART(encrypt_rc6_part, ciphermark_rc6_portable) \
    UMAC_PROCESSES(UMAC, encrypt_aes_part) \
    UMAC_PROCESSES(UMAC_RC6, encrypt_rc6_part) \
    static const row rfc4418[] = { \
        UMAC_RFC4418_ROWS(by, aes, schedule_bytes, timing, backend)}; \
    static const row october2000[] = {UMAC2000_ROWS(by, aes, schedule_bytes, timing, backend)}; \
    static const row october2000_rc6[] = { \
        UMAC2000_RC6_ROWS(UHASH_TEMPLATE, ciphermark_rc6_portable, RC6_SCHEDULE_BYTES, \
                          CIPHERMARK_VARIABLE_TIME, backend)};

#endif
