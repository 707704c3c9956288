#pragma once
// What Swift's Glibc module lacks of the C library's allocator.
#ifdef __linux__
#include <features.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
// Allocations of at least this size are mappings of their own, which go back to the system when
// they are freed.
static inline void callocator_set_least_mapping(int size) { mallopt(M_MMAP_THRESHOLD, size); }
// Allocates from at most this number of heaps. Each thread uses one of them, and each keeps what
// was freed in it.
static inline void callocator_set_most_heaps(int count) { mallopt(M_ARENA_MAX, count); }
// Gives free pages back to the system.
static inline void callocator_give_back(void) { malloc_trim(0); }
#else
static inline void callocator_set_least_mapping(int size) { (void)size; }
static inline void callocator_set_most_heaps(int count) { (void)count; }
static inline void callocator_give_back(void) {}
#endif
