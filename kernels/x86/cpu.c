#include "cpu.h"

#if defined(__x86_64__) && defined(CIPHERMARK_EMULATED)

int ciphermark_has_avx2(void)
{
    return 1;
}

int ciphermark_has_gfni_avx2(void)
{
    return 1;
}

int ciphermark_has_avx512(void)
{
    return 1;
}

#elif defined(__x86_64__)

#include <cpuid.h>

/* Parts of the state that the system keeps for each program (XCR0): SSE and AVX, and AVX-512. */
#define AVX_STATE 0x06u
#define AVX512_STATE 0xe6u

/* Leaf 1, ecx. */
#define PCLMULQDQ (1u << 1)
#define AES (1u << 25)
#define OSXSAVE (1u << 27)
#define AVX (1u << 28)

/* Leaf 7, ebx. */
#define AVX2 (1u << 5)
#define BMI2 (1u << 8)
#define AVX512F (1u << 16)
#define AVX512DQ (1u << 17)
#define AVX512_IFMA (1u << 21)
#define AVX512BW (1u << 30)
#define AVX512VL (1u << 31)

/* Leaf 7, ecx. */
#define AVX512VBMI (1u << 1)
#define GFNI (1u << 8)
#define VAES (1u << 9)
#define VPCLMULQDQ (1u << 10)
#define AVX512_VNNI (1u << 11)

struct features {
    unsigned leaf1_ecx, leaf7_ebx, leaf7_ecx, state;
};

static unsigned state_kept(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static struct features features(void)
{
    struct features it = {0, 0, 0, 0};
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &it.leaf1_ecx, &edx))
        return it;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        it.leaf7_ebx = ebx;
        it.leaf7_ecx = ecx;
    }
    if (it.leaf1_ecx & OSXSAVE)
        it.state = state_kept();
    return it;
}

static int has(unsigned all, unsigned wanted)
{
    return (all & wanted) == wanted;
}

static int has_avx2(const struct features *it)
{
    return has(it->state, AVX_STATE) && has(it->leaf1_ecx, PCLMULQDQ | AES | AVX) &&
           has(it->leaf7_ebx, AVX2 | BMI2);
}

int ciphermark_has_avx2(void)
{
    const struct features it = features();
    return has_avx2(&it);
}

int ciphermark_has_gfni_avx2(void)
{
    const struct features it = features();
    return has_avx2(&it) && has(it.leaf7_ecx, GFNI);
}

int ciphermark_has_avx512(void)
{
    const struct features it = features();
    return has_avx2(&it) && has(it.state, AVX512_STATE) &&
           has(it.leaf7_ebx, AVX512F | AVX512DQ | AVX512_IFMA | AVX512BW | AVX512VL) &&
           has(it.leaf7_ecx, AVX512VBMI | GFNI | VAES | VPCLMULQDQ | AVX512_VNNI);
}

#endif
