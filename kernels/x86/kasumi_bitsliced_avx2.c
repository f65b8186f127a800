/* KASUMI over 256 packets a group, a bit of each in a vector, by AVX2. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"

#define IN_ORDER(x) __asm__ volatile("" : "+x"(x))

#include "plane_blocks.h"

#include "f8f9_lanes.h"

static const row rows[] = {F8F9_LANES_ROWS("bitsliced-avx2")};

KERNELS_WHERE(ciphermark_kasumi_bitsliced_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
