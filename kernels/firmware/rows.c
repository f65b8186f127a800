/* Writes what the rows of all groups say of themselves on this target, a line of JSON for each. */
#include "groups.h"
#include "hal.h"
#include "print.h"

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

static void print_row(size_t group, size_t number)
{
    const struct ciphermark_function *row = &firmware_groups[group]->rows[number];
    print("{\"group\":", group, "");
    print(",\"number\":", number, "");
    print_text(",\"algorithm\":", row->algorithm);
    print(",\"operation\":", row->operation, "");
    print_text(",\"variant\":", row->variant);
    print_text(",\"backend\":", row->backend);
    print_range(",\"key_bytes\":[", &row->key_bytes);
    print_range(",\"nonce_bytes\":[", &row->nonce_bytes);
    print(",\"tag_bytes\":", row->tag_bytes, "");
    print(",\"context_bytes\":", row->context_bytes, "");
    hal_write(runs_here(firmware_groups[group]) ? ",\"runs_here\":true}\n"
                                               : ",\"runs_here\":false}\n");
}

int firmware(void)
{
    size_t group, i;
    for (group = 0; group < firmware_group_count; group++) {
        for (i = 0; i < firmware_groups[group]->count; i++)
            print_row(group, i);
    }
    return 0;
}
