/*
 * Crypto++ 8.2 and later 8.x. Linked with -lcryptopp.
 *
 * Each row's context is an object of one of the class templates below, which holds the library's
 * own object and gives it messages. What those objects need beyond themselves they allocate with
 * the key, and keep.
 *
 * An object that takes IVs gets one of zeros with the key (SetKeyWithIV), since the library knows
 * no other way to set a key, and each message then sets its own (Resynchronize).
 *
 * What is not here: SHA-512/256, UMAC, OCB, GCM-SIV and KMAC, which the library does not have.
 */
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1
#include <cryptopp/aes.h>
#include <cryptopp/arc4.h>
#include <cryptopp/blake2.h>
#include <cryptopp/camellia.h>
#include <cryptopp/cbcmac.h>
#include <cryptopp/ccm.h>
#include <cryptopp/chacha.h>
#include <cryptopp/chachapoly.h>
#include <cryptopp/cmac.h>
#include <cryptopp/cpu.h>
#include <cryptopp/gcm.h>
#include <cryptopp/hmac.h>
#include <cryptopp/idea.h>
#include <cryptopp/md5.h>
#include <cryptopp/modes.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/rc5.h>
#include <cryptopp/rc6.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/seal.h>
#include <cryptopp/serpent.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/siphash.h>
#include <cryptopp/sm3.h>
#include <cryptopp/sm4.h>
#include <cryptopp/speck.h>
#include <cryptopp/tea.h>
#include <cryptopp/twofish.h>
#include <cryptopp/vmac.h>
#if CRYPTOPP_VERSION >= 830
#include <cryptopp/xts.h>
#endif

/* The name SEAL is another thing in shim.h. */
using Seal3 = CryptoPP::SEAL<CryptoPP::BigEndian>::Encryption;

#include "shim.h"

#define TEXT_OF(number) #number
#define VERSION(major, minor) TEXT_OF(major) "." TEXT_OF(minor)
#define HEADERS VERSION(CRYPTOPP_MAJOR, CRYPTOPP_MINOR)

#if CRYPTOPP_VERSION < 820 || CRYPTOPP_VERSION >= 900
#error "the headers are not those of Crypto++ 8.2 or a later 8.x"
#endif

namespace {

using range = ciphermark_range;

/* ---- Objects as contexts ---------------------------------------------------------------------
 *
 * Exceptions end here, since callers are not C++: the library's own become the number of their kind
 * (Exception::ErrorType) counted from 1, others -1. */

template <class Work>
int guarded(Work work) noexcept
{
    try {
        return work();
    } catch (const CryptoPP::Exception &error) {
        return 1 + error.GetErrorType();
    } catch (...) {
        return -1;
    }
}

template <class Object>
int init(const row *, void *context)
{
    return guarded([=] {
        new (context) Object;
        return CIPHERMARK_DONE;
    });
}

template <class Object>
int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    return guarded([=] {
        static_cast<Object *>(context)->set_key(*self, key, key_bytes);
        return CIPHERMARK_DONE;
    });
}

template <class Object>
int process(const row *, void *context, const message *m)
{
    return guarded([=] { return static_cast<Object *>(context)->process(*m); });
}

template <class Object>
int process_chunks(const row *, void *context, const message *m, size_t chunk_bytes)
{
    return guarded([=] { return static_cast<Object *>(context)->process_chunks(*m, chunk_bytes); });
}

template <class Object>
void release(const row *, void *context)
{
    static_cast<Object *>(context)->~Object();
}

/* The function for messages in chunks of an object that takes them, else null. */
template <class Object, class = void>
constexpr decltype(row::process_chunks) chunks_of = nullptr;

template <class Object>
constexpr decltype(row::process_chunks)
    chunks_of<Object, std::void_t<decltype(&Object::process_chunks)>> = process_chunks<Object>;

/* A row without a key. */
template <class Object>
constexpr row make_row(const char *algorithm, ciphermark_operation operation, range nonce_bytes,
                       size_t tag_bytes)
{
    row made{};
    made.algorithm = algorithm;
    made.operation = operation;
    made.nonce_bytes = nonce_bytes;
    made.tag_bytes = tag_bytes;
    made.lanes = 1;
    made.context_bytes = sizeof(Object);
    made.context_alignment = alignof(Object);
    made.init = init<Object>;
    made.process = process<Object>;
    made.release = release<Object>;
    made.process_chunks = chunks_of<Object>;
    return made;
}

