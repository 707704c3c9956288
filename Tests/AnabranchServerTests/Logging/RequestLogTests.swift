import Foundation
import Testing

@testable import AnabranchServer

@Suite struct RequestLogTests {
    private func log(_ least: RequestLog.Level, _ lines: LogLines) -> RequestLog {
        RequestLog(
            least: least, wallMilliseconds: { 1_700_000_000_123 },
            sink: { lines.append($0) })
    }

    @Test func `a line is one JSON object with its time`() throws {
        let lines = LogLines()
        log(.info, lines).write(.info, "a \"quoted\"\nline \u{1}\u{2028}é")
        let line = try #require(lines.all.first)
        #expect(line.hasSuffix("}\n"))
        #expect(line.dropLast().contains("\n") == false)
        struct Line: Decodable { var time, level, message: String }
        let decoded = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        #expect(decoded.time == "2023-11-14T22:13:20.123Z")
        #expect(decoded.message == "a \"quoted\"\nline \u{1}\u{2028}é")
    }

    @Test func `a line below the log's level is not written`() {
        let lines = LogLines()
        let log = log(.warning, lines)
        log.write(.info, "no")
        log.write(.warning, "yes")
        for status in [200, 404, 500] {
            log.write(
                HTTPRecord(
                    id: "1f", method: "GET", path: "/", address: "", status: status,
                    duration: .milliseconds(1),
                    bytesReceived: 0, bytesSent: 0, isCutOff: false, log: HTTPLogFields()))
        }
        #expect(lines.all.count == 3)
        #expect(lines.all[1].contains("\"level\":\"warning\""))
        #expect(lines.all[2].contains("\"level\":\"error\""))
    }

    @Test func `a line that can't be written is counted, and the next one is written`() {
        let lines = LogLines()
        let log = RequestLog(
            wallMilliseconds: { 0 },
            sink: { line in
                guard !line.contains("lost") else { throw HTTPServerError("the disk is full") }
                lines.append(line)
            })
        let copy = log
        copy.write(.info, "lost")
        log.write(.info, "kept")
        #expect(log.lostLines == 1)
        #expect(lines.all.count == 1)
    }

    @Test func `a line has the beginning of a long path, whatever its characters are`() throws {
        let lines = LogLines()
        // All of it is one character.
        let marks = "/e" + String(repeating: "\u{301}", count: 8000)
        for path in [marks, "/" + String(repeating: "a", count: 2000), "/short"] {
            log(.info, lines).write(
                HTTPRecord(
                    id: "1f", method: "GET", path: path, address: "", status: 200,
                    duration: .milliseconds(1), bytesReceived: 0, bytesSent: 0, isCutOff: false,
                    log: HTTPLogFields()))
        }
        struct Line: Decodable { var path: String }
        let paths = try lines.all.map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8)).path
        }
        #expect(paths[0].utf8.count == 1024 + 3 && paths[0].unicodeScalars.last == "…")
        #expect(paths[1] == "/" + String(repeating: "a", count: 1023) + "…")
        #expect(paths[2] == "/short")
    }
}
