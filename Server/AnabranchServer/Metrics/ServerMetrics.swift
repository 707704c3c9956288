/// The metrics that the parts of a server record while they work.
///
/// Gauges are added by those parts of the server that can read them.
package final class ServerMetrics: Sendable {
    package let registry = MetricRegistry()

    package let requests = MetricCounter(
        "anabranch_http_requests_total", "Requests by page and status.",
        labels: ["page", "status"])
    package let requestSeconds = MetricHistogram(
        "anabranch_http_request_seconds",
        "Time from the request line to the end of the answer, without event streams.",
        labels: ["page"])
    package let receivedBytes = MetricCounter(
        "anabranch_http_received_bytes_total", "Bytes of request bodies.")
    package let sentBytes = MetricCounter(
        "anabranch_http_sent_bytes_total", "Bytes of response bodies.")
    package let errors = MetricCounter(
        "anabranch_errors_total", "Refused or failed requests by error code.",
        labels: ["code"])
    package let commits = MetricHistogram(
        "anabranch_commit_pushes", "Pushes that shared a transaction.",
        bounds: [1, 2, 4, 8, 16, 32, 64])
    package let commitSeconds = MetricHistogram(
        "anabranch_commit_seconds", "Time of a transaction of pushes, with its flush.")
    package let lockWaitSeconds = MetricHistogram(
        "anabranch_zone_lock_wait_seconds", "Time of a wait for the lock of a zone.")
    package let lockSeconds = MetricHistogram(
        "anabranch_zone_lock_seconds",
        "Time for which the lock of a zone was held, with the commit.")
    package let changeSets = MetricCounter(
        "anabranch_change_sets_total",
        "Pushed change sets: accepted, held already, or rejected for good.",
        labels: ["outcome"])
    package let conflicts = MetricCounter(
        "anabranch_conflicts_total",
        "Values in accepted saves that lost against a concurrent write.")
    package let limitedRequests = MetricCounter(
        "anabranch_limited_requests_total",
        "Requests that were refused because a token or an address sent too many.",
        labels: ["limit"])
    package let quotaRefusals = MetricCounter(
        "anabranch_quota_refusals_total",
        "Saves and parts that were refused because a quota of a zone was used up.",
        labels: ["quota"])
    package let validations = MetricCounter(
        "anabranch_validations_total",
        "Saves and parts shown to the validation hook: accepted, rejected, or failed.",
        labels: ["outcome"])
    package let validationSeconds = MetricHistogram(
        "anabranch_validation_seconds",
        "Time of a call of the validation hook, with the wait for its turn.")
    package let auditFailures = MetricCounter(
        "anabranch_audit_failures_total", "Lines that the audit log could not take.")

    package init() {
        let families: [any MetricFamily] = [
            requests, requestSeconds, receivedBytes, sentBytes, errors, commits, commitSeconds,
            lockWaitSeconds, lockSeconds, changeSets, conflicts, limitedRequests, quotaRefusals,
            validations, validationSeconds, auditFailures,
        ]
        for family in families { registry.add(family) }
    }
}
