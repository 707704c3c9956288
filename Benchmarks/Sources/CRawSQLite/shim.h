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

// SQLite passes these parameters, but declares the function without them.
typedef int (*raw_open_hook)(
    sqlite3 *database, char **message, const struct sqlite3_api_routines *routines);

// The function is called for each connection that this process opens from now on.
static inline int raw_on_open(raw_open_hook hook) {
    return sqlite3_auto_extension((void (*)(void))hook);
}

// The pages that the connection has written, in WAL mode to the log alone.
static inline int raw_pages_written(sqlite3 *database) {
    int current = 0, highest = 0;
    sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0);
    return current;
}
