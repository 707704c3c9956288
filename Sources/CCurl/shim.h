#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift does not call: one function
// for each type of argument.

static inline CURLcode anabranch_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode anabranch_curl_set_offset(
    CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode anabranch_curl_set_string(
    CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode anabranch_curl_set_pointer(
    CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode anabranch_curl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*anabranch_curl_receiver)(char *, size_t, size_t, void *);
static inline CURLcode anabranch_curl_set_receiver(
    CURL *handle, CURLoption option, anabranch_curl_receiver value) {
    return curl_easy_setopt(handle, option, value);
}
typedef int (*anabranch_curl_progress)(
    void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
static inline CURLcode anabranch_curl_set_progress(
    CURL *handle, CURLoption option, anabranch_curl_progress value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode anabranch_curl_get_long(CURL *handle, CURLINFO key, long *value) {
    return curl_easy_getinfo(handle, key, value);
}
static inline CURLcode anabranch_curl_get_offset(CURL *handle, CURLINFO key, curl_off_t *value) {
    return curl_easy_getinfo(handle, key, value);
}
// Only http and https: no other protocol that the library was built with.
static inline CURLcode anabranch_curl_allow_http_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}
// The result of the transfer that a finished message is about; CURL_LAST for any other message.
static inline CURLcode anabranch_curl_result(const CURLMsg *message) {
    return message->msg == CURLMSG_DONE ? message->data.result : CURL_LAST;
}
// The fields of the first certificate that the server showed, which is its own; NULL if there is
// none. CURLOPT_CERTINFO must be set.
static inline struct curl_slist *anabranch_curl_first_certificate(CURL *handle) {
    struct curl_certinfo *found = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &found) != CURLE_OK || !found) return NULL;
    return found->num_of_certs > 0 ? found->certinfo[0] : NULL;
}
