#pragma once
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// Frees memory that GnuTLS has allocated.
static inline void cgnutls_free(void *memory) { gnutls_free(memory); }
