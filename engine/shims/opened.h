/*
 * Libraries with an opaque interface, which are opened at run time and without their headers: a shim
 * declares what it calls, in a list FUNCTIONS, and finds it by name.
 */
#ifndef CIPHERMARK_OPENED_H
#define CIPHERMARK_OPENED_H

#include <dlfcn.h>
#include <stdio.h>

#include "pieces.h"
#include "shim.h"

/* What ciphermark_open answers, with words that complete the engine's sentence. */
enum opening {
    OPENED,
    LACKS,   /* a function, whose name the words are */
    TOO_OLD, /* the words are title and version: "Botan 2.4.0" */
    UNUSABLE /* the words are what it says or does: "cannot be initialised" */
};

/* Finds the functions of `library`, which dlopen has returned, and starts it. Each library that is
 * opened gets a shim of its own. Called by one thread at a time, and before all else. */
int ciphermark_open(void *library, char *words, size_t bytes);

static inline int find(void *library, const char *name, void *pointer)
{
    void *found = dlsym(library, name);
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

/* A pointer to a function of the library, of the name that it has there. */
#define DECLARE(type, name, arguments) static type(*name) arguments;

/* Finds a function, or leaves ciphermark_open. */
#define FIND(type, name, arguments) \
    if (!find(library, #name, &name)) \
        return say(words, bytes, LACKS, #name);

static inline int say(char *words, size_t bytes, enum opening what, const char *text)
{
    snprintf(words, bytes, "%s", text);
    return what;
}

#endif
