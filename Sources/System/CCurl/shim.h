// libcurl's setters take any number of arguments, which Swift cannot call: one function per type of value.
#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

#include <curl/curl.h>

static inline CURLcode belfry_curl_set_long(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode belfry_curl_set_text(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode belfry_curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline size_t belfry_curl_ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

/// Answers are not read further than their status, and only the web's protocols are spoken.
static inline CURLcode belfry_curl_restrict(CURL *curl) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, belfry_curl_ignore);
    if (code != CURLE_OK) return code;
    // The newer option is missing from libcurl before 7.85.
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

/// The callback takes the answer's bytes; it ends the transfer by taking fewer than it was given.
static inline CURLcode belfry_curl_set_writer(CURL *curl, curl_write_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, callback);
    return code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_WRITEDATA, context) : code;
}

/// The callback opens each socket, or refuses to by the address that the name stands for now.
static inline CURLcode belfry_curl_set_socket_opener(CURL *curl, curl_opensocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, context) : code;
}

static inline long belfry_curl_status(CURL *curl) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/// A transfer whose time is over does not wait for the thread that still resolves its name. libcurl before 7.87 waits.
static inline CURLcode belfry_curl_set_quick_exit(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)curl;
    return CURLE_OK;
#endif
}

/// The handle, its result and 1 if some transfer of `multi` is over; 0 if none is.
static inline int belfry_curl_next_done(CURLM *multi, CURL **curl, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *curl = message->easy_handle;
        *result = message->data.result;
        return 1;
    }
    return 0;
}

static inline CURLMcode belfry_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

#endif
