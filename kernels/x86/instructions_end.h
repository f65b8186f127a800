/* The last line of each file that switches on instructions by one of the headers here. */
#if defined(__clang__) && !defined(CIPHERMARK_EMULATED)
#pragma clang attribute pop
#endif