template <class Object>
constexpr row make_keyed_row(const char *algorithm, ciphermark_operation operation, range key_bytes,
                             range nonce_bytes, size_t tag_bytes)
{
    row made = make_row<Object>(algorithm, operation, nonce_bytes, tag_bytes);
    made.key_bytes = key_bytes;
    made.set_key = set_key<Object>;
    return made;
}

/* The row of an object that takes messages which are one chunk repeated. */
constexpr row repeating(row made)
{
    made.takes_repeats = 1;
    return made;
}

/* ---- What the objects share ------------------------------------------------------------------ */

/* As long as the longest IV that is set with a key, that of XChaCha20. */
const uint8_t no_iv[24] = {};

/* An object of the library that has a key. */
template <class Object>
class Keyed {
protected:
    Object object;

public:
    void set_key(const row &self, const uint8_t *key, size_t key_bytes)
    {
        CryptoPP::SimpleKeyingInterface &keyed = object;
        if (self.nonce_bytes.most > 0)
            keyed.SetKeyWithIV(key, key_bytes, no_iv);
        else
            keyed.SetKey(key, key_bytes);
    }
};

template <class Object>
void start(Object &object, const message &m)
{
    if (m.nonce_bytes > 0)
        object.Resynchronize(m.nonce, static_cast<int>(m.nonce_bytes));
}

/* Calls `work` with offset and length of each chunk. */
template <class Work>
void in_chunks(size_t bytes, size_t chunk_bytes, Work work)
{
    for (size_t offset = 0; offset < bytes; offset += chunk_bytes)
        work(offset, std::min(chunk_bytes, bytes - offset));
}

/* ---- Block ciphers --------------------------------------------------------------------------- */

using CryptoPP::AES, CryptoPP::Camellia, CryptoPP::IDEA, CryptoPP::RC6, CryptoPP::Serpent;
using CryptoPP::SM4, CryptoPP::SPECK128, CryptoPP::SPECK64, CryptoPP::TEA, CryptoPP::Twofish;
using CryptoPP::XTEA;

/* One direction of a mode. */
template <class Mode>
class Transformation : public Keyed<Mode> {
public:
    int process(const message &m)
    {
        start(this->object, m);
        this->object.ProcessData(m.output, m.input, m.input_bytes);
        return CIPHERMARK_DONE;
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        start(this->object, m);
        in_chunks(m.input_bytes, chunk_bytes, [&](size_t offset, size_t bytes) {
            this->object.ProcessData(m.output + offset, m.input + offset, bytes);
        });
        return CIPHERMARK_DONE;
    }
};

/* One direction of XTS. The last part of a block goes with the block before it: given more at once, 8.7
 * writes out of bounds. */
template <class Mode>
class Sector : public Keyed<Mode> {
public:
    int process(const message &m)
    {
        size_t rest = m.input_bytes % AES::BLOCKSIZE;
        size_t last = rest == 0 ? 0 : AES::BLOCKSIZE + rest;
        if (m.input_bytes < AES::BLOCKSIZE)
            return CIPHERMARK_BAD_INPUT;
        size_t whole = m.input_bytes - last;
        start(this->object, m);
        this->object.ProcessData(m.output, m.input, whole);
        if (last > 0)
            this->object.ProcessLastBlock(m.output + whole, last, m.input + whole, last);
        return CIPHERMARK_DONE;
    }
};

/* RC5 has 16 rounds unless told otherwise with each key. */
template <class Direction>
class TwelveRounds : public Direction {
    void UncheckedSetKey(const uint8_t *key, unsigned int key_bytes,
                         const CryptoPP::NameValuePairs &) override
    {
        using namespace CryptoPP;
        Direction::UncheckedSetKey(key, key_bytes, MakeParameters(Name::Rounds(), 12));
    }
};

struct RC5 : CryptoPP::RC5_Info {
    using Encryption = TwelveRounds<CryptoPP::RC5::Encryption>;
    using Decryption = TwelveRounds<CryptoPP::RC5::Decryption>;
};

