// What OpenSSL offers as macros only, and the callbacks it wants as C functions.
#ifndef BELFRY_COPENSSL_SHIM_H
#define BELFRY_COPENSSL_SHIM_H

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <time.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or later is needed"
#endif

/// Writes as OpenSSL's own socket BIO does, but without SIGPIPE when the peer is gone.
static inline int belfry_bio_write(BIO *bio, const char *bytes, int count) {
    int sent;
    do {
        sent = (int)send((int)BIO_get_fd(bio, NULL), bytes, (size_t)count, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    BIO_clear_retry_flags(bio);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
    return sent;
}

/// OpenSSL's socket BIO with the write above; NULL without memory. Made once and never freed.
static inline BIO_METHOD *belfry_bio_method(void) {
    const BIO_METHOD *base = BIO_s_socket();
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "belfry");
    if (!method) return NULL;
    BIO_meth_set_write(method, belfry_bio_write);
    BIO_meth_set_read(method, BIO_meth_get_read(base));
    BIO_meth_set_puts(method, BIO_meth_get_puts(base));
    BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(base));
    BIO_meth_set_create(method, BIO_meth_get_create(base));
    BIO_meth_set_destroy(method, BIO_meth_get_destroy(base));
    return method;
}

/// Gives a connection its socket, which stays the caller's to close. 0 without memory.
static inline int belfry_ssl_set_socket(SSL *ssl, const BIO_METHOD *method, int descriptor) {
    BIO *bio = BIO_new(method);
    if (!bio) return 0;
    BIO_set_fd(bio, descriptor, BIO_NOCLOSE);
    SSL_set_bio(ssl, bio, bio);
    return 1;
}

/// RFC 7301 §3.2: http/1.1, or the connection ends with no_application_protocol.
static inline int belfry_ssl_select_alpn(
    SSL *ssl, const unsigned char **chosen, unsigned char *chosen_length, const unsigned char *offered,
    unsigned int offered_length, void *context) {
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *found = NULL;
    (void)ssl;
    (void)context;
    if (SSL_select_next_proto(&found, chosen_length, ours, sizeof ours - 1, offered, offered_length)
        != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

/// Keys come without a passphrase; OpenSSL would ask the terminal for one.
static inline int belfry_ssl_no_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)buffer;
    (void)size;
    (void)is_writing;
    (void)context;
    return -1;
}

/// The protocols, ciphers and groups of both sides: Mozilla's "intermediate" list, guidelines 5.8. 0 when this OpenSSL
/// lacks one.
static inline int belfry_ssl_ctx_configure(SSL_CTX *context) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(
        context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    // Resumption is by tickets, which the clients keep.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_security_level(context, 2);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, 0)
        && SSL_CTX_set_ciphersuites(
            context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        && SSL_CTX_set_cipher_list(
            context,
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305")
        // The hybrid group came with OpenSSL 3.5; an unknown one fails the whole list.
        && (SSL_CTX_set1_groups_list(context, "X25519MLKEM768:X25519:P-256:P-384")
            || SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384"));
}

/// What a server has besides. 0 without memory.
static inline int belfry_ssl_ctx_configure_server(SSL_CTX *context) {
    SSL_CTX_clear_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_default_passwd_cb(context, belfry_ssl_no_passphrase);
    SSL_CTX_set_alpn_select_cb(context, belfry_ssl_select_alpn, NULL);
    return belfry_ssl_ctx_configure(context) && SSL_CTX_set_num_tickets(context, 1);
}

/// What a client has besides: the server's certificate has to lead to one that is trusted. 0 without memory.
static inline int belfry_ssl_ctx_configure_client(SSL_CTX *context) {
    static const unsigned char ours[] = "\x08http/1.1";
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return belfry_ssl_ctx_configure(context) && SSL_CTX_set_alpn_protos(context, ours, sizeof ours - 1) == 0;
}

/// Whom the server's certificate has to name (RFC 6125), asked for by name where it is one (RFC 6066 §3). 0 when the host
/// is neither a name nor an address.
static inline int belfry_ssl_expect_host(SSL *ssl, const char *host) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1) return 1;
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

/// The end of a certificate's time, in seconds since 1970; -1 when it says none.
static inline long long belfry_x509_expiry(const X509 *certificate) {
    struct tm time;
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return -1;
    return (long long)timegm(&time);
}

/// Functions in one version and macros in another.
static inline int belfry_err_is_system(unsigned long code) { return ERR_SYSTEM_ERROR(code); }
static inline int belfry_err_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline int belfry_err_reason(unsigned long code) { return ERR_GET_REASON(code); }

/// A public key with these parameters, which must outlive the call; NULL if they are wrong.
static inline EVP_PKEY *belfry_public_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
        (void)EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}

/// NULL without memory.
static inline EVP_PKEY *belfry_rsa_public_key(const BIGNUM *modulus, const BIGNUM *exponent) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)
        && (parameters = OSSL_PARAM_BLD_to_param(builder)))
        key = belfry_public_key("RSA", parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/// From the point in the uncompressed form of SEC 1 §2.3.3. NULL if it is not on the curve.
static inline EVP_PKEY *belfry_p256_public_key(const unsigned char *point, size_t count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
        OSSL_PARAM_construct_end(),
    };
    return belfry_public_key("EC", parameters);
}

/// Frees what OpenSSL has allocated.
static inline void belfry_free(void *bytes) { OPENSSL_free(bytes); }

#endif
