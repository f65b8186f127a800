/* Where a bare program begins: with a stack of its own, so that a runner knows where it lies. */
/* Many times what any kernel takes. */
#define STACK_BYTES 65536

    .text
    .global _start

#if defined(__thumb__)
    .syntax unified
    .thumb_func
_start:
    ldr r0, =hal_stack_end
    mov sp, r0
    bl hal_main
    .pool
#elif defined(__arm__)
    .type _start, %function
_start:
    ldr sp, =hal_stack_end
    bl hal_main
    .pool
#elif defined(__sparc__)
_start:
    /* Room for the registers of a window, and what callees may write above (System V ABI). */
    set hal_stack_end - 96, %sp
    clr %fp
    call hal_main
    nop
#elif defined(__mips__)
    .set noreorder
    .ent _start
_start:
    dla $sp, hal_stack_end
    dla $gp, _gp
    jal hal_main
    nop
    .end _start
#elif defined(__powerpc__)
_start:
    lis 1, (hal_stack_end - 16)@ha
    addi 1, 1, (hal_stack_end - 16)@l
    li 0, 0
    stw 0, 0(1)
    bl hal_main
#elif defined(__riscv)
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, hal_stack_end
    call hal_main
#elif defined(__i386__)
_start:
    movl $hal_stack_end, %esp
    call hal_main
#else
#error "no start is known for this processor"
#endif

    .bss
    .balign 16
    .global hal_stack
    .global hal_stack_end
hal_stack:
    .skip STACK_BYTES
hal_stack_end:
    .skip 16
