#pragma once
#include <sqlite3.h>

// SQLITE_STATIC is a cast that Swift does not import.
static inline int raw_bind_text(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_text(statement, index, (const char *)bytes, count, SQLITE_STATIC);
}

static inline int raw_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}
