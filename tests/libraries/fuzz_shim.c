/*
 * Calls every row of a shim that opens its library (`SHIM`, a name in quotes) under random keys, with
 * messages of random lengths, whole and in chunks, and after contexts were got anew. All bytes lie in memory
 * of exactly their length, so that a sanitizer sees what goes beyond. What is sealed must open, unless a
 * bit of it was flipped, and all ways to call must give one answer.
 *
 *     fuzz_shim LIBRARY SEED ROUNDS
 */
#include <stdlib.h>

#include SHIM

static uint64_t state;

static size_t random_below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit == 0 ? 0 : (size_t)(state >> 11) % limit;
}

static uint8_t *bytes_of(size_t count)
{
    uint8_t *bytes = malloc(count == 0 ? 1 : count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)random_below(256);
    return bytes;
}

static unsigned long calls;
static const char *at; /* the algorithm, for complaints */

static void require(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", at, what);
        exit(1);
    }
}

struct instance {
    row row;
    void *context;
};

static int make(struct instance *it, const row *of, size_t key_bytes, size_t nonce_bytes)
{
    it->row = *of;
    it->row.nonce_bytes.least = it->row.nonce_bytes.most = nonce_bytes;
    if (key_bytes > 0)
        it->row.key_bytes.least = it->row.key_bytes.most = key_bytes;
    it->context = aligned_alloc(64, (of->context_bytes + 63) / 64 * 64);
    memset(it->context, 0, of->context_bytes);
    return of->init == NULL ? 0 : of->init(&it->row, it->context);
}

static void drop(struct instance *it)
{
    if (it->row.release != NULL)
        it->row.release(&it->row, it->context);
    free(it->context);
}

static int set_key(struct instance *it, const uint8_t *key, size_t key_bytes)
{
    return it->row.set_key == NULL ? 0 : it->row.set_key(&it->row, it->context, key, key_bytes);
}

static int call(struct instance *it, message *m, size_t chunk_bytes)
{
    calls++;
    memset(m->output, 0xa5, m->output_bytes);
    return chunk_bytes == 0 ? it->row.process(&it->row, it->context, m)
                            : it->row.process_chunks(&it->row, it->context, m, chunk_bytes);
}

/* The row of the same algorithm that undoes one or verifies its answers. */
static const row *counterpart(const struct ciphermark_library *library, const row *of)
{
    for (size_t i = 0; i < library->function_count; i++) {
        const row *other = &library->functions[i];
        uint32_t wanted = of->operation == SEAL      ? OPEN
                          : of->operation == ENCRYPT ? DECRYPT
                                                     : CIPHERMARK_VERIFY;
        if (strcmp(other->algorithm, of->algorithm) == 0 && other->operation == wanted)
            return other;
    }
    return NULL;
}

static void check_back(const row *of, const message *m, const uint8_t *key, size_t key_bytes,
                       size_t own_bytes)
{
    int refuses = of->operation != DECRYPT;
    message back = *m;
    struct instance other;
    uint8_t *given;
    require(make(&other, of, own_bytes, m->nonce_bytes) == 0 && set_key(&other, key, key_bytes) == 0,
            "what sends has nothing that receives");
    if (of->operation == CIPHERMARK_VERIFY) {
        back.aad_bytes = m->output_bytes;
        back.aad = given = memcpy(bytes_of(m->output_bytes), m->output, m->output_bytes);
        back.output_bytes = 0;
        back.output = bytes_of(0);
    } else {
        back.input_bytes = m->output_bytes;
        back.input = given = memcpy(bytes_of(m->output_bytes), m->output, m->output_bytes);
        back.output_bytes = m->input_bytes;
        back.output = bytes_of(m->input_bytes);
    }
    require(call(&other, &back, 0) == CIPHERMARK_DONE, "what was sent is not received");
    if (of->operation != CIPHERMARK_VERIFY)
        require(memcmp(back.output, m->input, m->input_bytes) == 0, "another message is received");
    if (refuses) {
        given[random_below(m->output_bytes)] ^= (uint8_t)(1 << random_below(8));
        require(call(&other, &back, 0) == CIPHERMARK_REFUSED, "a forged message is received");
        if (other.row.process_chunks != NULL)
            require(call(&other, &back, 16) == CIPHERMARK_REFUSED, "a forged message is received");
    }
    free(given);
    free(back.output);
    drop(&other);
}

