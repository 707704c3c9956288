import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

@Suite(.everyStore) struct MetricsTests {
    /// A server with metrics on a free port.
    private func start() throws -> (server: TestServer, port: Int) {
        let server = try TestServer { $0.metrics = HTTPServerOptions() }
        return (server, try #require(server.metricsPort))
    }

    private func metrics(_ port: Int) throws -> [String] {
        let client = try RawClient(port: port)
        client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        return response.text.split(separator: "\n").map(String.init)
    }

    /// The metrics, once they have a line: a request is counted after its answer.
    private func metrics(_ port: Int, with line: String) throws -> [String] {
        let end = ContinuousClock.now + .seconds(10)
        var lines = try metrics(port)
        while !lines.contains(line), ContinuousClock.now < end { lines = try metrics(port) }
        return lines
    }

    @Test func `requests, change sets and commits are counted`() throws {
        let (server, port) = try start()
        var author = TestAuthor(1)
        let set = author.insertPerson().0
        _ = try server.push([set])
        _ = try server.push([set])
        _ = try server.get("/v1/zones/none", role: .read)
        #expect(server.log.waitFor("/v1/zones/none") != nil)
        let pushes = "anabranch_http_requests_total{page=\"push\",status=\"200\"} 2"
        let lines = try metrics(port, with: pushes)
        #expect(lines.contains("anabranch_change_sets_total{outcome=\"accepted\"} 1"))
        #expect(lines.contains("anabranch_change_sets_total{outcome=\"held\"} 1"))
        #expect(lines.contains(pushes))
        #expect(lines.contains("anabranch_errors_total{code=\"forbidden\"} 1"))
        #expect(lines.contains("anabranch_commit_pushes_count 2"))
        #expect(lines.contains("anabranch_commit_pushes_bucket{le=\"1\"} 2"))
        #expect(lines.contains("anabranch_zone_position{zone=\"test\"} 1"))
        #expect(
            lines.contains { $0.hasPrefix("anabranch_http_request_seconds_sum{page=\"push\"}") })
        #expect(lines.contains("anabranch_request_memory_bytes 0"))
        #expect(lines.contains("anabranch_requests_waiting 0"))
        #expect(lines.contains { $0.hasPrefix("anabranch_connections ") })
        let free = lines.first { $0.hasPrefix("anabranch_temporary_free_bytes ") }
        #expect(free.flatMap { Double($0.split(separator: " ")[1]) } ?? 0 > 0)
        let hasDatabase = lines.contains { $0.hasPrefix("anabranch_database_connections{") }
        #expect(hasDatabase == (StorageKind.current == .postgreSQL))
    }

    @Test func `the documentation names the metrics, and no others`() throws {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let text = try String(
            contentsOf: folder.appending(path: "Documentation/Operations.md"), encoding: .utf8)
        let documented = Set(
            text.matches(of: /`((?:anabranch|process)_[a-z_]+)`/).map { String($0.output.1) })
        let (server, port) = try start()
        defer { withExtendedLifetime(server) {} }
        let shown = try metrics(port).filter { $0.hasPrefix("# TYPE ") }
            .compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
        #expect(documented.isSuperset(of: shown))
        // The page has no metric of which nothing was recorded yet.
        let sources = try ["SyncServer", "Metrics/ServerMetrics", "Routes/ServerMetrics+Gauges"]
            .map {
                try String(
                    contentsOf: folder.appending(path: "Server/AnabranchServer/\($0).swift"),
                    encoding: .utf8)
            }
            .joined()
        #expect(documented.filter { !sources.contains("\"\($0)\"") }.isEmpty)
    }

    @Test func `a value that loses against a concurrent write is counted`() throws {
        let (server, port) = try start()
        var first = TestAuthor(1)
        let (insert, record) = first.insertPerson()
        var second = TestAuthor(2)
        second.observe(insert)
        let late = second.save([.rename(record, to: "early")])
        first.wallMilliseconds += 1000
        let winning = first.save([.rename(record, to: "later")])
        _ = try server.push([insert, winning, late])
        #expect(try metrics(port).contains("anabranch_conflicts_total 1"))
    }

    @Test func `the distance of each replica from the end of the log is shown`() throws {
        let (server, port) = try start()
        var author = TestAuthor(1)
        var other = TestAuthor(7)
        _ = try server.push([other.insertPerson().0])
        _ = try server.push((0..<2).map { _ in author.insertPerson().0 })
        let zone = try server.hello()
        let reader = other.replica
        let start = LogCursor(startOf: zone.epoch)
        _ = try server.post(
            "/v1/zones/test/hello",
            HelloRequest(replica: reader, last: nil, cursor: start, wallMilliseconds: 0).encoded())
        _ = try server.push([author.insertPerson().0])
        let line = "anabranch_replica_lag_entries{zone=\"test\",replica=\"\(reader)\"} 4"
        #expect(try metrics(port).contains(line))
    }

    /// The rules of `promtool check metrics`, as far as they concern the format.
    @Test func `the format is the one that Prometheus reads`() throws {
        let (server, port) = try start()
        var author = TestAuthor(1)
        _ = try server.push([author.insertPerson().0])
        let name = /[a-z_]+/
        let sample = /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+/
        var types: [String: String] = [:]
        for line in try metrics(port) {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# ") {
                #expect(["HELP", "TYPE"].contains(words[1]))
                #expect(words[2].wholeMatch(of: name) != nil)
                if words[1] == "TYPE" {
                    #expect(types.updateValue(words[3], forKey: words[2]) == nil)
                }
                continue
            }
            #expect(line.wholeMatch(of: sample) != nil, "\(line)")
            let family = String(line.prefix { $0 != "{" && $0 != " " })
            let suffixes = ["_bucket", "_sum", "_count"].filter { family.hasSuffix($0) }
            let base = suffixes.first.map { String(family.dropLast($0.count)) }
            let type = types[family] ?? base.flatMap { types[$0] }
            #expect(type != nil, "\(line)")
            if type == "counter" { #expect(family.hasSuffix("_total")) }
        }
        #expect(types["anabranch_commit_seconds"] == "histogram")
        for name in ["anabranch_zone_lock_seconds", "anabranch_zone_lock_wait_seconds"] {
            #expect(types[name] == "histogram")
        }
    }

    @Test func `the address of the metrics has nothing else`() throws {
        let (server, port) = try start()
        let client = try RawClient(port: port)
        client.send("GET /v1/zones/test HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(try client.receiveResponse().status == 404)
        server.stop()
    }

    @Test func `a server that can serve says so`() throws {
        let server = try TestServer()
        #expect(try server.get("/v1/ready", role: nil).status == 200)
        #expect(try server.get("/v1/health", role: nil).status == 200)
        #expect(try server.post("/v1/ready", [], role: nil).status == 405)
    }

    @Test func `an answer and its log line have the ID of the request`() throws {
        let server = try TestServer()
        let own = try server.get("/v1/zones/test", extra: ["X-Request-ID: proxy-17"])
        #expect(own.headers["x-request-id"] == "proxy-17")
        #expect(server.log.waitFor("\"request\":\"proxy-17\"") != nil)
        let unfit = try server.get("/v1/zones/test", extra: ["X-Request-ID: a\"b"])
        let id = try #require(unfit.headers["x-request-id"])
        #expect(id != "a\"b")
        #expect(server.log.waitFor("\"request\":\"\(id)\"") != nil)
    }
}
