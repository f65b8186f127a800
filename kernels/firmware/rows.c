/* Writes what the rows of a group say of themselves on this target, a line of JSON for each. */
#include "hal.h"
#include "kernels.h"
#include "print.h"

extern const struct ciphermark_kernels firmware_group;

static void print_text(const char *before, const char *text)
{
    hal_write(before);
    if (text == NULL) {
        hal_write("null");
        return;
    }
    hal_write("\"");
    hal_write(text);
    hal_write("\"");
}

static void print_range(const char *before, const struct ciphermark_range *range)
{
    print(before, range->least, ",");
    print("", range->most, "]");
}

int firmware(void)
{
    size_t i;
    for (i = 0; i < firmware_group.count; i++) {
        const struct ciphermark_function *row = &firmware_group.rows[i];
        print_text("{\"algorithm\":", row->algorithm);
        print(",\"operation\":", row->operation, "");
        print_text(",\"variant\":", row->variant);
        print_text(",\"backend\":", row->backend);
        print_range(",\"key_bytes\":[", &row->key_bytes);
        print_range(",\"nonce_bytes\":[", &row->nonce_bytes);
        print(",\"tag_bytes\":", row->tag_bytes, "");
        print(",\"context_bytes\":", row->context_bytes, "}\n");
    }
    return 0;
}
