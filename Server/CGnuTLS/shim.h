#pragma once
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// Frees memory that GnuTLS has allocated.
static inline void cgnutls_free(void *memory) { gnutls_free(memory); }

/// The address of a function that chooses a server's certificate.
static inline void *cgnutls_retriever(int (*function)(
    gnutls_session_t, const gnutls_datum_t *, int, const gnutls_pk_algorithm_t *, int,
    gnutls_pcert_st **, unsigned int *, gnutls_privkey_t *)) {
    return (void *)function;
}

/// Checks the certificate of the other end as one of a client.
///
/// Returns an error code if there is no certificate; `reasons` is 0 for a trusted one.
static inline int cgnutls_verify_client(gnutls_session_t session, unsigned int *reasons) {
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
    return gnutls_certificate_verify_peers(session, &purpose, 1, reasons);
}
