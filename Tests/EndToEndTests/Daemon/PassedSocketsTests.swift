import TestSupport
import Testing

@testable import AnabranchDaemon

/// Tests of the variables by which a service manager passes sockets.
@Suite(.waiting) struct PassedSocketsTests {
    private func socket(_ environment: [String: String]) throws(PassedSocketsError) -> Int32? {
        try PassedSockets(environment: environment, processID: 70).onlySocket()
    }

    @Test(arguments: [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "70"], ["LISTEN_PID": "71", "LISTEN_FDS": "1"],
        ["LISTEN_PID": "71", "LISTEN_FDS": "2"],
    ])
    func `no socket is taken unless one was passed to this process`(
        environment: [String: String]
    ) throws {
        #expect(try socket(environment) == nil)
    }

    @Test func `the only socket has the descriptor 3`() throws {
        #expect(try socket(["LISTEN_PID": "70", "LISTEN_FDS": "1"]) == 3)
    }

    @Test(arguments: [0, 2, 17])
    func `another number of sockets is an error`(count: Int) {
        #expect(throws: PassedSocketsError.wrongCount(count)) {
            try socket(["LISTEN_PID": "70", "LISTEN_FDS": "\(count)"])
        }
    }

    @Test(arguments: [
        ("LISTEN_PID", "", "1"), ("LISTEN_PID", "x", "1"), ("LISTEN_PID", "0", "1"),
        ("LISTEN_PID", "99999999999999999999", "1"), ("LISTEN_FDS", "70", ""),
        ("LISTEN_FDS", "70", "-1"), ("LISTEN_FDS", "70", "1 "),
        ("LISTEN_FDS", "70", "99999999999999999999"),
    ])
    func `a variable that is no number is an error that names it`(
        variable: String, process: String, count: String
    ) {
        let value = variable == "LISTEN_PID" ? process : count
        #expect(throws: PassedSocketsError.malformed(variable, value)) {
            try socket(["LISTEN_PID": process, "LISTEN_FDS": count])
        }
    }
}
