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

    @Test(arguments: [
        ("192.0.2.7:4711", "192.0.2.7"), ("[2001:db8::7]:4711", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"), ("2001:DB8:0::7", "2001:db8::7"),
        ("::ffff:192.0.2.7", "192.0.2.7"), ("[::ffff:192.0.2.7]:1", "192.0.2.7"),
        ("192.0.2.7, [::ffff:10.0.0.2]:443", "192.0.2.7"), ("192.0.2.7, 10.0.0.2:1", "192.0.2.7"),
    ])
    func `each form of an address is the address without its port`(entry: String, address: String) {
        #expect(client("127.0.0.1", entry) == address)
    }

    @Test(arguments: [
        "1234", "face", "1.2.3", "1.2.3.4.5", "300.1.2.3", "192.0.2.7:", "192.0.2.7:70000",
        "192.0.2.7:1:2", "[192.0.2.7]:1", "[2001:db8::7", "2001:db8::7]:1", "[::1]x", "::1:::2",
        "127.0.0.1:\u{661}", "fe80::1%eth0", "198.51.100.1, nonsense",
    ])
    func `a text that only looks like an address is not believed`(entry: String) {
        #expect(client("127.0.0.1", entry) == "127.0.0.1")
    }

    @Test func `a proxy is known by each form of its address`() {
        let proxies = TrustedProxies(["2001:DB8:0:0::1", "::ffff:10.0.0.2"])
        #expect(proxies.includes("2001:db8::1") && proxies.includes("10.0.0.2"))
        #expect(!TrustedProxies.isAddress("1234") && TrustedProxies.isAddress("::1"))
    }

    @Test(arguments: ["", "unknown", "192.0.2.7, ", "\"][", String(repeating: "1", count: 46)])
    func `an entry that is no address is not believed`(entry: String) {
        #expect(client("127.0.0.1", entry) == "127.0.0.1")
    }
}
