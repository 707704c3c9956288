import AnabranchReplication
import TestSupport
import Testing

@Suite struct GroupValueTests {
    @Test(arguments: TestLength.seeds(160))
    func `a group is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = PropertyValue.group(generator.group(replicas: [generator.replica()]))
        var writer = ByteWriter()
        writer.append(tagged: value)
        var reader = ByteReader(writer.bytes)
        #expect(try reader.readTagged() == value)
        #expect(reader.isAtEnd)
    }

    @Test func `members are in the order of their names' bytes, then of their types`() throws {
        let members = [
            member("é", .string, .string("x")), member("z", .bool, .null),
            member("a", .integer64, .integer(1)), member("a", .bool, .bool(true)),
        ]
        let group = try #require(GroupValue(members))
        #expect(group == GroupValue(members.reversed()))
        #expect(group.members.map(\.name) == ["a", "a", "z", "é"])
        #expect(group.members.map(\.type) == [.bool, .integer64, .bool, .string])
        #expect(group["a", .bool] == .bool(true))
        #expect(group["a", .string] == nil)
        #expect(group["z", .bool] == .null)
    }

    @Test func `writing some members keeps the other members`() throws {
        let later = member("later", WireType(rawValue: 77), .unknown(tag: 99, bytes: [1, 2]))
        let old = try #require(GroupValue([member("zip", .string, .string("8000")), later]))
        let new = try #require(old.replacing([member("zip", .string, .string("8001"))]))
        #expect(new["zip", .string] == .string("8001"))
        #expect(new["later", WireType(rawValue: 77)] == .unknown(tag: 99, bytes: [1, 2]))
        #expect(new.members.count == 2)
    }

    @Test func `a member that no reader accepts makes no group value`() {
        let refused = [
            member("a", .bool, .integer(1)), member("a", .integer16, .integer(40_000)),
            member("a", .links, .null), member("a", .group, .null),
            member("a", WireType(rawValue: 77), .group(.empty)),
            member(String(repeating: "a", count: 1_025), .bool, .null),
        ]
        for member in refused { #expect(GroupValue([member]) == nil) }
        #expect(GroupValue([member("a", .integer16, .integer(-32_768))]) != nil)
    }

    private func member(_ name: String, _ type: WireType, _ value: PropertyValue)
        -> GroupValue.Member
    {
        GroupValue.Member(name: WireName(name), type: type, value: value)
    }
}
