/* Loaded before all others (LD_PRELOAD): openings and readings of files below a folder that fail. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char below[4096];
static long left;   /* openings and readings until one fails; 0: none does */
static int number;  /* of the error; 0: the end of the file */
static int lasting; /* whether all further ones fail too */

/* Begins to count. */
void attack_fail(const char *folder, long nth, int error, int on)
{
    snprintf(below, sizeof below, "%s", folder);
    number = error;
    lasting = on;
    __atomic_store_n(&left, nth, __ATOMIC_SEQ_CST);
}

static int fails(void)
{
    const long now = __atomic_load_n(&left, __ATOMIC_SEQ_CST);
    if (now > 1)
        __atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST);
    else if (now == 1 && !lasting)
        __atomic_store_n(&left, 0, __ATOMIC_SEQ_CST);
    return now == 1;
}

static int is_below(const char *path)
{
    char whole[4096];
    const size_t bytes = strlen(below);
    if (path == NULL || __atomic_load_n(&left, __ATOMIC_SEQ_CST) == 0)
        return 0;
    if (path[0] != '/') {
        const long got = syscall(SYS_getcwd, whole, sizeof whole);
        return got > 0 && strncmp(whole, below, bytes) == 0;
    }
    return strncmp(path, below, bytes) == 0;
}

static int file_is_below(int file)
{
    char link[64], path[4096];
    ssize_t bytes;
    if (__atomic_load_n(&left, __ATOMIC_SEQ_CST) == 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    bytes = syscall(SYS_readlink, link, path, sizeof path - 1);
    if (bytes <= 0)
        return 0;
    path[bytes] = '\0';
    return path[0] == '/' && is_below(path);
}

static int opened(int folder, const char *path, int flags, mode_t mode)
{
    if ((flags & O_ACCMODE) == O_RDONLY && is_below(path) && fails() && number != 0) {
        errno = number;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(name, first, folder)                                                                \
    int name(first const char *path, int flags, ...)                                             \
    {                                                                                            \
        va_list more;                                                                            \
        mode_t mode;                                                                             \
        va_start(more, flags);                                                                   \
        mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0600;                               \
        va_end(more);                                                                            \
        return opened(folder, path, flags, mode);                                                \
    }
#define COMMA ,
OPEN(open, , AT_FDCWD)
OPEN(open64, , AT_FDCWD)
OPEN(openat, int folder COMMA, folder)
OPEN(openat64, int folder COMMA, folder)

static int read_fails(int file)
{
    if (!file_is_below(file) || !fails())
        return 0;
    errno = number;
    return 1;
}

ssize_t read(int file, void *target, size_t bytes)
{
    if (read_fails(file))
        return number == 0 ? 0 : -1;
    return syscall(SYS_read, file, target, bytes);
}

ssize_t pread(int file, void *target, size_t bytes, off_t place)
{
    if (read_fails(file))
        return number == 0 ? 0 : -1;
    return syscall(SYS_pread64, file, target, bytes, place);
}

ssize_t pread64(int file, void *target, size_t bytes, off_t place)
{
    return pread(file, target, bytes, place);
}

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    if (is_below(path) && fails() && number != 0) {
        errno = number;
        return NULL;
    }
    return real(path);
}
