#pragma once
#include <sqlite3.h>
#include <string.h>

// Variadic in C, so out of Swift's reach.
static inline int csqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// Has an effect only before anything else has used the library in this process.
static inline int csqlite_leave_memory_uncounted(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// The C library's functions, which not every platform has in a module of one name.
static inline int csqlite_is_same(const void *left, const void *right, long count) {
    return left == right || count == 0 || memcmp(left, right, (size_t)count) == 0;
}

static inline int csqlite_has_nul(const void *bytes, long count) {
    return count > 0 && memchr(bytes, 0, (size_t)count) != 0;
}

// SQLITE_TRANSIENT and SQLITE_STATIC are casts that Swift does not import. A null pointer would
// bind NULL, and an empty Swift buffer may have one: empty text and empty blobs need an address.
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_static_text(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, bytes ? (const char *)bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_static_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline void csqlite_result_text(
    sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_text64(
        context, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob(
    sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// For names that SQLite refers to for as long as the process runs.
static inline char *csqlite_permanent_copy(const char *text) {
    return sqlite3_mprintf("%s", text);
}

// Nothing is copied where there is no room.
static inline int csqlite_copy_text(char *target, const char *text, long room) {
    size_t count = strlen(text) + 1;
    if (count > (size_t)room) return 0;
    memcpy(target, text, count);
    return 1;
}
