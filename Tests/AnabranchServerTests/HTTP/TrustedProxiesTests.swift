import Testing

@testable import AnabranchServer

@Suite struct TrustedProxiesTests {
    private func client(_ peer: String, _ forwarded: String...) -> String {
        TrustedProxies(["127.0.0.1", "10.0.0.2"]).clientAddress(
            peer, HTTPHeaders(forwarded.map { ("x-forwarded-for", $0) }))
    }

    @Test func `a trusted proxy tells the address of the client`() {
        #expect(client("127.0.0.1", "192.0.2.7") == "192.0.2.7")
        #expect(client("127.0.0.1", "2001:db8::7") == "2001:db8::7")
    }

    @Test func `what the client wrote before the proxy's entry is not believed`() {
        #expect(client("127.0.0.1", "198.51.100.1, 192.0.2.7") == "192.0.2.7")
        #expect(client("127.0.0.1", "198.51.100.1", "192.0.2.7") == "192.0.2.7")
        #expect(client("127.0.0.1", "198.51.100.1, 192.0.2.7, 10.0.0.2") == "192.0.2.7")
    }

    @Test func `a client without a proxy has the address of its connection`() {
        #expect(client("192.0.2.9", "198.51.100.1") == "192.0.2.9")
        #expect(client("127.0.0.1") == "127.0.0.1")
    }

    @Test(arguments: ["", "unknown", "192.0.2.7, ", "\"][", String(repeating: "1", count: 46)])
    func `an entry that is no address is not believed`(entry: String) {
        #expect(client("127.0.0.1", entry) == "127.0.0.1")
    }
}
