// What Glibc's module map leaves out.
#ifndef BELFRY_LOAD_SOCKETS_H
#define BELFRY_LOAD_SOCKETS_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <stddef.h>
#include <sys/socket.h>

// Hidden behind _GNU_SOURCE, which must stay unset: the types would differ from those of Glibc's module.
extern void *memmem(const void *, size_t, const void *, size_t);

#endif
