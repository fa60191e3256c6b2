// The kernel's floor: whatever the publisher sends goes to every subscriber with one send(2) each, and nothing else is
// done: no handshake, no masking, no frames taken apart, no room. No server on sockets can deliver for less.
//
//     floor PORT        a connection's first byte tells what it is: s a subscriber, p the publisher
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int *subscribers;
static int count, room;

static int send_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

static void join(int fd) {
    if (count == room) {
        room = room ? room * 2 : 1024;
        subscribers = realloc(subscribers, sizeof *subscribers * (size_t)room);
        if (!subscribers) abort();
    }
    subscribers[count++] = fd;
}

static void leave(int fd) {
    for (int i = 0; i < count; i++)
        if (subscribers[i] == fd) subscribers[i--] = subscribers[--count];
    close(fd);
}

int main(int argc, char **argv) {
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    struct rlimit files;
    if (!getrlimit(RLIMIT_NOFILE, &files)) files.rlim_cur = files.rlim_max, setrlimit(RLIMIT_NOFILE, &files);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? (uint16_t)atoi(argv[1]) : 0)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return perror("floor"), 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    static char bytes[1 << 20];
    static char kind[1 << 20];
    for (;;) {
        int ready = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                int peer = accept(listener, NULL, NULL);
                if (peer < 0 || peer >= (int)sizeof kind) continue;
                setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                kind[peer] = 0;
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = peer};
                epoll_ctl(poll, EPOLL_CTL_ADD, peer, &event);
                continue;
            }
            ssize_t got = recv(fd, bytes, sizeof bytes, 0);
            if (got <= 0) {
                leave(fd);
                continue;
            }
            size_t start = 0;
            if (!kind[fd]) {
                kind[fd] = bytes[start++];
                if (kind[fd] == 's') join(fd);
            }
            if (kind[fd] != 'p' || (size_t)got == start) continue;
            for (int s = 0; s < count; s++) send_all(subscribers[s], bytes + start, (size_t)got - start);
        }
    }
}
