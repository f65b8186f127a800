/*
 * A plugin of QEMU's user mode that counts what an image executes between two marks:
 *
 *     qemu-arm -plugin qemu.so,begin=ADDRESS,end=ADDRESS,stack=ADDRESS,stack_end=ADDRESS,
 *         edges=on,out=FILE IMAGE
 *
 * with addresses in hexadecimal. FILE gets a line for each interval, from the first instruction of
 * the function at `begin` to the one before the first of that at `end`:
 *
 *     interval 3 instructions 512 cycles - loads 40 stores 22 stack 96
 *
 * where stack is the distance from `stack_end` to the lowest byte that was written in the stack.
 * With icache=BYTES:WAYS:LINE and dcache=BYTES:WAYS:LINE the line has more behind it:
 *
 *     code 14 data 6 evicted 0
 *
 * lines of code and of data that were fetched into caches that were empty at the begin, and lines that
 * gave way to others: in each set the one that was fetched first. A store that misses fetches nothing.
 * With edges=on the line has behind it how often each block of instructions followed another, by
 * their numbers, and at the end of the file stands what the blocks are:
 *
 *     edge 17 18 40
 *     block 17 10354 10354:e1a00001 10358:e12fff1e
 *
 * each instruction by its address, and its bytes as they lie in memory. Debian has no header of the plugin
 * interface, which is declared here as far as it is needed; its version 1 has been in QEMU since
 * 4.2. This file is compiled and run on the user's machine only.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t plugin_id;
typedef uint32_t memory_info;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
bool qemu_plugin_mem_is_store(memory_info info);
unsigned qemu_plugin_mem_size_shift(memory_info info);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*translated)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*executed)(unsigned cpu, void *data), int flags,
                                          void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      void (*accessed)(unsigned cpu, memory_info info,
                                                       uint64_t address, void *data),
                                      int flags, int accesses, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id, void *), void *data);

#define NO_REGISTERS 0
#define LOADS_AND_STORES 3

EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments);

/* Instructions that are executed together: what QEMU has translated at once. */
struct block {
    uint64_t address, bytes;
    size_t count;
    unsigned number;
    char *text; /* its line, without the end; null until edges=on */
    struct block *next;
};

/* A slot is free where its times are 0. */
struct edge {
    const struct block *from, *to;
    uint64_t times;
};

#define SLOTS 65536u /* A power of two, many times the edges of any kernel. */

/* A cache of so many sets; without any there is none. */
struct cache {
    uint64_t line_bytes;
    size_t sets, ways;
    uint64_t *lines;    /* numbers of lines of memory, one more than they are; 0 where there is none */
    size_t *first;      /* of each set: the way that was filled first */
    uint64_t misses, evicted;
};

static struct {
    uint64_t begin, end, stack, stack_end;
    struct cache icache, dcache;
    bool has_edges;
    FILE *out;
} options;

static struct {
    bool is_counting;
    unsigned number;
    uint64_t instructions, loads, stores, lowest;
    const struct block *before;
    struct edge edges[SLOTS];
    struct edge *used[SLOTS];
    size_t used_count;
} interval;

static struct block *blocks;
static unsigned block_count;

static void fail(const char *problem, const char *what)
{
    fprintf(stderr, "qemu plugin: %s: %s\n", what, problem);
    exit(125);
}

static void clear(struct cache *cache)
{
    memset(cache->lines, 0, cache->sets * cache->ways * sizeof *cache->lines);
    memset(cache->first, 0, cache->sets * sizeof *cache->first);
    cache->misses = cache->evicted = 0;
}

/* One line; `fills` where a miss fetches it. */
static void touch(struct cache *cache, uint64_t line, bool fills)
{
    const size_t set = line % cache->sets;
    uint64_t *const lines = cache->lines + set * cache->ways;
    size_t i;
    for (i = 0; i < cache->ways; i++) {
        if (lines[i] == line + 1)
            return;
    }
    if (!fills)
        return;
    cache->misses++;
    i = cache->first[set];
    cache->evicted += lines[i] != 0;
    lines[i] = line + 1;
    cache->first[set] = (i + 1) % cache->ways;
}

static void access_cache(struct cache *cache, uint64_t address, uint64_t bytes, bool fills)
{
    uint64_t line;
    if (cache->sets == 0)
        return;
    for (line = address / cache->line_bytes; line <= (address + bytes - 1) / cache->line_bytes; line++)
        touch(cache, line, fills);
}

static void begin_interval(void)
{
    if (options.icache.sets > 0) {
        clear(&options.icache);
        clear(&options.dcache);
    }
    interval.is_counting = true;
    interval.instructions = interval.loads = interval.stores = 0;
    interval.lowest = options.stack_end;
    interval.before = NULL;
}

static void write_edges(void)
{
    size_t i;
    for (i = 0; i < interval.used_count; i++) {
        struct edge *edge = interval.used[i];
        fprintf(options.out, "edge %u %u %" PRIu64 "\n", edge->from->number, edge->to->number,
                edge->times);
        edge->times = 0;
    }
    interval.used_count = 0;
}

static void end_interval(void)
{
    interval.is_counting = false;
    fprintf(options.out,
            "interval %u instructions %" PRIu64 " cycles - loads %" PRIu64 " stores %" PRIu64
            " stack %" PRIu64,
            interval.number++, interval.instructions, interval.loads, interval.stores,
            options.stack_end - interval.lowest);
    if (options.icache.sets > 0)
        fprintf(options.out, " code %" PRIu64 " data %" PRIu64 " evicted %" PRIu64,
                options.icache.misses, options.dcache.misses,
                options.icache.evicted + options.dcache.evicted);
    fputc('\n', options.out);
    write_edges();
}