#define MODE(name, direction, mode, key, iv) \
    make_keyed_row<Transformation<mode>>(name, direction, {key, key}, {iv, iv}, 0)
#define BOTH(name, mode, key, iv) \
    MODE(name, CIPHERMARK_ENCRYPT, mode::Encryption, key, iv), \
    MODE(name, CIPHERMARK_DECRYPT, mode::Decryption, key, iv)
#define ECB(name, cipher, key) BOTH(name "-ecb", CryptoPP::ECB_Mode<cipher>, key, 0)
#define CBC(name, cipher, key) \
    BOTH(name "-cbc", CryptoPP::CBC_Mode<cipher>, key, cipher::BLOCKSIZE)
#define CTR(name, cipher, key) \
    BOTH(name "-ctr", CryptoPP::CTR_Mode<cipher>, key, cipher::BLOCKSIZE)
#define XTS_ROW(name, what, direction, key) \
    make_keyed_row<Sector<CryptoPP::XTS<AES>::direction>>(name, what, {key, key}, {16, 16}, 0)
#define XTS(name, key) \
    XTS_ROW(name, CIPHERMARK_ENCRYPT, Encryption, key), \
    XTS_ROW(name, CIPHERMARK_DECRYPT, Decryption, key)
#define BLOCK_CIPHER(name, cipher, key) \
    ECB(name, cipher, key), CBC(name, cipher, key), CTR(name, cipher, key)

/* ---- Authenticated encryption ----------------------------------------------------------------
 *
 * All tags have 16 bytes. */

constexpr size_t TAG_BYTES = 16;

template <class Cipher>
class Aead : public Keyed<Cipher> {
protected:
    /* `text` is plaintext or ciphertext without the tag, which stands behind one of them. */
    void transform_chunks(const message &m, size_t text_bytes, size_t chunk_bytes)
    {
        start(this->object, m);
        this->object.SpecifyDataLengths(m.aad_bytes, text_bytes);
        this->object.Update(m.aad, m.aad_bytes);
        in_chunks(text_bytes, chunk_bytes, [&](size_t offset, size_t bytes) {
            this->object.ProcessData(m.output + offset, m.input + offset, bytes);
        });
    }
};

template <class Cipher>
class Seal : public Aead<Cipher> {
public:
    int process(const message &m)
    {
        this->object.EncryptAndAuthenticate(
            m.output, m.output + m.input_bytes, TAG_BYTES, m.nonce,
            static_cast<int>(m.nonce_bytes), m.aad, m.aad_bytes, m.input, m.input_bytes);
        return CIPHERMARK_DONE;
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        this->transform_chunks(m, m.input_bytes, chunk_bytes);
        this->object.TruncatedFinal(m.output + m.input_bytes, TAG_BYTES);
        return CIPHERMARK_DONE;
    }
};

template <class Cipher>
class Open : public Aead<Cipher> {
public:
    int process(const message &m)
    {
        return opened_if(this->object.DecryptAndVerify(
            m.output, m.input + m.output_bytes, TAG_BYTES, m.nonce,
            static_cast<int>(m.nonce_bytes), m.aad, m.aad_bytes, m.input, m.output_bytes));
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        this->transform_chunks(m, m.output_bytes, chunk_bytes);
        return opened_if(this->object.TruncatedVerify(m.input + m.output_bytes, TAG_BYTES));
    }
};

#define AEAD(name, cipher, key, least, most) \
    make_keyed_row<Seal<cipher::Encryption>>(name, CIPHERMARK_SEAL, {key, key}, {least, most}, \
                                             TAG_BYTES), \
    make_keyed_row<Open<cipher::Decryption>>(name, CIPHERMARK_OPEN, {key, key}, {least, most}, \
                                             TAG_BYTES)
#define GCM(name, cipher, key) AEAD(name, CryptoPP::GCM<cipher>, key, 1, INT_MAX)
#define CCM(name, cipher, key) AEAD(name, CryptoPP::CCM<cipher>, key, 7, 13)

/* ---- Hashes and MACs -------------------------------------------------------------------------
 *
 * The digest or the tag leaves an object ready for the next message. */

