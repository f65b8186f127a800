/* So that headers in C99 whose tables kernels share with the references can be read here. */
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
#define static constant
#define extern extern constant
#define IN_FLASH
