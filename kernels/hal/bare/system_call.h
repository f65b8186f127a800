/* One system call of Linux with up to three arguments, by the processor's own instruction. */
#ifndef CIPHERMARK_SYSTEM_CALL_H
#define CIPHERMARK_SYSTEM_CALL_H

#if defined(__arm__)
#define NUMBER_WRITE 4
#define NUMBER_EXIT 1
#elif defined(__sparc__) || defined(__powerpc__) || defined(__i386__)
#define NUMBER_WRITE 4
#define NUMBER_EXIT 1
#elif defined(__mips64)
#define NUMBER_WRITE 5001
#define NUMBER_EXIT 5058
#elif defined(__riscv)
#define NUMBER_WRITE 64
#define NUMBER_EXIT 93
#endif

static inline void system_call(long number, long first, long second, long third)
{
#if defined(__thumb__)
    /* r7 may be the frame pointer of Thumb code, so it is saved by hand. */
    register long r0 __asm__("r0") = first;
    register long r1 __asm__("r1") = second;
    register long r2 __asm__("r2") = third;
    __asm__ volatile("mov r8, r7\n\tmov r7, %3\n\tsvc 0\n\tmov r7, r8"
                     : "+r"(r0)
                     : "r"(r1), "r"(r2), "r"(number)
                     : "r8", "memory");
#elif defined(__arm__)
    register long r0 __asm__("r0") = first;
    register long r1 __asm__("r1") = second;
    register long r2 __asm__("r2") = third;
    register long r7 __asm__("r7") = number;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r7) : "memory");
#elif defined(__sparc__)
    register long o0 __asm__("o0") = first;
    register long o1 __asm__("o1") = second;
    register long o2 __asm__("o2") = third;
    register long g1 __asm__("g1") = number;
    __asm__ volatile("ta 0x10" : "+r"(o0) : "r"(o1), "r"(o2), "r"(g1) : "cc", "memory");
#elif defined(__mips64)
    register long a0 __asm__("$4") = first;
    register long a1 __asm__("$5") = second;
    register long a2 __asm__("$6") = third;
    register long v0 __asm__("$2") = number;
    __asm__ volatile("syscall"
                     : "+r"(v0)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "$1", "$3", "$7", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15",
                       "$24", "$25", "hi", "lo", "memory");
#elif defined(__powerpc__)
    register long r0 __asm__("r0") = number;
    register long r3 __asm__("r3") = first;
    register long r4 __asm__("r4") = second;
    register long r5 __asm__("r5") = third;
    __asm__ volatile("sc"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)
                     :
                     : "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
#elif defined(__riscv)
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
#elif defined(__i386__)
    __asm__ volatile("int $0x80"
                     : "+a"(number)
                     : "b"(first), "c"(second), "d"(third)
                     : "memory");
#endif
}

#endif
