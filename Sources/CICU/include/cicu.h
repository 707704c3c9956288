#pragma once
#include <stdint.h>

// Regular expressions and the root collation of ICU, in types of their own. ICU's headers can't be
// imported into Swift: Foundation brings other versions of the same types.

/// A status of ICU: negative for warnings, 0 for success, positive for errors.
typedef int32_t cicu_status;

typedef struct cicu_regex cicu_regex;
typedef struct cicu_collator cicu_collator;

/// ICU's name of a status.
const char *_Nonnull cicu_status_name(cicu_status status);

/// Compiles a pattern in UTF-16.
cicu_regex *_Nullable cicu_regex_open(
    const uint16_t *_Nullable pattern, int32_t length, _Bool is_case_insensitive,
    cicu_status *_Nonnull status);

/// Copies a compiled pattern. Several threads may copy one pattern at a time.
cicu_regex *_Nullable cicu_regex_copy(
    const cicu_regex *_Nonnull regex, cicu_status *_Nonnull status);

/// Sets the greatest number of steps, each of 10,000 positions that a search remembers, and the
/// greatest memory of a search in bytes.
void cicu_regex_limit(
    cicu_regex *_Nonnull regex, int32_t steps, int32_t memory, cicu_status *_Nonnull status);

/// Sets the number of steps that all searches together may take. Each step reduces it, and a search
/// ends with an error when nothing is left. The number must live as long as the pattern.
void cicu_regex_share_steps(
    cicu_regex *_Nonnull regex, int64_t *_Nonnull rest, cicu_status *_Nonnull status);

/// Returns true if the pattern matches the whole text.
_Bool cicu_regex_matches(
    cicu_regex *_Nonnull regex, const uint16_t *_Nonnull text, int32_t length,
    cicu_status *_Nonnull status);

void cicu_regex_close(cicu_regex *_Nonnull regex);

/// The differences that a collation leaves out, and its order of digits.
typedef struct {
    _Bool ignores_case;
    _Bool ignores_diacritics;
    _Bool is_numeric;
} cicu_order;

/// Opens the root collation.
cicu_collator *_Nullable cicu_collator_open(cicu_order order, cicu_status *_Nonnull status);

/// Writes the sort key of a text in UTF-16. Several threads may use one collation at a time.
///
/// Returns the size of the key, also if it is greater than the capacity.
int32_t cicu_collator_key(
    const cicu_collator *_Nonnull collator, const uint16_t *_Nullable text, int32_t length,
    uint8_t *_Nullable key, int32_t capacity);
