#pragma once
#include <sodium.h>

// The state of a hash has no constant size in Swift, which would allocate it.
static inline void csodium_hash_both(
    unsigned char *digest, size_t digest_count, const unsigned char *first,
    unsigned long long first_count, const unsigned char *second, unsigned long long second_count) {
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, digest_count);
    crypto_generichash_update(&state, first, first_count);
    crypto_generichash_update(&state, second, second_count);
    crypto_generichash_final(&state, digest, digest_count);
}
