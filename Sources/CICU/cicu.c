#include "cicu.h"

#include <unicode/ucol.h>
#include <unicode/uregex.h>

const char *cicu_status_name(cicu_status status) { return u_errorName((UErrorCode)status); }

cicu_regex *cicu_regex_open(
    const uint16_t *pattern, int32_t length, _Bool is_case_insensitive, cicu_status *status) {
    UErrorCode code = U_ZERO_ERROR;
    UParseError place;
    uint32_t flags = is_case_insensitive ? UREGEX_CASE_INSENSITIVE : 0;
    URegularExpression *regex = uregex_open((const UChar *)pattern, length, flags, &place, &code);
    *status = code;
    return (cicu_regex *)regex;
}

cicu_regex *cicu_regex_copy(const cicu_regex *regex, cicu_status *status) {
    UErrorCode code = U_ZERO_ERROR;
    URegularExpression *copy = uregex_clone((const URegularExpression *)regex, &code);
    *status = code;
    return (cicu_regex *)copy;
}

void cicu_regex_limit(cicu_regex *regex, int32_t steps, int32_t memory, cicu_status *status) {
    UErrorCode code = U_ZERO_ERROR;
    uregex_setTimeLimit((URegularExpression *)regex, steps, &code);
    uregex_setStackLimit((URegularExpression *)regex, memory, &code);
    *status = code;
}

static UBool take_step(const void *rest, int32_t steps) {
    (void)steps;
    return --*(int64_t *)rest >= 0;
}

void cicu_regex_share_steps(cicu_regex *regex, int64_t *rest, cicu_status *status) {
    UErrorCode code = U_ZERO_ERROR;
    uregex_setMatchCallback((URegularExpression *)regex, take_step, rest, &code);
    *status = code;
}

_Bool cicu_regex_matches(
    cicu_regex *regex, const uint16_t *text, int32_t length, cicu_status *status) {
    UErrorCode code = U_ZERO_ERROR;
    uregex_setText((URegularExpression *)regex, (const UChar *)text, length, &code);
    UBool is_match = uregex_matches((URegularExpression *)regex, -1, &code);
    *status = code;
    return U_SUCCESS(code) && is_match;
}

void cicu_regex_close(cicu_regex *regex) { uregex_close((URegularExpression *)regex); }

cicu_collator *cicu_collator_open(cicu_order order, cicu_status *status) {
    UErrorCode code = U_ZERO_ERROR;
    UCollator *collator = ucol_open("", &code);
    if (order.ignores_diacritics) {
        ucol_setAttribute(collator, UCOL_STRENGTH, UCOL_PRIMARY, &code);
        UColAttributeValue level = order.ignores_case ? UCOL_OFF : UCOL_ON;
        ucol_setAttribute(collator, UCOL_CASE_LEVEL, level, &code);
    } else if (order.ignores_case) {
        ucol_setAttribute(collator, UCOL_STRENGTH, UCOL_SECONDARY, &code);
    }
    if (order.is_numeric) {
        ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &code);
    }
    *status = code;
    return (cicu_collator *)collator;
}

int32_t cicu_collator_key(
    const cicu_collator *collator, const uint16_t *text, int32_t length, uint8_t *key,
    int32_t capacity) {
    return ucol_getSortKey(
        (const UCollator *)collator, (const UChar *)text, length, key, capacity);
}
