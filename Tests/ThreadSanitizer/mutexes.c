// Tells the thread sanitizer of the mutexes of Swift's Synchronization library.
//
// A lock that nobody holds is taken and left by code that the compiler puts into the caller, which
// the sanitizer sees. A lock that is waited for is taken and left within the library, which is not
// built for the sanitizer: without what is said here, all that such a lock orders would be
// reported. Loaded before the library (LD_PRELOAD), these functions stand in front of its own.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SELF __attribute__((swift_context)) void *self

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef __attribute__((swiftcall)) void (*Lock)(uint32_t thread, SELF);
typedef __attribute__((swiftcall)) bool (*TryLock)(SELF);
typedef __attribute__((swiftcall)) void (*Unlock)(SELF);

static Lock library_lock;
static TryLock library_try_lock;
static Unlock library_unlock;

// A process without the library, such as a shell between, finds none and calls none.
__attribute__((constructor)) static void find_library_functions(void) {
    library_lock = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    library_try_lock = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    library_unlock = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
}

__attribute__((swiftcall)) void mutex_lock(uint32_t thread, SELF)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((swiftcall)) bool mutex_try_lock(SELF)
    __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
__attribute__((swiftcall)) void mutex_unlock(SELF)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

__attribute__((swiftcall)) void mutex_lock(uint32_t thread, SELF) {
    library_lock(thread, self);
    if (__tsan_acquire != NULL) __tsan_acquire(self);
}

__attribute__((swiftcall)) bool mutex_try_lock(SELF) {
    bool is_locked = library_try_lock(self);
    if (is_locked && __tsan_acquire != NULL) __tsan_acquire(self);
    return is_locked;
}

__attribute__((swiftcall)) void mutex_unlock(SELF) {
    if (__tsan_release != NULL) __tsan_release(self);
    library_unlock(self);
}
