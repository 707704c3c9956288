import AnabranchProtocol

/// Serves the metrics of a server at `/metrics`, on an address of its own.
package final class MetricsPage: HTTPHandler {
    private let metrics: ServerMetrics

    package init(_ metrics: ServerMetrics) { self.metrics = metrics }

    package func exchange(for head: HTTPRequestHead) -> HTTPExchange {
        guard head.path == "/metrics" else {
            return .answer(
                HTTPResponse(
                    ProtocolError(.notFound, "There is nothing here but /metrics."),
                    log: HTTPLogFields()))
        }
        guard head.method == "GET" || head.method == "HEAD" else {
            return .answer(
                HTTPResponse(
                    ProtocolError(.methodNotAllowed, "/metrics takes GET, HEAD only."),
                    log: HTTPLogFields()))
        }
        return .read(limit: 0) { [metrics] _ in
            HTTPResponse(
                status: 200,
                headers: HTTPHeaders([
                    ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),
                    HTTPHeaders.unchanged,
                ]), body: .bytes(Array(metrics.registry.text().utf8)))
        }
    }

    package func answer(to fault: HTTPFault) -> HTTPResponse {
        HTTPResponse(ProtocolError(fault), log: HTTPLogFields())
    }

    package func finished(_ record: HTTPRecord) {}
}
