/*
 * Runs an image on a simulated AVR: simavr IMAGE PROCESSOR MOST_CYCLES
 *
 * What it writes to its UART goes to standard output; its status (hal/avr) is the exit code. At the
 * end one line on standard error says what firmware() took:
 *
 *     cycles 123456 stack 210
 *
 * cycles of the processor, and the most bytes of stack below those of main. simavr is linked on the
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

struct measured {
    avr_cycle_count_t cycles;
    unsigned stack_bytes;
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

static uint32_t address(const elf_firmware_t *image, const char *name)
{
    uint32_t i;
    for (i = 0; i < image->symbolcount; i++) {
        if (strcmp(image->symbol[i]->symbol, name) == 0)
            return image->symbol[i]->addr;
    }
    fail("the image has no such function", name);
    return 0;
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

/*
 * Runs to the end. A stack pointer counts that held for three instructions: its two bytes are
 * written one after the other, with at most one instruction between.
 */
static struct measured run(avr_t *avr, avr_cycle_count_t most_cycles)
{
    const avr_cycle_count_t begin = avr->cycle;
    const unsigned base = stack_pointer(avr);
    unsigned before = base, last = base, lowest = base, now;
    while (!has_ended(avr_run(avr)) && avr->cycle - begin <= most_cycles) {
        now = stack_pointer(avr);
        if (now < lowest && last < lowest && before < lowest)
            lowest = most(now, most(last, before));
        before = last;
        last = now;
    }
    return (struct measured){avr->cycle - begin, base + RETURN_ADDRESS_BYTES - lowest};
}

/* What the firmware has left on port A. */
static int status(avr_t *avr)
{
    avr_ioport_state_t state;
    avr_ioctl(avr, AVR_IOCTL_IOPORT_GETSTATE('A'), &state);
    return (int)state.port;
}

int main(int count, char **arguments)
{
    static elf_firmware_t image;
    avr_cycle_count_t most_cycles;
    struct measured measured;
    avr_t *avr;
    if (count != 4)
        fail("IMAGE PROCESSOR MOST_CYCLES", "usage");
    avr_global_logger_set(log_errors);
    most_cycles = strtoull(arguments[3], NULL, 10);
    if (elf_read_firmware(arguments[1], &image) != 0)
        fail("no image of an AVR", arguments[1]);
    avr = start(&image, arguments[2]);
    run_to(avr, address(&image, "firmware"), most_cycles);
    measured = run(avr, most_cycles);
    fflush(stdout);
    if (avr->state != cpu_Done)
        fail(avr->state == cpu_Crashed ? "the program has crashed" : "it took too many cycles",
             arguments[1]);
    fprintf(stderr, "cycles %llu stack %u\n", (unsigned long long)measured.cycles,
            measured.stack_bytes);
    return status(avr);
}
