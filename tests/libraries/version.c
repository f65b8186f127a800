/* A library that says only which OpenSSL it is. */

unsigned long OpenSSL_version_num(void)
{
    return NUMBER;
}

const char *OpenSSL_version(int what)
{
    (void)what;
    return TEXT;
}
