/* What GCC's unwinder asks glibc, answered for an executable that is linked statically with musl.
 *
 * libgcc_eh of Debian is compiled for glibc 2.35 and newer, where _dl_find_object says in which
 * object an address lies (glibc's manual, "Dynamic Linker Introspection"). musl lacks it. Here is one
 * object, the executable, and dl_iterate_phdr names it. Without an answer a panic of Rust could not be
 * caught, and would end the engine.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>

/* The unwinder refers to these weakly, and calls all of them where it finds the first: a program that
 * was linked with some of them alone would jump to address 0 when it unwinds. */
__attribute__((used)) static const struct {
    int (*create)(pthread_key_t *, void (*)(void *));
    void *(*get)(pthread_key_t);
    int (*set)(pthread_key_t, const void *);
    int (*once)(pthread_once_t *, void (*)(void));
    int (*lock)(pthread_mutex_t *);
    int (*unlock)(pthread_mutex_t *);
} called_by_the_unwinder = {
    pthread_key_create, pthread_getspecific, pthread_setspecific,
    pthread_once,       pthread_mutex_lock,  pthread_mutex_unlock,
};

/* As in glibc's <dlfcn.h>, for processors without DLFO_STRUCT_HAS_EH_DBASE: x86-64 and arm64. */
struct dl_find_object {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    struct link_map *link_map;
    void *eh_frame;
    unsigned long long reserved[7];
};

int _dl_find_object(void *address, struct dl_find_object *result);

/* Fills in the frames' table and the bounds of the executable, which comes first. */
static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
    struct dl_find_object *result = data;
    ElfW(Addr) start = (ElfW(Addr))-1, end = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        ElfW(Addr) from = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_EH_FRAME) {
            result->eh_frame = (void *)from;
        }
        if (header->p_type == PT_LOAD) {
            start = from < start ? from : start;
            end = from + header->p_memsz > end ? from + header->p_memsz : end;
        }
    }
    result->map_start = (void *)start;
    result->map_end = (void *)end;
    return 1;
}

int _dl_find_object(void *address, struct dl_find_object *result) {
    *result = (struct dl_find_object){0};
    dl_iterate_phdr(look_at, result);
    int inside = (char *)address >= (char *)result->map_start &&
                 (char *)address < (char *)result->map_end;
    return inside && result->eh_frame != NULL ? 0 : -1;
}