template <class Function>
int digest_chunks(Function &function, const message &m, size_t chunk_bytes)
{
    in_chunks(m.input_bytes, chunk_bytes, [&](size_t offset, size_t bytes) {
        function.Update(m.repeats ? m.input : m.input + offset, bytes);
    });
    function.Final(m.output);
    return CIPHERMARK_DONE;
}

template <class Function>
class Hash {
    Function function;

public:
    int process(const message &m)
    {
        function.CalculateDigest(m.output, m.input, m.input_bytes);
        return CIPHERMARK_DONE;
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        return digest_chunks(function, m, chunk_bytes);
    }
};

template <class Function>
class Mac : public Keyed<Function> {
public:
    int process(const message &m)
    {
        start(this->object, m);
        this->object.CalculateDigest(m.output, m.input, m.input_bytes);
        return CIPHERMARK_DONE;
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        start(this->object, m);
        return digest_chunks(this->object, m, chunk_bytes);
    }
};

/*
 * A tag of 64 bits takes one half of an encrypted nonce, which the library keeps for the nonce with
 * the other half. It looks whether a nonce is that one only where their last bytes say so, and
 * takes any other for it too: wrong tags, up to 8.9. Here those are told to be others.
 */
class Vmac64 : public CryptoPP::VMAC<AES, 64> {
public:
    void Resynchronize(const uint8_t *nonce, int nonce_bytes) override
    {
        const uint8_t last = nonce[nonce_bytes - 1], kept = m_nonce()[IVSize() - 1];
        m_padCached = m_padCached && (last | 1) == (kept | 1);
        VMAC::Resynchronize(nonce, nonce_bytes);
    }
};
using Vmac128 = CryptoPP::VMAC<AES, 128>;
using SipHash64 = CryptoPP::SipHash<2, 4, false>;
using SipHash128 = CryptoPP::SipHash<2, 4, true>;

#define HASH(name, hash) \
    repeating(make_row<Hash<CryptoPP::hash>>(name, CIPHERMARK_DIGEST, {0, 0}, \
                                             CryptoPP::hash::DIGESTSIZE))
#define MAC_ROW(name, function, least_key, most_key, nonce, tag) \
    repeating(make_keyed_row<Mac<function>>(name, CIPHERMARK_MAC, {least_key, most_key}, nonce, \
                                            tag))
#define MAC(name, function, key, tag) MAC_ROW(name, function, key, key, (range{0, 0}), tag)
#define VMAC(name, function, tag) MAC_ROW(name, function, 16, 16, (range{1, 16}), tag)
#define HMAC(name, hash) \
    MAC_ROW("hmac-" name, CryptoPP::HMAC<CryptoPP::hash>, 0, INT_MAX, (range{0, 0}), \
            CryptoPP::hash::DIGESTSIZE)
#define CMAC(name, cipher, key) MAC("cmac-" name, CryptoPP::CMAC<cipher>, key, 16)
#define CBC_MAC(name, cipher, key) \
    MAC("cbc-mac-" name, CryptoPP::CBC_MAC<cipher>, key, 16)

/* GCM of associated data alone, which the library takes as a message of this MAC. */
#define GMAC(name, cipher, key) \
    MAC_ROW("gmac-" name, CryptoPP::GCM<cipher>::Encryption, key, key, \
            (range{1, INT_MAX}), TAG_BYTES)

/* ---- Keystreams ------------------------------------------------------------------------------ */

template <class Cipher>
class Stream : public Keyed<Cipher> {
public:
    int process(const message &m)
    {
        start(this->object, m);
        this->object.GenerateBlock(m.output, m.output_bytes);
        return CIPHERMARK_DONE;
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        start(this->object, m);
        in_chunks(m.output_bytes, chunk_bytes, [&](size_t offset, size_t bytes) {
            this->object.GenerateBlock(m.output + offset, bytes);
        });
        return CIPHERMARK_DONE;
    }
};

/* From the first byte on in each message, so the keyed state is kept and a copy runs. */
class Arc4 {
    Stream<CryptoPP::Weak::ARC4> keyed, running;

public:
    void set_key(const row &self, const uint8_t *key, size_t key_bytes)
    {
        keyed.set_key(self, key, key_bytes);
    }

    int process(const message &m)
    {
        running = keyed;
        return running.process(m);
    }

