// To be preloaded under the thread sanitizer: tells it of the locks of Swift's Synchronization library.
//
// Where nobody waits, a `Mutex` is taken and given back by atomics that are inlined and that the sanitizer sees. The rest is
// in a library that was not built with it: what one thread writes there under the lock and another one reads would be
// reported as a race. The three functions of the library are called on from here, with what is missing (see
// https://github.com/llvm/llvm-project/blob/main/compiler-rt/include/sanitizer/tsan_interface.h).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// _MutexHandle._lockSlow(UInt32), ._tryLockSlow() -> Bool and ._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Not there in the programs that run the tests, into which this is loaded too.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function) return function;
    fprintf(stderr, "mutex.c: Swift's Synchronization has no %s any more\n", name);
    abort();
}

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void lock(uint32_t thread, SELF void *mutex) {
    ((SWIFT void (*)(uint32_t, SELF void *))next(LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT bool try_lock(SELF void *mutex) {
    bool is_locked = ((SWIFT bool (*)(SELF void *))next(TRY_LOCK))(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);
SWIFT void unlock(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((SWIFT void (*)(SELF void *))next(UNLOCK))(mutex);
}
