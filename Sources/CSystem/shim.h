#pragma once
// What Swift's Glibc module lacks.
#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#endif
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

// `errno` is a macro that Swift does not import: read it at once after the failed call.
static inline int csystem_last_error(void) { return errno; }

// Valid until this thread asks again.
static inline const char *csystem_error_text(int code) { return strerror(code); }

/// True if an error number says that a disk, or a user's share of it, is full.
static inline _Bool csystem_is_disk_full(int code) {
    return code == ENOSPC || code == EDQUOT;
}
