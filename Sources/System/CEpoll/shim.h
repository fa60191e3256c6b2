// What Glibc's module map leaves out, or imports in a shape Swift cannot use directly.
#ifndef BELFRY_CEPOLL_SHIM_H
#define BELFRY_CEPOLL_SHIM_H

// _GNU_SOURCE must stay unset: Glibc's module is built without it, and the types would differ between the modules.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Hidden behind _GNU_SOURCE.
extern int accept4(int, struct sockaddr *__restrict, socklen_t *__restrict, int);
extern int pthread_setname_np(pthread_t, const char *);

/// Accepts one connection, non-blocking and closed on exec; -1 with `errno` set otherwise.
static inline int belfry_accept(int listener, struct sockaddr *peer, socklen_t *length) {
    return accept4(listener, peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Opens a stream socket, non-blocking and closed on exec; -1 with `errno` set otherwise.
static inline int belfry_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/// Returns free pages of all of the allocator's arenas to the system.
static inline void belfry_return_memory(void) { malloc_trim(0); }

/// The resource argument is an enum in GNU mode and an int otherwise; here it is neither.
static inline int belfry_get_file_limit(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }
static inline int belfry_set_file_limit(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

#endif
