/*
 * AVX-512 and GFNI in portable C, by SIMDe: for tests on processors that lack them, which compile
 * with CIPHERMARK_EMULATED and with the flags of what avx2.h switches on.
 */
#ifndef CIPHERMARK_EMULATED_H
#define CIPHERMARK_EMULATED_H

#include <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/clmul.h>
#include <simde/x86/gfni.h>

#endif
