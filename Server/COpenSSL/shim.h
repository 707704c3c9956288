#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <string.h>

/// Reads the next public key of a text in PEM; NULL at its end, or if it is malformed.
static inline EVP_PKEY *copenssl_read_public_key(BIO *pem) {
    return PEM_read_bio_PUBKEY(pem, NULL, NULL, NULL);
}

/// Makes a key from parameters, which it frees.
static inline EVP_PKEY *copenssl_key(const char *type, OSSL_PARAM_BLD *builder) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/// Makes an RSA key from its modulus and exponent; NULL if they are no key.
static inline EVP_PKEY *copenssl_rsa_key(
    const unsigned char *modulus, int modulus_size, const unsigned char *exponent,
    int exponent_size) {
    BIGNUM *n = BN_bin2bn(modulus, modulus_size, NULL);
    BIGNUM *e = BN_bin2bn(exponent, exponent_size, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        key = copenssl_key("RSA", builder);
    else
        OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

/// Makes a key of the curve P-256 from its coordinates; NULL if they are no point of it.
static inline EVP_PKEY *copenssl_p256_key(const unsigned char x[32], const unsigned char y[32]) {
    unsigned char point[65] = {4};
    memcpy(point + 1, x, 32);
    memcpy(point + 33, y, 32);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (!builder ||
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) != 1) {
        OSSL_PARAM_BLD_free(builder);
        return NULL;
    }
    return copenssl_key("EC", builder);
}

/// Returns 1 if a key has the curve P-256.
static inline int copenssl_is_p256(EVP_PKEY *key) {
    char name[64];
    size_t size = 0;
    return EVP_PKEY_get_group_name(key, name, sizeof name, &size) == 1 &&
        (strcmp(name, "prime256v1") == 0 || strcmp(name, "P-256") == 0);
}

/// Verifies a signature over a SHA-256 digest: PKCS #1 v1.5 of RSA, or ECDSA in DER.
///
/// Returns 1 if it is right.
static inline int copenssl_verify(
    EVP_PKEY *key, const unsigned char *signature, size_t signature_size,
    const unsigned char *message, size_t message_size) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
        EVP_DigestVerify(context, signature, signature_size, message, message_size) == 1;
    EVP_MD_CTX_free(context);
    return result;
}

/// Verifies a signature of ECDSA that is its two numbers of 32 bytes.
///
/// Returns 1 if it is right.
static inline int copenssl_verify_p256(
    EVP_PKEY *key, const unsigned char signature[64], const unsigned char *message,
    size_t message_size) {
    int result = 0;
    unsigned char *der = NULL;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL);
    BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        int size = i2d_ECDSA_SIG(pair, &der);
        if (size > 0) result = copenssl_verify(key, der, (size_t)size, message, message_size);
    } else {
        BN_free(r);
        BN_free(s);
    }
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    return result;
}