    int process_chunks(const message &m, size_t chunk_bytes)
    {
        running = keyed;
        return running.process_chunks(m, chunk_bytes);
    }
};

/* XChaCha20 counts its blocks from 1 unless told otherwise with each key. */
template <class Cipher>
class FromBlockZero : public Cipher {
    void UncheckedSetKey(const uint8_t *key, unsigned int key_bytes,
                         const CryptoPP::NameValuePairs &parameters) override
    {
        using namespace CryptoPP;
        const AlgorithmParameters zero = MakeParameters("InitialBlock", word64{0});
        Cipher::UncheckedSetKey(key, key_bytes, CombinedNameValuePairs(parameters, zero));
    }
};

#define STREAM(name, object, key, nonce) \
    make_keyed_row<object>(name, CIPHERMARK_KEYSTREAM, {key, key}, {nonce, nonce}, 0)

/* ---- The table ------------------------------------------------------------------------------- */

#define HASH_AND_HMAC(name, hash) HASH(name, hash), HMAC(name, hash)

constexpr row functions[] = {
    BLOCK_CIPHER("aes-{128,192,256}", AES, 0),
#if CRYPTOPP_VERSION >= 830
    XTS("aes-128-xts", 32),
    XTS("aes-256-xts", 64),
#endif
    BLOCK_CIPHER("camellia-{128,192,256}", Camellia, 0),
    BLOCK_CIPHER("rc6-32-20-16", RC6, 16),
    BLOCK_CIPHER("rc6-32-20-24", RC6, 24),
    BLOCK_CIPHER("rc6-32-20-32", RC6, 32),
    BLOCK_CIPHER("serpent-{128,192,256}", Serpent, 0),
    BLOCK_CIPHER("sm4", SM4, 16),
    BLOCK_CIPHER("twofish-{128,192,256}", Twofish, 0),
    ECB("idea", IDEA, 16),
    CBC("idea", IDEA, 16),
    ECB("rc5-32-12-8", RC5, 8),
    CBC("rc5-32-12-8", RC5, 8),
    ECB("rc5-32-12-16", RC5, 16),
    CBC("rc5-32-12-16", RC5, 16),
    ECB("speck-64-128", SPECK64, 16),
    ECB("speck-128-128", SPECK128, 16),
    ECB("tea", TEA, 16),
    ECB("xtea", XTEA, 16),

    GCM("aes-{128,192,256}-gcm", AES, 0),
    GCM("camellia-{128,256}-gcm", Camellia, 0),
    GCM("sm4-gcm", SM4, 16),
    CCM("aes-{128,256}-ccm", AES, 0),
    AEAD("chacha20-poly1305", CryptoPP::ChaCha20Poly1305, 32, 12, 12),
    AEAD("xchacha20-poly1305", CryptoPP::XChaCha20Poly1305, 32, 24, 24),

    CMAC("aes-{128,192,256}", AES, 0),
    CMAC("camellia-{128,256}", Camellia, 0),
    CMAC("rc6-{128,256}", RC6, 0),
    CMAC("serpent-{128,256}", Serpent, 0),
    CMAC("sm4", SM4, 16),
    CMAC("twofish-{128,256}", Twofish, 0),
    CBC_MAC("aes-{128,256}", AES, 0),
    CBC_MAC("camellia-128", Camellia, 16),
    CBC_MAC("rc6-{128,256}", RC6, 0),
    CBC_MAC("serpent-128", Serpent, 16),
    CBC_MAC("twofish-128", Twofish, 16),
    GMAC("aes-{128,256}", AES, 0),
    VMAC("vmac-64", Vmac64, 8),
    VMAC("vmac-128", Vmac128, 16),
    MAC("blake2b-mac-512", CryptoPP::BLAKE2b, 32, 64),
    MAC("blake2s-mac-256", CryptoPP::BLAKE2s, 32, 32),
    MAC("poly1305", CryptoPP::Poly1305TLS, 32, 16),
    MAC("siphash-2-4-64", SipHash64, 16, 8),
    MAC("siphash-2-4-128", SipHash128, 16, 16),

    HASH("blake2b-512", BLAKE2b),
    HASH("blake2s-256", BLAKE2s),
    HASH_AND_HMAC("md5", Weak::MD5),
    HASH("ripemd160", RIPEMD160),
    HASH_AND_HMAC("sha1", SHA1),
    HASH_AND_HMAC("sha224", SHA224),
    HASH_AND_HMAC("sha256", SHA256),
    HASH_AND_HMAC("sha384", SHA384),
    HASH_AND_HMAC("sha512", SHA512),
    HASH("sha3-224", SHA3_224),
    HASH_AND_HMAC("sha3-256", SHA3_256),
    HASH("sha3-384", SHA3_384),
    HASH_AND_HMAC("sha3-512", SHA3_512),
    HASH("sm3", SM3),

    STREAM("chacha20", Stream<CryptoPP::ChaChaTLS::Encryption>, 32, 12),
    STREAM("xchacha20", Stream<FromBlockZero<CryptoPP::XChaCha20::Encryption>>, 32, 24),
    STREAM("rc4-128", Arc4, 16, 0),
    STREAM("seal3", Stream<Seal3>, 20, 4),
};

