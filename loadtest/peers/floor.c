// The kernel floor: forwards what a client sends to every listener with one send(2) each, and does nothing else: no
// handshake, no masking, no parsing of frames. No server on sockets can deliver for less.
//
//     floor PORT [FILE]
//
// With FILE, all that was received in a turn of the loop is first written to it with one write and synced with one
// fdatasync: the floor for a server that stores messages before it delivers them. The file is 16 MiB, written and synced
// at the start, and reused from its beginning when full, so that a sync has no new blocks to record.
//
// The first bytes of a connection are its role:
//
//     s          listens in room 0
//     p          sends to room 0
//     rNUMBER\n  listens and sends in that room
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 1 << 20, ROOMS = 1 << 17, EVENTS = 256, BUFFER = 1 << 20, FILE_SIZE = 16 << 20 };

struct room {
    int *listeners;
    int count, capacity;
};

struct connection {
    enum { NEW, LISTENER, PUBLISHER, MEMBER } role;
    int room;
};

// What one connection sent in this turn.
struct message {
    int room;
    const char *bytes;
    size_t length;
};

static struct room rooms[ROOMS];
static struct connection connections[CONNECTIONS];
static char buffer[BUFFER];
static off_t position;

static _Noreturn void fail(const char *what) {
    perror(what);
    exit(1);
}

static int create_file(const char *path) {
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0) fail(path);
    for (int written = 0; written < FILE_SIZE; written += BUFFER)
        if (pwrite(file, buffer, BUFFER, written) != BUFFER) fail(path);
    if (fdatasync(file)) fail(path);
    return file;
}

static void store(int file, const char *bytes, size_t length) {
    if (position + (off_t)length > FILE_SIZE) position = 0;
    if (pwrite(file, bytes, length, position) != (ssize_t)length || fdatasync(file)) fail("file");
    position += (off_t)length;
}

static void send_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return;
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void join(int fd, int number) {
    struct room *room = &rooms[number];
    connections[fd].room = number;
    if (room->count == room->capacity) {
        room->capacity = room->capacity ? room->capacity * 2 : 8;
        room->listeners = realloc(room->listeners, sizeof *room->listeners * (size_t)room->capacity);
        if (!room->listeners) fail("memory");
    }
    room->listeners[room->count++] = fd;
}

static void leave(int fd) {
    struct room *room = &rooms[connections[fd].room];
    for (int i = 0; i < room->count; i++)
        if (room->listeners[i] == fd) room->listeners[i--] = room->listeners[--room->count];
    close(fd);
}

// Returns how many bytes the role takes; 0 if there is no such role.
static size_t assign_role(int fd, const char *bytes, size_t length) {
    struct connection *connection = &connections[fd];
    const char *end = memchr(bytes, '\n', length);
    int number = 0;
    switch (bytes[0]) {
    case 's':
        connection->role = LISTENER;
        join(fd, 0);
        return 1;
    case 'p':
        connection->role = PUBLISHER;
        connection->room = 0;
        return 1;
    case 'r':
        for (const char *digit = bytes + 1; end && digit < end && number < ROOMS; digit++)
            number = number * 10 + (*digit - '0');
        if (!end || number < 0 || number >= ROOMS) return 0;
        connection->role = MEMBER;
        join(fd, number);
        return (size_t)(end - bytes) + 1;
    default:
        return 0;
    }
}

int main(int argc, char **argv) {
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    int file = argc > 2 ? create_file(argv[2]) : -1;
    struct rlimit files;
    if (!getrlimit(RLIMIT_NOFILE, &files)) files.rlim_cur = files.rlim_max, setrlimit(RLIMIT_NOFILE, &files);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? (uint16_t)atoi(argv[1]) : 0)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) fail("floor");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    static struct message messages[EVENTS];
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1), count = 0;
        size_t used = 0;
        // What no longer fits is received in the next turn.
        for (int i = 0; i < ready && used < sizeof buffer; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                int peer = accept(listener, NULL, NULL);
                if (peer < 0) continue;
                if (peer >= CONNECTIONS) {
                    close(peer);
                    continue;
                }
                setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                connections[peer] = (struct connection){.role = NEW};
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = peer};
                epoll_ctl(poll, EPOLL_CTL_ADD, peer, &event);
                continue;
            }
            char *bytes = buffer + used;
            ssize_t received = recv(fd, bytes, sizeof buffer - used, 0);
            if (received <= 0) {
                leave(fd);
                continue;
            }
            size_t start = 0;
            if (connections[fd].role == NEW && !(start = assign_role(fd, bytes, (size_t)received))) {
                leave(fd);
                continue;
            }
            if (connections[fd].role == LISTENER || (size_t)received == start) continue;
            size_t length = (size_t)received - start;
            memmove(bytes, bytes + start, start ? length : 0);
            messages[count++] = (struct message){connections[fd].room, bytes, length};
            used += length;
        }
        if (used > 0 && file >= 0) store(file, buffer, used);
        for (int i = 0; i < count; i++) {
            const struct room *room = &rooms[messages[i].room];
            for (int s = 0; s < room->count; s++) send_all(room->listeners[s], messages[i].bytes, messages[i].length);
        }
    }
}
