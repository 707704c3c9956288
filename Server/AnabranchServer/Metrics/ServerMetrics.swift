/// The metrics that the parts of a server record while they work.
///
/// Gauges are added by those parts of the server that can read them.
package final class ServerMetrics: Sendable {
    package let registry = MetricRegistry()

    package let requests: MetricCounter
    package let requestSeconds: MetricHistogram
    package let receivedBytes: MetricCounter
    package let sentBytes: MetricCounter
    package let errors: MetricCounter
    package let commits: MetricHistogram
    package let commitSeconds: MetricHistogram
    package let lockWaitSeconds: MetricHistogram
    package let lockSeconds: MetricHistogram
    package let changeSets: MetricCounter
    package let conflicts: MetricCounter
    package let limitedRequests: MetricCounter
    package let quotaRefusals: MetricCounter
    package let validations: MetricCounter
    package let validationSeconds: MetricHistogram
    package let auditFailures: MetricCounter

    package init() {
        requests = registry.add(
            MetricCounter(
                "anabranch_http_requests_total", "Requests by page and status.",
                labels: ["page", "status"]))
        requestSeconds = registry.add(
            MetricHistogram(
                "anabranch_http_request_seconds",
                "Time from the request line to the end of the answer, without event streams.",
                labels: ["page"], bounds: MetricHistogram.seconds))
        receivedBytes = registry.add(
            MetricCounter("anabranch_http_received_bytes_total", "Bytes of request bodies."))
        sentBytes = registry.add(
            MetricCounter("anabranch_http_sent_bytes_total", "Bytes of response bodies."))
        errors = registry.add(
            MetricCounter(
                "anabranch_errors_total", "Refused or failed requests by error code.",
                labels: ["code"]))
        commits = registry.add(
            MetricHistogram(
                "anabranch_commit_pushes", "Pushes that shared a transaction.",
                bounds: [1, 2, 4, 8, 16, 32, 64]))
        commitSeconds = registry.add(
            MetricHistogram(
                "anabranch_commit_seconds", "Time of a transaction of pushes, with its flush.",
                bounds: MetricHistogram.seconds))
        lockWaitSeconds = registry.add(
            MetricHistogram(
                "anabranch_zone_lock_wait_seconds", "Time of a wait for the lock of a zone.",
                bounds: MetricHistogram.seconds))
        lockSeconds = registry.add(
            MetricHistogram(
                "anabranch_zone_lock_seconds",
                "Time for which the lock of a zone was held, with the commit.",
                bounds: MetricHistogram.seconds))
        changeSets = registry.add(
            MetricCounter(
                "anabranch_change_sets_total",
                "Pushed change sets: accepted, held already, or rejected for good.",
                labels: ["outcome"]))
        conflicts = registry.add(
            MetricCounter(
                "anabranch_conflicts_total",
                "Values in accepted saves that lost against a concurrent write."))
        limitedRequests = registry.add(
            MetricCounter(
                "anabranch_limited_requests_total",
                "Requests that were refused because a token or an address sent too many.",
                labels: ["limit"]))
        quotaRefusals = registry.add(
            MetricCounter(
                "anabranch_quota_refusals_total",
                "Saves and parts that were refused because a quota of a zone was used up.",
                labels: ["quota"]))
        validations = registry.add(
            MetricCounter(
                "anabranch_validations_total",
                "Saves and parts shown to the validation hook: accepted, rejected, or failed.",
                labels: ["outcome"]))
        validationSeconds = registry.add(
            MetricHistogram(
                "anabranch_validation_seconds",
                "Time of a call of the validation hook, with the wait for its turn.",
                bounds: MetricHistogram.seconds))
        auditFailures = registry.add(
            MetricCounter(
                "anabranch_audit_failures_total", "Lines that the audit log could not take."))
    }
}
