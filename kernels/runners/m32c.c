/*
 * Runs an image on a simulated M16C: m32c IMAGE MOST_INSTRUCTIONS
 *
 * What it writes goes to standard output; its status (hal/m16c) is the exit code. At the end one line
 * on standard error says what firmware() took:
 *
 *     cycles - stack 210
 *
 * the most bytes of stack below those of its caller; the simulator knows no cycles. An image with the
 * marks of kernels/firmware/marks.h has lines before, one for each interval between them:
 *
 *     interval 3 instructions 512 cycles - loads 40 stores 22 stack 96
 *
 * where stack is counted from the stack pointer at the first mark, and loads and stores are accesses
 * of the bus of 16 bits to operands and the stack. An instruction that moves a whole string is one.
 *
 * The simulator is that of GDB, under the GNU General Public License. tools/build_m16c.sh makes its
 * library, with which this file is compiled and linked on the user's machine only; loads and stores
 * are seen by the linker's option --wrap.
 */
#define _POSIX_C_SOURCE 200809L /* for _exit */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The header of BFD insists on a program's configuration before it. */
#define PACKAGE "ciphermark"
#include <bfd.h>

#include <cpu.h>
#include <load.h>
#include <mem.h>

/* Beyond every status of a firmware. */
#define CANNOT_RUN 125

#define RETURN_ADDRESS_BYTES 3

/* What was executed so far. */
struct counts {
    uint64_t instructions, loads, stores;
};

/* What happens between two marks. */
struct interval {
    uint32_t begin, end; /* of the marks; 0 in an image that has none */
    int is_open;
    unsigned number;
    struct counts before;  /* of the whole run, at the first mark */
    unsigned base, lowest; /* stack pointers */
};

static struct counts counts;

static void fail(const char *problem, const char *what)
{
    fprintf(stderr, "m32c: %s: %s\n", what, problem);
    fflush(NULL);
    _exit(CANNOT_RUN);
}

/* The simulator leaves the process by itself when it meets what is no instruction. */
static void fail_at_exit(void)
{
    fail("the program has crashed", "simulator");
}

/* Bytes of instructions that the simulator reads as if they were data. */
static int is_fetch(int address)
{
    return (unsigned)address == (regs.r_pc & (unsigned)membus_mask);
}

/* Of each way of access to memory, the one that the simulator calls, and its own. */
#define COUNT_LOADS(name, type, accesses)                                                          \
    type __real_mem_get_##name(int address);                                                       \
    type __wrap_mem_get_##name(int address);                                                       \
    type __wrap_mem_get_##name(int address)                                                        \
    {                                                                                              \
        counts.loads += is_fetch(address) ? 0 : accesses;                                          \
        return __real_mem_get_##name(address);                                                     \
    }
#define COUNT_STORES(name, type, accesses)                                                         \
    void __real_mem_put_##name(int address, type value);                                           \
    void __wrap_mem_put_##name(int address, type value);                                           \
    void __wrap_mem_put_##name(int address, type value)                                            \
    {                                                                                              \
        counts.stores += accesses;                                                                 \
        __real_mem_put_##name(address, value);                                                     \
    }
COUNT_LOADS(qi, unsigned char, 1)
COUNT_LOADS(hi, unsigned short, 1)
COUNT_LOADS(psi, unsigned long, 2)
COUNT_LOADS(si, unsigned long, 2)
COUNT_STORES(qi, unsigned char, 1)
COUNT_STORES(hi, unsigned short, 1)
COUNT_STORES(psi, unsigned long, 2)
COUNT_STORES(si, unsigned long, 2)

static bfd *load(const char *path)
{
    bfd *image = bfd_openr(path, NULL);
    if (image == NULL || !bfd_check_format(image, bfd_object))
        fail("no image of an M16C", path);
    default_machine = bfd_mach_m16c;
    m32c_load(image);
    return image;
}

/* 0 when the image has no such function. */
static uint32_t address(bfd *image, const char *name)
{
    const long bytes = bfd_get_symtab_upper_bound(image);
    asymbol **const symbols = malloc(bytes > 0 ? (size_t)bytes : 1);
    const long count = symbols == NULL ? 0 : bfd_canonicalize_symtab(image, symbols);
    uint32_t found = 0;
    long i;
    for (i = 0; i < count; i++) {
        if (strcmp(bfd_asymbol_name(symbols[i]), name) == 0)
            found = (uint32_t)bfd_asymbol_value(symbols[i]);
    }
    free(symbols);
    return found;
}

static void begin_interval(struct interval *interval)
{
    interval->is_open = 1;
    interval->before = counts;
    interval->base = interval->lowest = get_reg(sp);
}

static void end_interval(struct interval *interval)
{
    const struct counts *const before = &interval->before;
    interval->is_open = 0;
    fprintf(stderr,
            "interval %u instructions %" PRIu64 " cycles - loads %" PRIu64 " stores %" PRIu64
            " stack %u\n",
            interval->number++, counts.instructions - before->instructions,
            counts.loads - before->loads, counts.stores - before->stores,
            interval->base - interval->lowest);
}

static void look_for_marks(struct interval *interval)
{
    const uint32_t at = get_reg(pc);
    if (at == interval->begin)
        begin_interval(interval);
    else if (at == interval->end && interval->is_open)
        end_interval(interval);
}

/* Executes an instruction, and says what came of it in the simulator's code. */
static int step(uint64_t most_instructions)
{
    if (counts.instructions++ == most_instructions)
        fail("it took too many instructions", "program");
    return decode_opcode();
}

/* Runs until the program counter is there. */
static void run_to(uint32_t address, uint64_t most_instructions)
{
    while (get_reg(pc) != address) {
        if (!M32C_STEPPED(step(most_instructions)))
            fail("the image never gets there", "firmware");
    }
}

/* Runs to the end, of which it says what step() does; the lowest stack pointer is in `lowest`. */
static int run(struct interval *interval, uint64_t most_instructions, unsigned *lowest)
{
    int result = M32C_MAKE_STEPPED();
    unsigned now;
    while (M32C_STEPPED(result)) {
        look_for_marks(interval);
        result = step(most_instructions);
        now = get_reg(sp);
        if (now < *lowest)
            *lowest = now;
        if (now < interval->lowest)
            interval->lowest = now;
    }
    return result;
}

int main(int count, char **arguments)
{
    struct interval interval = {0};
    uint64_t most_instructions;
    unsigned base, lowest;
    bfd *image;
    int result;
    if (count != 3)
        fail("IMAGE MOST_INSTRUCTIONS", "usage");
    atexit(fail_at_exit);
    most_instructions = strtoull(arguments[2], NULL, 10);
    image = load(arguments[1]);
    interval.begin = address(image, "mark_begin");
    interval.end = address(image, "mark_end");
    run_to(address(image, "firmware"), most_instructions);
    base = lowest = get_reg(sp);
    result = run(&interval, most_instructions, &lowest);
    if (!M32C_EXITED(result))
        fail("the program has crashed", arguments[1]);
    fprintf(stderr, "cycles - stack %u\n", base + RETURN_ADDRESS_BYTES - lowest);
    fflush(NULL);
    _exit(M32C_EXIT_STATUS(result));
}
