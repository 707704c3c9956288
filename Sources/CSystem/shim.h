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
