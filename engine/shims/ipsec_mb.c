/*
 * Intel's Multi-Buffer Crypto for IPsec, 1.3 to 2.0. Linked with -lIPSec_MB.
 *
 * Most of the library is reached by jobs: descriptions of messages that are submitted to a manager,
 * which computes several at a time and gives them back in order. One message is a job that is
 * submitted and flushed out at once; lanes are submitted together. Where the library has a call for
 * one message (GCM, GMAC, SHA, KASUMI, SNOW 3G), rows use it, but for ZUC, where it errs.
 *
 * Jobs are submitted unchecked, as callers do who know their lengths. What remains to be checked
 * here is the longest message of each kind of job, and the few messages that jobs do not take: an
 * empty one that is submitted to HMAC spoils the manager.
 *
 * What the library lacks: HMAC-MD5 of an empty message, so it is left out (it has no MD5 but that
 * in its HMAC, by which it could be made up); the first block of ChaCha20's keystream; CMAC with
 * AES-192; CCM with more than 46 bytes of associated data.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of the library's old interface, as short as ENCRYPT. */
#define NO_COMPAT_IMB_API_053
#include <intel-ipsec-mb.h>

/* GCM's tables want 64 bytes, the other expanded keys 16. */
#define ALIGNMENT 64

#include "shim.h"

/* The manager's structure, and what jobs must be given, changes between versions. */
#if IMB_VERSION_NUM < IMB_VERSION(1, 3, 0) || IMB_VERSION_NUM >= IMB_VERSION(2, 1, 0)
#error "the headers are not those of ipsec-mb 1.3 to 2.0"
#endif
#define HEADERS IMB_VERSION_STR

/* 2.0 has no code for AVX alone. */
#define HAS_AVX_CODE (IMB_VERSION_NUM < IMB_VERSION(2, 0, 0))

#define AES_BLOCK_BYTES 16
/* Half of the manager's queue, so that no job of a call has to wait for room. */
#define MOST_LANES 128

/* ---- The manager -----------------------------------------------------------------------------
 *
 * One for each thread, since it is not safe for use by several: the state of jobs is in it. That is
 * sound because all jobs of a call are done when it returns, so nothing of a context stays behind
 * in a manager, and a context may go on in another thread. It lives as long as its thread. */

struct own {
    IMB_MGR *manager;
    /* Where messages are copied whose jobs want other bytes around them, one for each lane. */
    struct pad {
        uint8_t *bytes;
        size_t room;
    } pads[MOST_LANES];
};

static __thread struct own own;
static pthread_key_t owners;

/* Whether a feature is switched off. */
static int is_off(const char *feature)
{
    return lists(getenv("CIPHERMARK_IPSEC_MB_OFF"), feature);
}

/* The best code of the library that the processor has and that is not switched off. */
static void start_manager(IMB_MGR *manager)
{
    const uint64_t has = manager->features;
#define HAS(flags) ((has & (flags)) == (flags))
    const int avx = HAS(IMB_FEATURE_AVX) && !is_off("avx");
    const int avx2 = avx && HAS(IMB_CPUFLAGS_AVX2) && !is_off("avx2");
    if (avx2 && HAS(IMB_CPUFLAGS_AVX512) && !is_off("avx512"))
        init_mb_mgr_avx512(manager);
    else if (avx2)
        init_mb_mgr_avx2(manager);
#if HAS_AVX_CODE
    else if (avx && HAS(IMB_CPUFLAGS_AVX))
        init_mb_mgr_avx(manager);
#endif
    else if (HAS(IMB_CPUFLAGS_SSE))
        init_mb_mgr_sse(manager);
#undef HAS
}

static IMB_MGR *new_manager(void)
{
    const uint64_t sha_ni = is_off("sha_ni") ? IMB_FLAG_SHANI_OFF : 0;
    const uint64_t gfni = is_off("gfni") ? IMB_FLAG_GFNI_OFF : 0;
    IMB_MGR *manager = alloc_mb_mgr(sha_ni | gfni);
    if (manager == NULL)
        return NULL;
    start_manager(manager);
    if (manager->used_arch == IMB_ARCH_NONE || imb_get_errno(manager) != 0) {
        free_mb_mgr(manager);
        return NULL;
    }
    return manager;
}

/* The manager of this thread; null where it cannot be had. */
static IMB_MGR *get_manager(void)
{
    if (own.manager == NULL) {
        own.manager = new_manager();
        pthread_setspecific(owners, &own);
    }
    return own.manager;
}

/* Of a thread that ends. */
static void release_own(void *of)
{
    struct own *ended = of;
    if (ended->manager != NULL)
        free_mb_mgr(ended->manager);
    for (size_t i = 0; i < MOST_LANES; i++)
        free(ended->pads[i].bytes);
}

#define GET_MANAGER(manager) \
    IMB_MGR *manager = get_manager(); \
    if (manager == NULL) \
        return IMB_ERR_NULL_MBMGR

/* So that the manager is there before anything is timed. */
DOES(INIT(init), GET_MANAGER(manager))

