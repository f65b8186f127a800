/*
 * A loader of OpenCL with one device that computes nothing and has the fault that FAULT names, for
 * tests of what no good device does.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum fault { NO_PLATFORM, BIG_ENDIAN, REJECTS, GONE, LOST, NEVER_RELEASED };

enum {
    DEVICE_NOT_AVAILABLE = -2,
    OUT_OF_RESOURCES = -5,
    BUILD_PROGRAM_FAILURE = -11,
    INVALID_VALUE = -30,
    PLATFORM_NOT_FOUND = -1001,
};

/* What every handle points to. */
static int object;

static int tell(const void *figure, size_t bytes, size_t room, void *to, size_t *needed)
{
    if (to != NULL && room < bytes)
        return INVALID_VALUE;
    if (to != NULL)
        memcpy(to, figure, bytes);
    if (needed != NULL)
        *needed = bytes;
    return 0;
}

static void *made(int *status)
{
    *status = 0;
    return &object;
}

static int released(void) { return FAULT == NEVER_RELEASED ? OUT_OF_RESOURCES : 0; }

int clGetPlatformIDs(unsigned room, void **platforms, unsigned *count)
{
    if (FAULT == NO_PLATFORM)
        return PLATFORM_NOT_FOUND;
    if (room > 0)
        platforms[0] = &object;
    if (count != NULL)
        *count = 1;
    return 0;
}

int clGetPlatformInfo(void *platform, unsigned which, size_t room, void *to, size_t *needed)
{
    (void)platform;
    return which == 0x0901 ? tell("OpenCL 1.2", 11, room, to, needed)
                           : tell("Faults", 7, room, to, needed);
}

int clGetDeviceIDs(void *platform, uint64_t type, unsigned room, void **devices, unsigned *count)
{
    (void)platform, (void)type;
    return clGetPlatformIDs(room, devices, count);
}

int clGetDeviceInfo(void *device, unsigned which, size_t room, void *to, size_t *needed)
{
    const uint64_t gpu = 4, buffer_bytes = 1 << 30;
    const uint32_t yes = 1, little_endian = FAULT != BIG_ENDIAN;
    const size_t group = 256;
    (void)device;
    switch (which) {
    case 0x1000: return tell(&gpu, sizeof gpu, room, to, needed);
    case 0x1004: return tell(&group, sizeof group, room, to, needed);
    case 0x1010: return tell(&buffer_bytes, sizeof buffer_bytes, room, to, needed);
    case 0x1026: return tell(&little_endian, sizeof little_endian, room, to, needed);
    case 0x1027:
    case 0x1028: return tell(&yes, sizeof yes, room, to, needed);
    case 0x102b: return tell("Brick", 6, room, to, needed);
    case 0x102d: return tell("0.1", 4, room, to, needed);
    default: return INVALID_VALUE;
    }
}

void *clCreateContext(const void *properties, unsigned count, void *const *devices,
                      const void *notify, void *data, int *status)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)data;
    return made(status);
}

/* Whether the program that was made last is that of KASUMI. */
static int has_kasumi;

/* Whether a text has a word; no zero ends the text. */
static int has(const char *text, size_t bytes, const char *word)
{
    const size_t length = strlen(word);
    for (size_t at = 0; at + length <= bytes; at++)
        if (memcmp(text + at, word, length) == 0)
            return 1;
    return 0;
}

void *clCreateProgramWithSource(void *context, unsigned count, const char **texts,
                                const size_t *bytes, int *status)
{
    (void)context, (void)count;
    has_kasumi = has(texts[0], bytes[0], "kernel void f8");
    return made(status);
}

int clBuildProgram(void *program, unsigned count, void *const *devices, const char *options,
                   const void *notify, void *data)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)data;
    return FAULT == REJECTS && has_kasumi ? BUILD_PROGRAM_FAILURE : 0;
}

int clGetProgramBuildInfo(void *program, void *device, unsigned which, size_t room, void *to,
                          size_t *needed)
{
    (void)program, (void)device, (void)which;
    return tell("line 3: too hard\n", 18, room, to, needed);
}

void *clCreateKernel(void *program, const char *name, int *status)
{
    (void)program, (void)name;
    return made(status);
}

int clSetKernelArg(void *kernel, unsigned index, size_t bytes, const void *value)
{
    (void)kernel, (void)index, (void)bytes, (void)value;
    return 0;
}

void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *status)
{
    (void)context, (void)device, (void)properties;
    return made(status);
}

int clFlush(void *queue) { return (void)queue, 0; }
int clFinish(void *queue) { return (void)queue, FAULT == LOST ? OUT_OF_RESOURCES : 0; }

void *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *memory, int *status)
{
    (void)context, (void)flags, (void)bytes, (void)memory;
    return made(status);
}

static int enqueued(void **event)
{
    if (event != NULL)
        *event = &object;
    return FAULT == GONE ? DEVICE_NOT_AVAILABLE : 0;
}

int clEnqueueWriteBuffer(void *queue, void *buffer, unsigned wait, size_t offset, size_t bytes,
                         const void *from, unsigned count, void *const *events, void **event)
{
    (void)queue, (void)buffer, (void)wait, (void)offset, (void)bytes, (void)from;
    (void)count, (void)events;
    return enqueued(event);
}

int clEnqueueReadBuffer(void *queue, void *buffer, unsigned wait, size_t offset, size_t bytes,
                        void *to, unsigned count, void *const *events, void **event)
{
    (void)queue, (void)buffer, (void)wait, (void)offset, (void)bytes, (void)to;
    (void)count, (void)events;
    return enqueued(event);
}

int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                           const size_t *items, const size_t *group, unsigned count,
                           void *const *events, void **event)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)items, (void)group;
    (void)count, (void)events;
    return enqueued(event);
}

int clWaitForEvents(unsigned count, void *const *events) { return (void)count, (void)events, 0; }

int clGetEventInfo(void *event, unsigned which, size_t room, void *to, size_t *needed)
{
    const int status = FAULT == LOST ? OUT_OF_RESOURCES : 0;
    (void)event, (void)which;
    return tell(&status, sizeof status, room, to, needed);
}

int clGetEventProfilingInfo(void *event, unsigned which, size_t room, void *to, size_t *needed)
{
    (void)event, (void)which, (void)room, (void)to, (void)needed;
    return INVALID_VALUE;
}

int clReleaseContext(void *it) { return (void)it, released(); }
int clReleaseProgram(void *it) { return (void)it, released(); }
int clReleaseKernel(void *it) { return (void)it, released(); }
int clReleaseCommandQueue(void *it) { return (void)it, released(); }
int clReleaseMemObject(void *it) { return (void)it, released(); }
int clReleaseEvent(void *it) { return (void)it, released(); }
