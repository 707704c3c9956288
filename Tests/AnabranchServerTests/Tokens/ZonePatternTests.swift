import AnabranchProtocol
import Testing

@testable import AnabranchServer

@Suite struct ZonePatternTests {
    @Test func `a name includes that zone only`() throws {
        let pattern = try ZonePattern("team")
        #expect(pattern.includes(try ZoneName("team")))
        #expect(!pattern.includes(try ZoneName("team-a")))
        #expect(pattern.zone == (try ZoneName("team")))
        #expect(pattern == ZonePattern(try ZoneName("team")))
    }

    @Test func `a beginning and a star include every zone that begins so`() throws {
        let pattern = try ZonePattern("team-*")
        #expect(pattern.includes(try ZoneName("team-a")))
        #expect(!pattern.includes(try ZoneName("team")))
        #expect(!pattern.includes(try ZoneName("a-team-a")))
        #expect(pattern.zone == nil)
        #expect(try ZonePattern("*").includes(try ZoneName("x")))
    }

    @Test(arguments: ["team", "team-*", "*"])
    func `a pattern is read as it is written`(text: String) throws {
        #expect(try ZonePattern(text).description == text)
    }

    @Test(arguments: ["", "**", "a*b", "-*", "Team*", String(repeating: "a", count: 65)])
    func `a pattern that matches no zone is refused`(text: String) {
        #expect {
            _ = try ZonePattern(text)
        } throws: {
            ($0 as? ProtocolError)?.code == .malformedRequest
        }
    }
}