/* The library has no comparison of its own. */
static int tags_equal(const void *one, const void *other, size_t bytes)
{
    const volatile uint8_t *a = one, *b = other;
    uint8_t difference = 0;
    for (size_t i = 0; i < bytes; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

#define CHECK_TAG(computed, m, bytes) \
    opened_if(tags_equal(computed, (m)->input + (m)->output_bytes, bytes))

/* ---- Jobs --------------------------------------------------------------------------------- */

/* What a message needs until its job is done, apart from its context, which it may share. */
struct lane {
    size_t number;
    uint8_t iv[16];
    uint8_t tag[16]; /* that is right, of a message to open */
};

/* The kind of jobs that a row's messages are. */
struct job {
    IMB_CIPHER_MODE cipher;
    IMB_HASH_ALG hash;
    /* Says what is particular to a message in its job. */
    int (*describe)(const row *self, void *context, const message *m, struct lane *lane,
                    IMB_JOB *job);
    /* What follows when a job is done, as comparing the tag; null for nothing. */
    int (*finish)(const message *m, const struct lane *lane);
    /* Whether a message is one that jobs do not take, and what stands for its job; null where they
     * take all. */
    int (*is_apart)(const message *m);
    int (*apart)(const row *self, void *context, const message *m);
    /* The longest message, and the error for longer ones. */
    size_t most_bytes;
    IMB_ERR too_long;
};

/* Of jobs that count in 16 bits. */
#define MOST_BYTES_16 65534

/* The head of such a function as `describe`. */
#define DESCRIBE(name) \
    static int name(const row *self UNUSED, void *context UNUSED, const message *m UNUSED, \
                    struct lane *lane UNUSED, IMB_JOB *job)

/* What jobs of the row have in common. */
DESCRIBE(describe)
{
    const struct job *kind = self->parameters;
    job->cipher_mode = kind->cipher;
    job->hash_alg = kind->hash;
    job->cipher_direction = receives(self) ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    job->chain_order = kind->cipher == IMB_CIPHER_NULL || receives(self) ? IMB_ORDER_HASH_CIPHER
                                                                         : IMB_ORDER_CIPHER_HASH;
    job->src = m->input;
    job->dst = m->output;
    job->cipher_start_src_offset_in_bytes = 0;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = kind->cipher == IMB_CIPHER_NULL ? 0 : m->input_bytes;
    job->msg_len_to_hash_in_bytes = kind->hash == IMB_AUTH_NULL ? 0 : m->input_bytes;
    job->iv = m->nonce;
    job->iv_len_in_bytes = m->nonce_bytes;
    job->auth_tag_output = m->output;
    job->auth_tag_output_len_in_bytes = self->tag_bytes;
    return kind->describe == NULL ? CIPHERMARK_DONE
                                  : kind->describe(self, context, m, lane, job);
}

/* Takes note of the jobs from `job` on that are done, in order. */
static void collect(IMB_MGR *manager, IMB_JOB *job, int *status)
{
    for (; job != NULL; job = IMB_GET_COMPLETED_JOB(manager))
        if (job->status != IMB_STATUS_COMPLETED)
            *status = (int)job->status;
}

static int check_lengths(const row *self, const message *messages, size_t count)
{
    const struct job *kind = self->parameters;
    for (size_t i = 0; i < count; i++)
        if (messages[i].input_bytes > kind->most_bytes)
            return kind->too_long;
    return CIPHERMARK_DONE;
}

/* Submits a job for each message, without waiting for all. */
static int submit(const row *self, void *const *contexts, const message *messages,
                  struct lane *lanes, size_t count)
{
    const struct job *kind = self->parameters;
    int status = CIPHERMARK_DONE;
    GET_MANAGER(manager);
    for (size_t i = 0; i < count && status == CIPHERMARK_DONE; i++) {
        if (kind->is_apart != NULL && kind->is_apart(&messages[i])) {
            status = kind->apart(self, contexts[i], &messages[i]);
            continue;
        }
        IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
        lanes[i].number = i;
        status = describe(self, contexts[i], &messages[i], &lanes[i], job);
        if (status == CIPHERMARK_DONE)
            collect(manager, IMB_SUBMIT_JOB_NOCHECK(manager), &status);
    }
    return status;
}

/* Waits for all jobs. */
static int flush(int status)
{
    GET_MANAGER(manager);
    for (IMB_JOB *job; (job = IMB_FLUSH_JOB(manager)) != NULL;)
        collect(manager, job, &status);
    return status;
}

static int finish(const row *self, const message *messages, const struct lane *lanes,
                  size_t count)
{
    const struct job *kind = self->parameters;
    int status = CIPHERMARK_DONE;
    if (kind->finish != NULL)
        for (size_t i = 0; i < count; i++)
            if (kind->finish(&messages[i], &lanes[i]) != CIPHERMARK_DONE)
                status = CIPHERMARK_REFUSED;
    return status;
}

static int process_jobs(const row *self, void *const *contexts, const message *messages,
                        size_t count)
{
    struct lane lanes[MOST_LANES];
    int status = check_lengths(self, messages, count);
    if (status == CIPHERMARK_DONE)
        status = flush(submit(self, contexts, messages, lanes, count));
    return status == CIPHERMARK_DONE ? finish(self, messages, lanes, count) : status;
}

ANSWERS(PROCESS(process_job), process_jobs(self, &context, m, 1))

ANSWERS(static int is_empty(const message *m), m->input_bytes == 0)

/* For an empty message of functions that give back as many bytes as they get. */
ANSWERS(PROCESS(do_nothing), CIPHERMARK_DONE)

/* Of ciphers alone, and of hashes and MACs; what there is besides follows. */
#define CIPHER_JOB(mode, most, ...) \
    {.cipher = mode, .hash = IMB_AUTH_NULL, .most_bytes = most, .too_long = IMB_ERR_JOB_CIPH_LEN, \
     __VA_ARGS__}
#define HASH_JOB(algorithm, most, ...) \
    {.cipher = IMB_CIPHER_NULL, .hash = algorithm, .most_bytes = most, \
     .too_long = IMB_ERR_JOB_AUTH_LEN, __VA_ARGS__}
#define NOT_WHERE(is_such, stands_for_it) .is_apart = is_such, .apart = stands_for_it

/* ---- AES in ECB, CBC and CTR -------------------------------------------------------------- */

struct aes {
    uint8_t encrypt[15 * AES_BLOCK_BYTES];
    uint8_t decrypt[15 * AES_BLOCK_BYTES];
};

static void expand(IMB_MGR *manager, struct aes *aes, const uint8_t *key, size_t key_bytes)
{
    if (key_bytes == IMB_KEY_128_BYTES)
        IMB_AES_KEYEXP_128(manager, key, aes->encrypt, aes->decrypt);
    else if (key_bytes == IMB_KEY_192_BYTES)
        IMB_AES_KEYEXP_192(manager, key, aes->encrypt, aes->decrypt);
    else
        IMB_AES_KEYEXP_256(manager, key, aes->encrypt, aes->decrypt);
}

DOES(SET_KEY(set_aes_key), GET_MANAGER(manager); expand(manager, context, key, key_bytes))

DESCRIBE(describe_aes)
{
    const struct aes *aes = context;
    job->enc_keys = aes->encrypt;
    job->dec_keys = aes->decrypt;
    job->key_len_in_bytes = self->key_bytes.least;
    return CIPHERMARK_DONE;
}

/* Bytes until the library's counter, the last 32 bits of CTR's, is at 0 again. */
static uint64_t bytes_to_wrap(const message *m)
{
    return ((UINT64_C(1) << 32) - big_endian(m->nonce + 12)) * AES_BLOCK_BYTES;
}

static int is_empty_or_wraps(const message *m)
{
    return m->input_bytes == 0 || m->input_bytes > bytes_to_wrap(m);
}

/* What is behind the wrap is a message with a nonce of its own, to which the carry has gone. */
PROCESS(crypt_around_wrap)
{
    if (m->input_bytes == 0)
        return CIPHERMARK_DONE;
    uint8_t nonce[AES_BLOCK_BYTES] = {0};
    memcpy(nonce, m->nonce, 12);
    for (size_t i = 12; i > 0 && ++nonce[i - 1] == 0; i--)
        ;
    message parts[2] = {*m, *m};
    parts[0].input_bytes = parts[0].output_bytes = bytes_to_wrap(m);
    parts[1].nonce = nonce;
    parts[1].input += parts[0].input_bytes;
    parts[1].output += parts[0].output_bytes;
    parts[1].input_bytes = parts[1].output_bytes = m->input_bytes - parts[0].input_bytes;
    void *const contexts[2] = {context, context};
    return process_jobs(self, contexts, parts, 2);
}

#define AES_JOB(mode, most, ...) CIPHER_JOB(mode, most, .describe = describe_aes, __VA_ARGS__)
#define NOT_EMPTY NOT_WHERE(is_empty, do_nothing)
static const struct job ecb = AES_JOB(IMB_CIPHER_ECB, MOST_BYTES_16, NOT_EMPTY);
static const struct job encrypt_cbc = AES_JOB(IMB_CIPHER_CBC, MOST_BYTES_16, NOT_EMPTY);
static const struct job decrypt_cbc = AES_JOB(IMB_CIPHER_CBC, SIZE_MAX, NOT_EMPTY);
static const struct job ctr =
    AES_JOB(IMB_CIPHER_CNTR, SIZE_MAX, NOT_WHERE(is_empty_or_wraps, crypt_around_wrap));

/* ---- GCM and GMAC ----------------------------------------------------------------------------
 *
 * Jobs of GCM are computed one by one as well, so there are no lanes. A nonce of 12 bytes is the
 * one that the call for a whole message takes. */

#define GCM_TAG_BYTES 16

struct gcm {
    struct gcm_key_data key;
    struct gcm_context_data state;
};

#define GCM_MESSAGE(bits, DIRECTION, text_bytes, tag) \
    do { \
        struct gcm *gcm = context; \
        GET_MANAGER(manager); \
        if (m->nonce_bytes == IMB_GCM_IV_DATA_LEN) { \
            IMB_AES##bits##_GCM_##DIRECTION(manager, &gcm->key, &gcm->state, m->output, m->input, \
                                            text_bytes, m->nonce, m->aad, m->aad_bytes, tag, \
                                            GCM_TAG_BYTES); \
            break; \
        } \
        IMB_AES##bits##_GCM_INIT_VAR_IV(manager, &gcm->key, &gcm->state, m->nonce, \
                                        m->nonce_bytes, m->aad, m->aad_bytes); \
        IMB_AES##bits##_GCM_##DIRECTION##_UPDATE(manager, &gcm->key, &gcm->state, m->output, \
                                                 m->input, text_bytes); \
        IMB_AES##bits##_GCM_##DIRECTION##_FINALIZE(manager, &gcm->key, &gcm->state, tag, \
                                                   GCM_TAG_BYTES); \
    } while (0)
