/* What hostile libraries do to the process that has opened them. */

#ifndef MISDEEDS_H
#define MISDEEDS_H

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More descriptors than a worker has. */
#define DESCRIPTORS 1024

/* Closes all descriptors, and lives on. */
static inline void close_and_pause(void)
{
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++)
        close(descriptor);
    for (;;)
        pause();
}

/* Writes the beginning of an answer to the engine, and no end of it. */
static inline void half_a_line_and_pause(void)
{
    struct stat status;
    for (int descriptor = 3; descriptor < DESCRIPTORS; descriptor++)
        if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode))
            (void)!write(descriptor, "{\"Meas", 6);
    for (;;)
        pause();
}

/* Stops the engine, whose child a worker is. */
static inline void stop_engine(void)
{
    kill(getppid(), SIGSTOP);
}

/* Makes a file in memory that is longer than any machine has memory. */
static inline void make_long_file(void)
{
    (void)!ftruncate((int)syscall(SYS_memfd_create, "long", 0), (off_t)1 << 50);
}

/* Fills files in memory, each of 64 MiB, as long as it lives. They count for no process. */
static inline void fill_files(void)
{
    static char bytes[1 << 20];
    for (;;) {
        const int file = (int)syscall(SYS_memfd_create, "full", 0);
        for (int mebibytes = 0; mebibytes < 64; mebibytes++)
            (void)!write(file, bytes, sizeof bytes);
    }
}

static inline void stay(void)
{
    for (;;)
        pause();
}

/* Leaves a child behind. */
static inline void leave_child(void)
{
    if (fork() == 0)
        stay();
}

/* Leaves a child behind of which the C library knows nothing. */
static inline void leave_unknown_child(void)
{
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
        stay();
}

/* Leaves one behind that is nobody's child and has a session of its own. */
static inline void leave_daemon(void)
{
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) != 0)
        return;
    setsid();
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
        stay();
    _exit(0);
}

/* Whether this is the first time that it is asked: the file that the variable names tells. */
static inline int first_time(const char *variable)
{
    const int mark = open(getenv(variable), O_CREAT | O_EXCL, 0600);
    return mark >= 0 && close(mark) == 0;
}

#endif