/* ---- Features of the processor ---------------------------------------------------------------
 *
 * The library finds them out when it is loaded, keeps each in a variable, and looks there whenever
 * it has a choice: before each message, so that they must not change while objects are in use. */

/* What a row above can be quicker for, by the names that /proc/cpuinfo has. */
struct Feature {
    const char *name;
    bool *present;
};

constexpr Feature features[] = {
#if CRYPTOPP_BOOL_X86 || CRYPTOPP_BOOL_X32 || CRYPTOPP_BOOL_X64
    {"sse2", &CryptoPP::g_hasSSE2},
    {"sse4_1", &CryptoPP::g_hasSSE41},
    {"pclmulqdq", &CryptoPP::g_hasCLMUL},
    {"aes", &CryptoPP::g_hasAESNI},
    {"avx2", &CryptoPP::g_hasAVX2},
    {"sha_ni", &CryptoPP::g_hasSHA},
#elif CRYPTOPP_BOOL_ARM32 || CRYPTOPP_BOOL_ARMV8
    {"asimd", &CryptoPP::g_hasNEON},
    {"pmull", &CryptoPP::g_hasPMULL},
    {"aes", &CryptoPP::g_hasAES},
    {"sha1", &CryptoPP::g_hasSHA1},
    {"sha2", &CryptoPP::g_hasSHA2},
#endif
    {nullptr, nullptr},
};

/* Without the first the library looks for no other, and relies on that: with SSE2 alone hidden its
 * AES-NI computes wrong tags. */
void hide(const char *list)
{
    bool all = false;
    for (const Feature *feature = features; feature->name != nullptr; feature++) {
        const bool listed = lists(list, feature->name) != 0;
        all = all || (listed && feature == features);
        if (all || listed)
            *feature->present = false;
    }
}

/* "features:" and the names of what the library will use. */
void describe_features(char *text, size_t text_bytes)
{
    int used = std::snprintf(text, text_bytes, "features:");
    for (const Feature *feature = features; feature->name != nullptr; feature++)
        if (*feature->present)
            used += std::snprintf(text + used, text_bytes - static_cast<size_t>(used), " %s",
                                  feature->name);
}

} // namespace

const struct ciphermark_library *ciphermark_library(void)
{
    static char version[24], build[96];
    static const struct ciphermark_library library = {
        CIPHERMARK_ABI,
        sizeof(row),
        HEADERS,
        version,
        build,
        reinterpret_cast<void (*)()>(CryptoPP::LibraryVersion),
        [](const void *one, const void *other, size_t bytes) -> int {
            return CryptoPP::VerifyBufsEqual(static_cast<const uint8_t *>(one),
                                             static_cast<const uint8_t *>(other), bytes);
        },
        nullptr,
        sizeof functions / sizeof functions[0],
        functions,
    };
    if (const char *off = std::getenv("CIPHERMARK_CRYPTOPP_OFF"))
        hide(off);
    describe_features(build, sizeof build);
    /* Its numbers as in 870. */
    const int number = CryptoPP::LibraryVersion();
    std::snprintf(version, sizeof version, "%d.%d", number / 100, number / 10 % 10);
    return &library;
}
