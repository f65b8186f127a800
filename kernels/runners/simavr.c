/*
 * Runs an image on a simulated AVR: simavr IMAGE PROCESSOR MOST_CYCLES
 *
 * What it writes to its UART goes to standard output; its status (hal/avr) is the exit code. At the
 * end one line on standard error says what firmware() took:
 *
 *     cycles 123456 stack 210
 *
 * cycles of the processor, and the most bytes of stack below those of main. An image with the marks
 * of kernels/firmware/marks.h has lines before, one for each interval between them:
 *
 *     interval 3 instructions 512 cycles 640 loads 40 stores 22 stack 96
 *
 * where stack is counted from the stack pointer at the first mark, and return addresses are loads
 * and stores of their bytes. simavr is linked on the
 * machine where it runs, and not part of what is distributed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

/* Beyond every status of a firmware. */
#define CANNOT_RUN 125

#define RETURN_ADDRESS_BYTES 2
#define SPL 0x5d
#define SPH 0x5e

#define NOWHERE 0xffffffffu

struct measured {
    avr_cycle_count_t cycles;
    unsigned stack_bytes;
};

/* What happens between two marks; the counts are those of the whole run at the first. */
struct interval {
    uint32_t begin, end; /* of the marks; NOWHERE in an image that has none */
    int is_open;
    unsigned number;
    avr_cycle_count_t cycles;
    uint64_t instructions, loads, stores;
    unsigned base, lowest; /* stack pointers */
};

/* What was executed so far. */
struct counts {
    uint64_t instructions, loads, stores;
};

static void fail(const char *problem, const char *what)
{
    fprintf(stderr, "simavr: %s: %s\n", what, problem);
    exit(CANNOT_RUN);
}

static void show(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    putchar((int)value);
}

/* By itself simavr tells on standard output what it loads. */
static void log_errors(avr_t *avr, const int level, const char *format, va_list values)
{
    (void)avr;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, values);
}

/* By itself simavr writes lines of a UART in colours, and sleeps where a program polls one. */
static void watch_uart(avr_t *avr)
{
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), show,
                            NULL);
}

static avr_t *start(elf_firmware_t *image, const char *processor)
{
    avr_t *avr = avr_make_mcu_by_name(processor);
    if (avr == NULL)
        fail("simavr has no such processor", processor);
    avr_init(avr);
    avr_load_firmware(avr, image);
    watch_uart(avr);
    return avr;
}

/* NOWHERE when the image has no such function. */
static uint32_t address(const elf_firmware_t *image, const char *name)
{
    uint32_t i;
    for (i = 0; i < image->symbolcount; i++) {
        if (strcmp(image->symbol[i]->symbol, name) == 0)
            return image->symbol[i]->addr;
    }
    return NOWHERE;
}

static unsigned stack_pointer(const avr_t *avr)
{
    return (unsigned)(avr->data[SPH] << 8 | avr->data[SPL]);
}

static unsigned most(unsigned one, unsigned other)
{
    return one > other ? one : other;
}

static int has_ended(int state)
{
    return state == cpu_Done || state == cpu_Crashed;
}

/* Runs until the program counter is there. */
static void run_to(avr_t *avr, uint32_t address, avr_cycle_count_t most_cycles)
{
    while (avr->pc != address) {
        if (has_ended(avr_run(avr)) || avr->cycle > most_cycles)
            fail("the image never gets there", "firmware");
    }
}

/* Of the instruction at the program counter (AVR Instruction Set Manual, opcodes). */
static void count(const avr_t *avr, struct counts *counts)
{
    const unsigned opcode = (unsigned)(avr->flash[avr->pc + 1] << 8 | avr->flash[avr->pc]);
    const unsigned way = opcode & 15;
    counts->instructions++;
    if ((opcode & 0xd200) == 0x8000) /* LDD */
        counts->loads++;
    else if ((opcode & 0xd200) == 0x8200) /* STD */
        counts->stores++;
    else if ((opcode & 0xfe00) == 0x9000) /* LD, LDS and POP, and not LPM and ELPM */
        counts->loads += way < 4 || way > 7;
    else if ((opcode & 0xfe00) == 0x9200) /* ST, STS and PUSH */
        counts->stores++;
    else if ((opcode & 0xf000) == 0xd000 || (opcode & 0xfe0e) == 0x940e || opcode == 0x9509)
        counts->stores += RETURN_ADDRESS_BYTES; /* RCALL, CALL, ICALL */
    else if (opcode == 0x9508 || opcode == 0x9518) /* RET, RETI */
        counts->loads += RETURN_ADDRESS_BYTES;
}

