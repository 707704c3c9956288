import AnabranchProtocol
import Testing

@Suite struct ZoneNameTests {
    @Test(arguments: ["a", "0", "family-photos_2", String(repeating: "z", count: 64)])
    func `names that are safe everywhere are taken as they are`(name: String) throws {
        #expect(try ZoneName(name).string == name)
        #expect(try ZoneName(name).description == name)
    }

    @Test(arguments: [
        "", "-a", "_a", "A", "Family", "a.b", "..", "a/b", "a b", "é", "e\u{301}", "a\0", "a\n",
        "%41", String(repeating: "z", count: 65), String(repeating: "é", count: 10_000),
    ])
    func `other names are refused with what a name may be`(name: String) {
        let error = #expect(throws: ProtocolError.self) { try ZoneName(name) }
        #expect(error?.code == .malformedRequest)
        #expect(error?.details == ["field": "zone"])
        #expect(error?.message.utf8.count ?? .max < 400)
    }
}