static void count_edge(const struct block *from, const struct block *to)
{
    size_t slot = (from->number * 2654435761u ^ to->number * 40503u) & (SLOTS - 1);
    struct edge *edge = &interval.edges[slot];
    while (edge->times > 0 && (edge->from != from || edge->to != to)) {
        slot = (slot + 1) & (SLOTS - 1);
        edge = &interval.edges[slot];
    }
    if (edge->times++ > 0)
        return;
    if (interval.used_count == SLOTS - 1)
        fail("too many edges", "an interval");
    edge->from = from;
    edge->to = to;
    interval.used[interval.used_count++] = edge;
}

static void on_block(unsigned cpu, void *data)
{
    const struct block *block = data;
    (void)cpu;
    if (block->address == options.end && interval.is_counting)
        end_interval();
    else if (block->address == options.begin)
        begin_interval();
    if (!interval.is_counting)
        return;
    interval.instructions += block->count;
    access_cache(&options.icache, block->address, block->bytes, true);
    if (options.has_edges && interval.before != NULL)
        count_edge(interval.before, block);
    interval.before = block;
}

static void on_access(unsigned cpu, memory_info info, uint64_t address, void *data)
{
    (void)cpu;
    (void)data;
    if (!interval.is_counting)
        return;
    access_cache(&options.dcache, address, (uint64_t)1 << qemu_plugin_mem_size_shift(info),
                 !qemu_plugin_mem_is_store(info));
    if (!qemu_plugin_mem_is_store(info)) {
        interval.loads++;
        return;
    }
    interval.stores++;
    if (address >= options.stack && address < interval.lowest)
        interval.lowest = address;
}

static char *described(const struct block *block, const struct qemu_plugin_tb *translated)
{
    char *text = NULL;
    size_t size, i, j;
    FILE *line = open_memstream(&text, &size);
    if (line == NULL)
        fail("no memory", "a block");
    fprintf(line, "block %u %" PRIx64, block->number, block->address);
    for (i = 0; i < block->count; i++) {
        const struct qemu_plugin_insn *const it = qemu_plugin_tb_get_insn(translated, i);
        const unsigned char *const bytes = qemu_plugin_insn_data(it);
        fprintf(line, " %" PRIx64 ":", qemu_plugin_insn_vaddr(it));
        for (j = 0; j < qemu_plugin_insn_size(it); j++)
            fprintf(line, "%02x", bytes[j]);
    }
    fclose(line);
    return text;
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *translated)
{
    struct block *const block = calloc(1, sizeof *block);
    size_t i;
    (void)id;
    if (block == NULL)
        fail("no memory", "a block");
    block->count = qemu_plugin_tb_n_insns(translated);
    block->address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, 0));
    for (i = 0; i < block->count; i++)
        block->bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(translated, i));
    block->number = block_count++;
    block->next = blocks;
    blocks = block;
    if (options.has_edges)
        block->text = described(block, translated);
    qemu_plugin_register_vcpu_tb_exec_cb(translated, on_block, NO_REGISTERS, block);
    for (i = 0; i < block->count; i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(translated, i), on_access,
                                         NO_REGISTERS, LOADS_AND_STORES, NULL);
}

static void on_end(plugin_id id, void *data)
{
    const struct block *block;
    (void)id;
    (void)data;
    for (block = blocks; block != NULL; block = block->next) {
        if (block->text != NULL)
            fprintf(options.out, "%s\n", block->text);
    }
    fclose(options.out);
}

static uint64_t address_in(const char *text)
{
    return strtoull(text, NULL, 16);
}

static void read_cache(struct cache *cache, const char *text)
{
    unsigned long bytes, ways, line;
    if (sscanf(text, "%lu:%lu:%lu", &bytes, &ways, &line) != 3 || ways == 0 || line == 0 ||
        bytes < ways * line)
        fail("no cache", text);
    cache->line_bytes = line;
    cache->ways = ways;
    cache->sets = bytes / (ways * line);
    cache->lines = calloc(cache->sets * ways, sizeof *cache->lines);
    cache->first = calloc(cache->sets, sizeof *cache->first);
    if (cache->lines == NULL || cache->first == NULL)
        fail("no memory", text);
}

static void read_option(const char *option)
{
    const char *const value = strchr(option, '=') + 1;
    if (strncmp(option, "begin=", 6) == 0)
        options.begin = address_in(value);
    else if (strncmp(option, "end=", 4) == 0)
        options.end = address_in(value);
    else if (strncmp(option, "stack=", 6) == 0)
        options.stack = address_in(value);
    else if (strncmp(option, "stack_end=", 10) == 0)
        options.stack_end = address_in(value);
    else if (strncmp(option, "icache=", 7) == 0)
        read_cache(&options.icache, value);
    else if (strncmp(option, "dcache=", 7) == 0)
        read_cache(&options.dcache, value);
    else if (strncmp(option, "edges=", 6) == 0)
        options.has_edges = strcmp(value, "on") == 0;
    else if (strncmp(option, "out=", 4) == 0)
        options.out = fopen(value, "w");
    else
        fail("unknown option", option);
}

int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments)
{
    int i;
    (void)info;
    for (i = 0; i < count; i++)
        read_option(arguments[i]);
    if (options.out == NULL)
        fail("cannot be written", "out");
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
