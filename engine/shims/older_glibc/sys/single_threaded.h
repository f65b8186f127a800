/*
 * In place of glibc's own, which came with 2.32, for headers of libstdc++ that are newer than the glibc that a
 * shim is compiled for. Without an answer they count references atomically.
 */
#ifndef CIPHERMARK_SINGLE_THREADED_H
#define CIPHERMARK_SINGLE_THREADED_H

static const char __libc_single_threaded = 0;

#endif
