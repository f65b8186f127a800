/* The functions of rows with MACs over packets; after encrypt_lanes.h and `authentication`. */
#ifndef CIPHERMARK_AUTHENTICATE_LANES_H
#define CIPHERMARK_AUTHENTICATE_LANES_H

static int authenticate_lanes(const row *self, void *const *contexts, const message *messages,
                              size_t count)
{
    (void)self;
    return process_packets(&authentication, contexts, messages, count);
}

static int authenticate_one(const row *self, void *context, const message *m)
{
    return authenticate_lanes(self, &context, m, 1);
}

#endif
