#pragma once
#include <microhttpd.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif

// MHD_start_daemon is variadic, and Swift cannot call variadic C functions.
static inline struct MHD_Daemon *cmicrohttpd_start(
    unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *context,
    struct MHD_OptionItem *options) {
    return MHD_start_daemon(
        flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int cmicrohttpd_bound_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : -1;
}

static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int)info->connect_fd : -1;
}

// The `gnutls_session_t` of a connection; NULL without TLS.
static inline void *cmicrohttpd_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

static inline const struct sockaddr *cmicrohttpd_client_address(
    struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline intptr_t cmicrohttpd_uri_logger(
    void *(*callback)(void *, const char *, struct MHD_Connection *)) {
    return (intptr_t)callback;
}

static inline intptr_t cmicrohttpd_on_completion(MHD_RequestCompletedCallback callback) {
    return (intptr_t)callback;
}

static inline intptr_t cmicrohttpd_on_connection(MHD_NotifyConnectionCallback callback) {
    return (intptr_t)callback;
}

// The result of an event stream's reader at the end of the stream.
static inline ssize_t cmicrohttpd_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
