// cnats, and the socket options that bound its waits.
#ifndef BELFRY_CNATS_SHIM_H
#define BELFRY_CNATS_SHIM_H

#include <fcntl.h>
#include <nats/nats.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/// Lets the kernel end a connection whose peer has not answered, or has not read, for 3 seconds: over TLS, cnats waits for the rest
/// of a record without a deadline. Also undoes cnats's SO_LINGER, which discards unsent data on close. 0, or -1 with `errno` set.
static inline int belfry_nats_prepare_socket(int descriptor) {
    const struct linger no_linger = {0, 0};
    const int on = 1, seconds = 1, probes = 3;
    const unsigned int milliseconds = 3000;
    if (setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &no_linger, sizeof(no_linger)) < 0) return -1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)) < 0) return -1;
    if (setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds)) < 0) return -1;
    if (setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds)) < 0) return -1;
    if (setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes)) < 0) return -1;
    return setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof(milliseconds));
}

/// Duplicates a descriptor, closed on exec; -1 with `errno` set.
static inline int belfry_nats_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

#endif