static void begin_interval(struct interval *interval, const avr_t *avr,
                           const struct counts *counts)
{
    interval->is_open = 1;
    interval->cycles = avr->cycle;
    interval->instructions = counts->instructions;
    interval->loads = counts->loads;
    interval->stores = counts->stores;
    interval->base = interval->lowest = stack_pointer(avr);
}

static void end_interval(struct interval *interval, const avr_t *avr, const struct counts *counts)
{
    interval->is_open = 0;
    fprintf(stderr,
            "interval %u instructions %llu cycles %llu loads %llu stores %llu stack %u\n",
            interval->number++,
            (unsigned long long)(counts->instructions - interval->instructions),
            (unsigned long long)(avr->cycle - interval->cycles),
            (unsigned long long)(counts->loads - interval->loads),
            (unsigned long long)(counts->stores - interval->stores),
            interval->base - interval->lowest);
}

static void look_for_marks(struct interval *interval, const avr_t *avr,
                           const struct counts *counts)
{
    if (avr->pc == interval->begin)
        begin_interval(interval, avr, counts);
    else if (avr->pc == interval->end && interval->is_open)
        end_interval(interval, avr, counts);
}

/*
 * Runs to the end. A stack pointer counts that held for three instructions: its two bytes are
 * written one after the other, with at most one instruction between.
 */
static struct measured run(avr_t *avr, struct interval *interval, avr_cycle_count_t most_cycles)
{
    const avr_cycle_count_t begin = avr->cycle;
    const unsigned base = stack_pointer(avr);
    unsigned before = base, last = base, lowest = base, now, held;
    struct counts counts = {0, 0, 0};
    for (;;) {
        look_for_marks(interval, avr, &counts);
        count(avr, &counts);
        if (has_ended(avr_run(avr)) || avr->cycle - begin > most_cycles)
            break;
        now = stack_pointer(avr);
        held = most(now, most(last, before));
        if (held < lowest)
            lowest = held;
        if (held < interval->lowest)
            interval->lowest = held;
        before = last;
        last = now;
    }
    return (struct measured){avr->cycle - begin, base + RETURN_ADDRESS_BYTES - lowest};
}

/* What the firmware has left on port B. */
static int status(avr_t *avr)
{
    avr_ioport_state_t state;
    avr_ioctl(avr, AVR_IOCTL_IOPORT_GETSTATE('B'), &state);
    return (int)state.port;
}

int main(int count, char **arguments)
{
    static elf_firmware_t image;
    avr_cycle_count_t most_cycles;
    struct measured measured;
    struct interval interval = {0};
    avr_t *avr;
    if (count != 4)
        fail("IMAGE PROCESSOR MOST_CYCLES", "usage");
    avr_global_logger_set(log_errors);
    most_cycles = strtoull(arguments[3], NULL, 10);
    if (elf_read_firmware(arguments[1], &image) != 0)
        fail("no image of an AVR", arguments[1]);
    avr = start(&image, arguments[2]);
    interval.begin = address(&image, "mark_begin");
    interval.end = address(&image, "mark_end");
    run_to(avr, address(&image, "firmware"), most_cycles);
    measured = run(avr, &interval, most_cycles);
    fflush(stdout);
    if (avr->state != cpu_Done)
        fail(avr->state == cpu_Crashed ? "the program has crashed" : "it took too many cycles",
             arguments[1]);
    fprintf(stderr, "cycles %llu stack %u\n", (unsigned long long)measured.cycles,
            measured.stack_bytes);
    return status(avr);
}
