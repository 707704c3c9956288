// The types of the functions of the toolchain's libIndexStore that the tests call. The library is
// loaded at run time, so the package links nothing.
//
// Source: clang, include/indexstore/indexstore.h, format version 5.

#ifndef ANABRANCH_INDEX_STORE_H
#define ANABRANCH_INDEX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *data;
    size_t length;
} index_string;

typedef void *index_handle;

typedef bool (*index_names_body)(void *context, index_string name);
typedef bool (*index_handles_body)(void *context, index_handle element);

typedef index_handle (*index_open_store)(const char *path, void *error);
typedef index_handle (*index_open_reader)(index_handle store, const char *name, void *error);
typedef void (*index_close)(index_handle handle);
typedef index_string (*index_text)(index_handle handle);
typedef int (*index_kind)(index_handle handle);
typedef uint64_t (*index_roles)(index_handle handle);
typedef index_handle (*index_symbol)(index_handle occurrence);
typedef void (*index_place)(index_handle occurrence, unsigned *line, unsigned *column);
typedef bool (*index_each_unit)(index_handle store, unsigned sorted, void *context,
                                index_names_body body);
typedef bool (*index_each)(index_handle handle, void *context, index_handles_body body);

#endif