static void one_message(const struct ciphermark_library *library, const row *of, size_t own_bytes)
{
    int has_blocks = strstr(at, "-ecb") || strstr(at, "-cbc") || strstr(at, "cbc-mac");
    size_t least = own_bytes > 0 ? own_bytes : of->key_bytes.least;
    size_t most = own_bytes > 0 ? own_bytes : of->key_bytes.most;
    size_t key_bytes = least + random_below((most - least > 200 ? 200 : most - least) + 1);
    size_t spread = of->nonce_bytes.most - of->nonce_bytes.least;
    size_t nonce_bytes = of->nonce_bytes.least + random_below((spread > 40 ? 40 : spread) + 1);
    size_t length = random_below(random_below(8) == 0 ? 5000 : 200), chunk;
    uint8_t *key = bytes_of(key_bytes), *nonce = bytes_of(nonce_bytes), *aad, *input, *first;
    const row *back = counterpart(library, of);
    message m = {0};
    struct instance it;
    if (has_blocks)
        length = length / 16 * 16 + 16;
    if (of->operation == OPEN || of->operation == CIPHERMARK_VERIFY ||
        make(&it, of, own_bytes, nonce_bytes) != 0) {
        free(key);
        free(nonce);
        return;
    }
    m.nonce = nonce;
    m.nonce_bytes = nonce_bytes;
    m.aad_bytes = of->operation == SEAL ? random_below(60) : 0;
    m.aad = aad = bytes_of(m.aad_bytes);
    m.input_bytes = of->operation == CIPHERMARK_KEYSTREAM ? 0 : length;
    m.input = input = bytes_of(m.input_bytes);
    m.output_bytes = length;
    if (of->operation == SEAL)
        m.output_bytes = length + of->tag_bytes;
    if (of->operation == CIPHERMARK_MAC || of->operation == CIPHERMARK_DIGEST)
        m.output_bytes = of->tag_bytes;
    m.output = bytes_of(m.output_bytes);
    if (set_key(&it, key, key_bytes) == 0 && call(&it, &m, 0) == 0) {
        first = memcpy(bytes_of(m.output_bytes), m.output, m.output_bytes);
        chunk = (1 + random_below(100)) * (has_blocks ? 16 : 1);
        if (of->process_chunks != NULL) {
            require(call(&it, &m, chunk) == 0, "a message in chunks is refused");
            require(memcmp(first, m.output, m.output_bytes) == 0, "chunks give another answer");
        }
        for (uint32_t what = CIPHERMARK_CONTEXT; what <= CIPHERMARK_LOOKED_UP; what++) {
            if (library->renew == NULL || library->renew(&it.row, it.context, what) != 0)
                continue;
            require(set_key(&it, key, key_bytes) == 0 && call(&it, &m, 0) == 0, "what is new fails");
            require(memcmp(first, m.output, m.output_bytes) == 0, "what is new answers otherwise");
        }
        require(call(&it, &m, 0) == 0 && memcmp(first, m.output, m.output_bytes) == 0,
                "the same message has another answer");
        if (back != NULL && of->operation != DECRYPT)
            check_back(back, &m, key, key_bytes, own_bytes);
        free(first);
    }
    drop(&it);
    free(key);
    free(nonce);
    free(aad);
    free(input);
    free(m.output);
}

int main(int argc, char **argv)
{
    char words[256] = "";
    void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "name a library that is there, a seed and rounds\n");
        return 2;
    }
    if (ciphermark_open(library, words, sizeof words) != OPENED) {
        fprintf(stderr, "%s %s\n", argv[1], words);
        return 2;
    }
    const struct ciphermark_library *table = ciphermark_library();
    state = strtoull(argv[2], NULL, 10) * 2 + 1;
    for (long rounds = atol(argv[3]); rounds > 0; rounds--) {
        for (size_t i = 0; i < table->function_count; i++) {
            const char *bits = strchr(table->functions[i].algorithm, '{');
            at = table->functions[i].algorithm;
            do {
                size_t own = bits == NULL ? 0 : strtoul(bits + 1, NULL, 10) / 8;
                one_message(table, &table->functions[i], own);
                bits = bits == NULL ? NULL : strpbrk(bits + 1, ",}");
            } while (bits != NULL && *bits == ',');
        }
    }
    printf("%lu calls\n", calls);
    return 0;
}