#define GCM_FUNCTIONS(bits) \
    DOES(SET_KEY(set_gcm##bits##_key), GET_MANAGER(manager); \
         IMB_AES##bits##_GCM_PRE(manager, key, &((struct gcm *)context)->key)) \
    DOES(PROCESS(seal_gcm##bits), \
         GCM_MESSAGE(bits, ENC, m->input_bytes, m->output + m->input_bytes)) \
    PROCESS(open_gcm##bits) \
    { \
        uint8_t tag[GCM_TAG_BYTES]; \
        GCM_MESSAGE(bits, DEC, m->output_bytes, tag); \
        return CHECK_TAG(tag, m, sizeof tag); \
    }
GCM_FUNCTIONS(128)
GCM_FUNCTIONS(192)
GCM_FUNCTIONS(256)

#define GMAC_FUNCTION(bits) \
    PROCESS(gmac##bits) \
    { \
        struct gcm *gcm = context; \
        GET_MANAGER(manager); \
        IMB_AES##bits##_GMAC_INIT(manager, &gcm->key, &gcm->state, m->nonce, m->nonce_bytes); \
        IMB_AES##bits##_GMAC_UPDATE(manager, &gcm->key, &gcm->state, m->input, m->input_bytes); \
        IMB_AES##bits##_GMAC_FINALIZE(manager, &gcm->key, &gcm->state, m->output, \
                                      GCM_TAG_BYTES); \
        return CIPHERMARK_DONE; \
    }
GMAC_FUNCTION(128)
GMAC_FUNCTION(256)

/* ---- ChaCha20-Poly1305, and Poly1305 alone ------------------------------------------------ */

#define POLY1305_TAG_BYTES 16

DESCRIBE(describe_chacha)
{
    const size_t text_bytes = self->operation == OPEN ? m->output_bytes : m->input_bytes;
    job->enc_keys = context;
    job->dec_keys = context;
    job->key_len_in_bytes = sizeof(struct copied_key);
    job->msg_len_to_cipher_in_bytes = text_bytes;
    job->msg_len_to_hash_in_bytes = text_bytes;
    job->u.CHACHA20_POLY1305.aad = m->aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = m->aad_bytes;
    job->auth_tag_output = self->operation == OPEN ? lane->tag : m->output + text_bytes;
    return CIPHERMARK_DONE;
}

ANSWERS(static int check_chacha(const message *m, const struct lane *lane),
        CHECK_TAG(lane->tag, m, POLY1305_TAG_BYTES))

DOES(DESCRIBE(describe_poly1305), job->u.POLY1305._key = context)

#define CHACHA_JOB(...) \
    {.cipher = IMB_CIPHER_CHACHA20_POLY1305, .hash = IMB_AUTH_CHACHA20_POLY1305, \
     .describe = describe_chacha, .most_bytes = SIZE_MAX, .too_long = IMB_ERR_JOB_CIPH_LEN, \
     __VA_ARGS__}
static const struct job seal_chacha = CHACHA_JOB(.finish = NULL);
static const struct job open_chacha = CHACHA_JOB(.finish = check_chacha);
static const struct job poly1305 =
    HASH_JOB(IMB_AUTH_POLY1305, SIZE_MAX, .describe = describe_poly1305);

/* ---- SHA-1 and SHA-2, and HMAC with them ------------------------------------------------------
 *
 * A digest alone by the call for one message, in lanes by jobs. HMAC by jobs, which start from the
 * states behind the two padded keys. */

#define LONGEST_BLOCK_BYTES IMB_SHA_512_BLOCK_SIZE
#define LONGEST_STATE_BYTES IMB_SHA512_DIGEST_SIZE_IN_BYTES

struct hash {
    struct job job;
    size_t block_bytes;
    void (*one_block)(IMB_MGR *manager, const void *block, void *state);
    void (*digest)(IMB_MGR *manager, const void *input, uint64_t input_bytes, void *digest);
};

struct hmac {
    uint8_t inner_state[LONGEST_STATE_BYTES];
    uint8_t outer_state[LONGEST_STATE_BYTES];
    /* The padded keys, with room for a digest behind the outer one. */
    uint8_t inner[LONGEST_BLOCK_BYTES];
    uint8_t outer[LONGEST_BLOCK_BYTES + IMB_SHA512_DIGEST_SIZE_IN_BYTES];
};

SET_KEY(set_hmac_key)
{
    const struct hash *hash = self->parameters;
    struct hmac *hmac = context;
    uint8_t padded[LONGEST_BLOCK_BYTES] = {0};
    GET_MANAGER(manager);
    if (key_bytes > hash->block_bytes)
        hash->digest(manager, key, key_bytes, padded);
    else
        memcpy(padded, key, key_bytes);
    for (size_t i = 0; i < hash->block_bytes; i++) {
        hmac->inner[i] = padded[i] ^ 0x36;
        hmac->outer[i] = padded[i] ^ 0x5c;
    }
    hash->one_block(manager, hmac->inner, hmac->inner_state);
    hash->one_block(manager, hmac->outer, hmac->outer_state);
    return CIPHERMARK_DONE;
}

DESCRIBE(describe_hmac)
{
    const struct hmac *hmac = context;
    job->u.HMAC._hashed_auth_key_xor_ipad = hmac->inner_state;
    job->u.HMAC._hashed_auth_key_xor_opad = hmac->outer_state;
    return CIPHERMARK_DONE;
}

PROCESS(empty_hmac)
{
    const struct hash *hash = self->parameters;
    struct hmac *hmac = context;
    GET_MANAGER(manager);
    hash->digest(manager, hmac->inner, hash->block_bytes, hmac->outer + hash->block_bytes);
    hash->digest(manager, hmac->outer, hash->block_bytes + self->tag_bytes, m->output);
    return CIPHERMARK_DONE;
}

PROCESS(digest)
{
    const struct hash *hash = self->parameters;
    GET_MANAGER(manager);
    hash->digest(manager, m->input, m->input_bytes, m->output);
    return CIPHERMARK_DONE;
}

#define HASH_FUNCTIONS(bits, block) \
    RUNS(static void one_block_sha##bits(IMB_MGR *manager, const void *input, void *state), \
         IMB_SHA##bits##_ONE_BLOCK(manager, input, state)) \
    RUNS(static void digest_sha##bits(IMB_MGR *manager, const void *input, uint64_t bytes, \
                                      void *digest), \
         IMB_SHA##bits(manager, input, bytes, digest)) \
    static const struct hash sha##bits = { \
        HASH_JOB(IMB_AUTH_SHA_##bits, MOST_BYTES_16, .describe = NULL), block, \
        one_block_sha##bits, digest_sha##bits}; \
    static const struct hash hmac_sha##bits = { \
        HASH_JOB(IMB_AUTH_HMAC_SHA_##bits, MOST_BYTES_16, .describe = describe_hmac, \
                 NOT_WHERE(is_empty, empty_hmac)), \
        block, one_block_sha##bits, digest_sha##bits};
HASH_FUNCTIONS(1, IMB_SHA1_BLOCK_SIZE)
HASH_FUNCTIONS(224, IMB_SHA_256_BLOCK_SIZE)
HASH_FUNCTIONS(256, IMB_SHA_256_BLOCK_SIZE)
HASH_FUNCTIONS(384, IMB_SHA_384_BLOCK_SIZE)
HASH_FUNCTIONS(512, IMB_SHA_512_BLOCK_SIZE)

/* ---- CMAC with AES ------------------------------------------------------------------------ */

struct cmac {
    struct aes aes;
    uint8_t subkey1[AES_BLOCK_BYTES];
    uint8_t subkey2[AES_BLOCK_BYTES];
};

SET_KEY(set_cmac_key)
{
    struct cmac *cmac = context;
    GET_MANAGER(manager);
    expand(manager, &cmac->aes, key, key_bytes);
    if (key_bytes == IMB_KEY_128_BYTES)
        IMB_AES_CMAC_SUBKEY_GEN_128(manager, cmac->aes.encrypt, cmac->subkey1, cmac->subkey2);
    else
        IMB_AES_CMAC_SUBKEY_GEN_256(manager, cmac->aes.encrypt, cmac->subkey1, cmac->subkey2);
    return CIPHERMARK_DONE;
}

/* Copies the message of a job behind `before` bytes for the caller to write, to where whole blocks can
 * be read. */
static int copy_to_pad(const message *m, const struct lane *lane, size_t before, IMB_JOB *job)
{
    struct pad *pad = &own.pads[lane->number];
    const size_t bytes = before + m->input_bytes;
    const size_t room = (bytes / AES_BLOCK_BYTES + 1) * AES_BLOCK_BYTES;
    if (room > pad->room) {
        free(pad->bytes);
        pad->bytes = malloc(room);
        pad->room = pad->bytes == NULL ? 0 : room;
        if (pad->bytes == NULL)
            return IMB_ERR_JOB_NULL_SRC;
    }
    memcpy(pad->bytes + before, m->input, m->input_bytes);
    job->src = pad->bytes;
    job->msg_len_to_hash_in_bytes = bytes;
    return CIPHERMARK_DONE;
}

static void use_cmac_key(const struct cmac *cmac, IMB_JOB *job)
{
    job->u.CMAC._key_expanded = cmac->aes.encrypt;
    job->u.CMAC._skey1 = cmac->subkey1;
    job->u.CMAC._skey2 = cmac->subkey2;
}

/* The AVX-512 code of version 1.3 reads all of the last block, also where the message ends within it or
 * is empty. So such a message is copied, as a caller has to do who cannot say what lies behind it. */
DESCRIBE(describe_cmac)
{
    use_cmac_key(context, job);
    const int ends_with_a_block = m->input_bytes > 0 && m->input_bytes % AES_BLOCK_BYTES == 0;
    if (ends_with_a_block || own.manager->used_arch != IMB_ARCH_AVX512)
        return CIPHERMARK_DONE;
    return copy_to_pad(m, lane, 0, job);
}

#define CMAC_JOB(algorithm, most, with) HASH_JOB(algorithm, most, .describe = with)
static const struct job cmac128 = CMAC_JOB(IMB_AUTH_AES_CMAC, MOST_BYTES_16, describe_cmac);
static const struct job cmac256 = CMAC_JOB(IMB_AUTH_AES_CMAC_256, MOST_BYTES_16, describe_cmac);

/* ---- The functions of 3GPP -------------------------------------------------------------------
 *
 * Nonces are laid out as the facts of the functions say: COUNT, 4 bytes; BEARER, or with UIA1 and
 * UIA2 FRESH of 4 bytes; DIRECTION. Lengths are those of the facts (20,000 bits for KASUMI, 65,504
 * for ZUC): the calls below refuse others in silence. */

#define KEY_BYTES 16
#define MOST_BYTES_KASUMI 2500
#define MOST_BYTES_ZUC 8188

#define COUNT(m) big_endian((m)->nonce)
#define BEARER(m) ((m)->nonce[4])
#define FRESH(m) big_endian((m)->nonce + 4)
#define DIRECTION(m) ((m)->nonce[(m)->nonce_bytes - 1])

#define CHECK_MOST(m, most, error) \
    if ((m)->output_bytes > (most) || (m)->input_bytes > (most)) \
        return error

#define KEY_SCHEDULE(set, EXPAND) \
    SET_KEY(set) \
    { \
        GET_MANAGER(manager); \
        return EXPAND(manager, key, context); \
    }

/* EEA2: AES-CTR from COUNT, BEARER and DIRECTION. */

/* What begins the IV of EEA2 and the message of EIA2. */
static void write_header(const message *m, uint8_t header[8])
{
    memcpy(header, m->nonce, 4);
    header[4] = (uint8_t)(BEARER(m) << 3 | DIRECTION(m) << 2);
    memset(header + 5, 0, 3);
}

DESCRIBE(describe_eea2)
{
    write_header(m, lane->iv);
    memset(lane->iv + 8, 0, sizeof lane->iv - 8);
    job->iv = lane->iv;
    job->iv_len_in_bytes = sizeof lane->iv;
    return describe_aes(self, context, m, lane, job);
}

static const struct job eea2 =
    CIPHER_JOB(IMB_CIPHER_CNTR, SIZE_MAX, .describe = describe_eea2, NOT_EMPTY);

/* EIA2: CMAC of header and message, which a job wants side by side; so the message is copied, as a
 * caller has to do who did not leave room before it. */
DESCRIBE(describe_eia2)
{
    use_cmac_key(context, job);
    const int status = copy_to_pad(m, lane, 8, job);
    if (status == CIPHERMARK_DONE)
        write_header(m, own.pads[lane->number].bytes);
    return status;
}

static const struct job eia2 = CMAC_JOB(IMB_AUTH_AES_CMAC, MOST_BYTES_16 - 8, describe_eia2);

/* KASUMI. The call for several messages wants one key for all of them, and jobs are computed one
 * by one, so there are no lanes. */

KEY_SCHEDULE(set_uea1_key, IMB_KASUMI_INIT_F8_KEY_SCHED)

PROCESS(crypt_uea1)
{
    uint64_t iv;
    CHECK_MOST(m, MOST_BYTES_KASUMI, IMB_ERR_CIPH_LEN);
    GET_MANAGER(manager);
    kasumi_f8_iv_gen(COUNT(m), BEARER(m), DIRECTION(m), &iv);
    IMB_KASUMI_F8_1_BUFFER(manager, context, iv, m->input, m->output, (uint32_t)m->input_bytes);
    return CIPHERMARK_DONE;
}

KEY_SCHEDULE(set_uia1_key, IMB_KASUMI_INIT_F9_KEY_SCHED)

PROCESS(mac_uia1)
{
    uint64_t iv;
    CHECK_MOST(m, MOST_BYTES_KASUMI, IMB_ERR_AUTH_LEN);
    GET_MANAGER(manager);
    kasumi_f9_iv_gen(COUNT(m), FRESH(m), &iv);
    IMB_KASUMI_F9_1_BUFFER_USER(manager, context, iv, m->input, (uint32_t)m->input_bytes * 8,
                                m->output, DIRECTION(m));
    return CIPHERMARK_DONE;
}

/* SNOW 3G. The keystream is the encryption of zeros; its key and IV are words of 32 bits in the
 * opposite order of UEA2's. */

/* The most that one call takes; more would make it print to standard output. */
#define MOST_LANES_SNOW3G 16

static void reverse_words(uint32_t words[4], const uint8_t *bytes)
{
    for (size_t i = 0; i < 4; i++)
        memcpy(&words[3 - i], bytes + 4 * i, 4);
}

KEY_SCHEDULE(set_uea2_key, IMB_SNOW3G_INIT_KEY_SCHED)

SET_KEY(set_snow3g_key)
{
    uint32_t words[4];
    reverse_words(words, key);
    return set_uea2_key(self, context, (const uint8_t *)words, key_bytes);
}

/* Writes the IV of a message; returns what is to be encrypted. */
static const uint8_t *start_snow3g(const row *self, uint32_t iv[4], const message *m)
{
    if (self->operation != CIPHERMARK_KEYSTREAM) {
        snow3g_f8_iv_gen(COUNT(m), BEARER(m), DIRECTION(m), iv);
        return m->input;
    }
    reverse_words(iv, m->nonce);
    memset(m->output, 0, m->output_bytes);
    return m->output;
}

PROCESS(crypt_snow3g)
{
    uint32_t iv[4];
    CHECK_MOST(m, UINT32_MAX / 8, IMB_ERR_CIPH_LEN);
    GET_MANAGER(manager);
    const uint8_t *input = start_snow3g(self, iv, m);
    IMB_SNOW3G_F8_1_BUFFER(manager, context, iv, input, m->output, (uint32_t)m->output_bytes);
    return CIPHERMARK_DONE;
}

static int crypt_snow3g_lanes(const row *self, void *const *contexts, const message *messages,
                              size_t count)
{
    const snow3g_key_schedule_t *keys[MOST_LANES_SNOW3G];
    const void *ivs[MOST_LANES_SNOW3G], *inputs[MOST_LANES_SNOW3G];
    void *outputs[MOST_LANES_SNOW3G];
    uint32_t bytes[MOST_LANES_SNOW3G], iv[MOST_LANES_SNOW3G][4];
    GET_MANAGER(manager);
    for (size_t i = 0; i < count; i++) {
        CHECK_MOST(&messages[i], UINT32_MAX / 8, IMB_ERR_CIPH_LEN);
        inputs[i] = start_snow3g(self, iv[i], &messages[i]);
        keys[i] = contexts[i];
        ivs[i] = iv[i];
        outputs[i] = messages[i].output;
        bytes[i] = (uint32_t)messages[i].output_bytes;
    }
    IMB_SNOW3G_F8_N_BUFFER_MULTIKEY(manager, keys, ivs, inputs, outputs, bytes, (uint32_t)count);
    return CIPHERMARK_DONE;
}

PROCESS(mac_uia2)
{
    uint32_t iv[4];
    CHECK_MOST(m, UINT32_MAX / 8, IMB_ERR_AUTH_LEN);
    GET_MANAGER(manager);
    snow3g_f9_iv_gen(COUNT(m), FRESH(m), DIRECTION(m), iv);
    IMB_SNOW3G_F9_1_BUFFER(manager, context, iv, m->input, m->input_bytes * 8, m->output);
    return CIPHERMARK_DONE;
}

DESCRIBE(describe_uia2)
{
    snow3g_f9_iv_gen(COUNT(m), FRESH(m), DIRECTION(m), lane->iv);
    job->u.SNOW3G_UIA2._key = context;
    job->u.SNOW3G_UIA2._iv = lane->iv;
    job->msg_len_to_hash_in_bits = m->input_bytes * 8;
    return CIPHERMARK_DONE;
}

static const struct job uia2 =
    HASH_JOB(IMB_AUTH_SNOW3G_UIA2_BITLEN, UINT32_MAX / 8, .describe = describe_uia2);

/* ZUC. Jobs, one message's too: the calls for buffers give wrong answers in version 1.3. That for one
 * buffer keeps a 0 in the register that has to become 2^31 - 1 (section 3.2 of TS 35.222; its issue
 * 144), which a message of 1024 bytes meets once in 2^23, and those for several use it for what is
 * left of 4 messages. That of EIA3 errs too for longer messages beside a shortest one of a multiple
 * of 64 bytes. The keystream is the encryption of zeros. */

DESCRIBE(describe_eea3)
{
    if (self->operation == CIPHERMARK_KEYSTREAM) {
        memset(m->output, 0, m->output_bytes);
        job->src = m->output;
        job->msg_len_to_cipher_in_bytes = m->output_bytes;
    } else {
        zuc_eea3_iv_gen(COUNT(m), BEARER(m), DIRECTION(m), lane->iv);
        job->iv = lane->iv;
        job->iv_len_in_bytes = sizeof lane->iv;
    }
    job->enc_keys = context;
    job->key_len_in_bytes = KEY_BYTES;
    return CIPHERMARK_DONE;
}

DESCRIBE(describe_eia3)
{
    zuc_eia3_iv_gen(COUNT(m), BEARER(m), DIRECTION(m), lane->iv);
    job->u.ZUC_EIA3._key = context;
    job->u.ZUC_EIA3._iv = lane->iv;
    job->msg_len_to_hash_in_bits = m->input_bytes * 8;
    return CIPHERMARK_DONE;
}

ANSWERS(static int has_no_output(const message *m), m->output_bytes == 0)

static const struct job eea3 = CIPHER_JOB(IMB_CIPHER_ZUC_EEA3, MOST_BYTES_ZUC,
                                          .describe = describe_eea3,
                                          NOT_WHERE(has_no_output, do_nothing));
static const struct job eia3 =
    HASH_JOB(IMB_AUTH_ZUC_EIA3_BITLEN, MOST_BYTES_ZUC, .describe = describe_eia3);

/* ---- The table ---------------------------------------------------------------------------- */

/* By a call for one message, and by jobs; by both, one message by `run`. */
#define ALONE(name, what, type, set, run, ...) \
    ROW(name, what, type, .init = init, .set_key = set, .process = run, __VA_ARGS__)
#define LANES(name, what, type, set, run, most, run_lanes, ...) \
    ROW_OF(name, what, sizeof(type), ALIGNMENT, .init = init, .set_key = set, .process = run, \
           .lanes = most, .process_lanes = run_lanes, __VA_ARGS__)
#define ALONE_OR_JOBS(name, what, type, set, run, kind, ...) \
    LANES(name, what, type, set, run, MOST_LANES, process_jobs, .parameters = &kind, __VA_ARGS__)
#define JOBS(name, what, type, set, kind, ...) \
    ALONE_OR_JOBS(name, what, type, set, process_job, kind, __VA_ARGS__)

#define AES(name, iv, encrypts, decrypts) \
    JOBS(name, ENCRYPT, struct aes, set_aes_key, encrypts, NONCE(iv)), \
    JOBS(name, DECRYPT, struct aes, set_aes_key, decrypts, NONCE(iv))
#define GCM_ROW(name, what, bits, run) \
    ALONE(name, what, struct gcm, set_gcm##bits##_key, run, KEY(bits / 8), NONCES(1, SIZE_MAX), \
          .tag_bytes = GCM_TAG_BYTES)
#define GCM(bits) \
    GCM_ROW("aes-" #bits "-gcm", SEAL, bits, seal_gcm##bits), \
    GCM_ROW("aes-" #bits "-gcm", OPEN, bits, open_gcm##bits)
#define GMAC(bits) GCM_ROW("gmac-aes-" #bits, CIPHERMARK_MAC, bits, gmac##bits)
#define CHACHA(name, what, kind, nonce) \
    JOBS(name, what, struct copied_key, copy_key, kind, KEY(32), NONCE(nonce), \
         .tag_bytes = POLY1305_TAG_BYTES)
#define SHA(bits) \
    ALONE_OR_JOBS("sha" #bits, CIPHERMARK_DIGEST, char, NULL, digest, sha##bits, \
                  .tag_bytes = IMB_SHA##bits##_DIGEST_SIZE_IN_BYTES)
#define HMAC(bits) \
    JOBS("hmac-sha" #bits, CIPHERMARK_MAC, struct hmac, set_hmac_key, hmac_sha##bits, ANY_KEY, \
         .tag_bytes = IMB_SHA##bits##_DIGEST_SIZE_IN_BYTES)
#define CMAC(bits) \
    JOBS("cmac-aes-" #bits, CIPHERMARK_MAC, struct cmac, set_cmac_key, cmac##bits, \
         KEY(bits / 8), .tag_bytes = AES_BLOCK_BYTES)

/* The nonces of 3GPP's ciphers and MACs. */
#define BY_BEARER KEY(KEY_BYTES), NONCE(6)
#define BY_IV KEY(KEY_BYTES), NONCE(16)
#define TAG_BY_FRESH KEY(KEY_BYTES), NONCE(9), .tag_bytes = 4
#define TAG_BY_BEARER BY_BEARER, .tag_bytes = 4
#define SNOW3G(name, what, set, ...) \
    LANES(name, what, snow3g_key_schedule_t, set, crypt_snow3g, MOST_LANES_SNOW3G, \
          crypt_snow3g_lanes, __VA_ARGS__)

#define SHA_AND_HMAC(bits) SHA(bits), HMAC(bits)

static const struct ciphermark_function functions[] = {
    AES("aes-{128,192,256}-ecb", 0, ecb, ecb),
    AES("aes-{128,192,256}-cbc", AES_BLOCK_BYTES, encrypt_cbc, decrypt_cbc),
    AES("aes-{128,192,256}-ctr", AES_BLOCK_BYTES, ctr, ctr),
    GCM(128),
    GCM(192),
    GCM(256),
    CHACHA("chacha20-poly1305", SEAL, seal_chacha, 12),
    CHACHA("chacha20-poly1305", OPEN, open_chacha, 12),

    CMAC(128),
    CMAC(256),
    GMAC(128),
    GMAC(256),
    CHACHA("poly1305", CIPHERMARK_MAC, poly1305, 0),

    SHA_AND_HMAC(1),
    SHA_AND_HMAC(224),
    SHA_AND_HMAC(256),
    SHA_AND_HMAC(384),
    SHA_AND_HMAC(512),

    ALONE("uea1", ENCRYPT, kasumi_key_sched_t, set_uea1_key, crypt_uea1, BY_BEARER),
    ALONE("uea1", DECRYPT, kasumi_key_sched_t, set_uea1_key, crypt_uea1, BY_BEARER),
    ALONE("uia1", CIPHERMARK_MAC, kasumi_key_sched_t, set_uia1_key, mac_uia1, TAG_BY_FRESH),
    SNOW3G("uea2", ENCRYPT, set_uea2_key, BY_BEARER),
    SNOW3G("uea2", DECRYPT, set_uea2_key, BY_BEARER),
    ALONE_OR_JOBS("uia2", CIPHERMARK_MAC, snow3g_key_schedule_t, set_uea2_key, mac_uia2, uia2,
                  TAG_BY_FRESH),
    JOBS("eea2", ENCRYPT, struct aes, set_aes_key, eea2, BY_BEARER),
    JOBS("eea2", DECRYPT, struct aes, set_aes_key, eea2, BY_BEARER),
    JOBS("eia2", CIPHERMARK_MAC, struct cmac, set_cmac_key, eia2, TAG_BY_BEARER),
    JOBS("eea3", ENCRYPT, uint8_t[KEY_BYTES], copy_key, eea3, BY_BEARER),
    JOBS("eea3", DECRYPT, uint8_t[KEY_BYTES], copy_key, eea3, BY_BEARER),
    JOBS("eia3", CIPHERMARK_MAC, uint8_t[KEY_BYTES], copy_key, eia3, TAG_BY_BEARER),
    SNOW3G("snow3g", CIPHERMARK_KEYSTREAM, set_snow3g_key, BY_IV),
    JOBS("zuc", CIPHERMARK_KEYSTREAM, uint8_t[KEY_BYTES], copy_key, eea3, BY_IV),
};

/* ---- What the library says of itself ------------------------------------------------------- */

static const struct {
    uint64_t flag;
    const char *name;
} features[] = {
    {IMB_FEATURE_SHANI, "sha_ni"},       {IMB_FEATURE_AESNI, "aes"},
    {IMB_FEATURE_PCLMULQDQ, "pclmulqdq"}, {IMB_FEATURE_AVX, "avx"},
    {IMB_FEATURE_AVX2, "avx2"},          {IMB_FEATURE_AVX512_SKX, "avx512"},
    {IMB_FEATURE_VAES, "vaes"},          {IMB_FEATURE_VPCLMULQDQ, "vpclmulqdq"},
    {IMB_FEATURE_GFNI, "gfni"},          {IMB_FEATURE_SAFE_DATA, "safe-data"},
    {IMB_FEATURE_SAFE_PARAM, "safe-param"},
};

/* The code that the manager has chosen, and the features that it knows of. */
static const char *describe_manager(const IMB_MGR *manager)
{
    static const char *const architectures[] = {
        [IMB_ARCH_SSE] = "sse", [IMB_ARCH_AVX2] = "avx2", [IMB_ARCH_AVX512] = "avx512",
#if HAS_AVX_CODE
        [IMB_ARCH_AVX] = "avx",
#endif
    };
    static char text[256];
    if (manager == NULL)
        return "no architecture: it needs SSE4.2, AES and PCLMULQDQ, and passes a test of itself";
    int length = snprintf(text, sizeof text, "architecture %s, features",
                          architectures[manager->used_arch]);
    for (size_t i = 0; i < IMB_DIM(features); i++)
        if ((manager->features & features[i].flag) == features[i].flag)
            length += snprintf(text + length, sizeof text - (size_t)length, " %s",
                               features[i].name);
    return text;
}

const struct ciphermark_library *ciphermark_library(void)
{
    static struct ciphermark_library library =
        LIBRARY(.header_version = HEADERS, .inside = (void (*)(void))imb_get_version,
                .tags_equal = tags_equal);
    library.library_version = imb_get_version_str();
    /* Another version has another manager, which must not be looked into. */
    if (imb_get_version() >> 8 != IMB_VERSION_NUM >> 8)
        return &library;
    pthread_key_create(&owners, release_own);
    IMB_MGR *manager = get_manager();
    library.build = describe_manager(manager);
    if (manager == NULL)
        library.function_count = 0;
    return &library;
}
