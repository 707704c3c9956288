import AnabranchModel
import AnabranchReplication
import Testing

/// Tests of attribute groups, and of the model's checks for them.
struct AttributeGroupTests {
    private func expect(
        _ code: ModelError.Code, at entity: String, _ property: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        @ModelBuilder _ content: () -> [EntityDeclaration]
    ) throws {
        let error = try #require(
            throws: ModelError.self, sourceLocation: sourceLocation
        ) { try ManagedObjectModel(content) }
        let found = error.all.contains {
            $0.code == code && $0.entity == entity && $0.property == property
        }
        #expect(found, "found \(error)", sourceLocation: sourceLocation)
    }

    static func calendar() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Event") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("start", .date)
                AttributeDeclaration("end", .date, wireName: "a")
                AttributeGroup("time", "start", "end")
            }
            EntityDeclaration("Meeting", parent: "Event") {
                AttributeDeclaration("room", .string)
                AttributeDeclaration("floor", .integer16, optional: false, default: 0)
                AttributeGroup("place", "room", "floor")
            }
        }
    }

    @Test func `members are ordinary attributes that merge as their group does`() throws {
        let model = try Self.calendar()
        let event = try model.required("Event")
        let meeting = try model.required("Meeting")
        #expect(event.attributeGroups.map(\.name) == ["time"])
        #expect(meeting.attributeGroups.map(\.name) == ["time", "place"])
        #expect(meeting.attributeGroups.first === event.attributeGroups.first)
        let time = try #require(event.attributeGroups.first)
        #expect(time.wireProperty == WireProperty(name: "time", type: .group, rule: .group))
        #expect(time.members.map(\.name) == ["a", "start"], "in the order of their wire names")
        #expect(time.members.map(\.type) == [.date, .date])
        #expect(time.members.map(\.attribute.name) == ["end", "start"])
        for name in ["start", "end"] {
            let attribute = try model.attribute("Event", name)
            #expect(attribute.wireProperty == time.wireProperty && attribute.group == time)
        }
        let floor = try model.attribute("Meeting", "floor")
        #expect(floor.group?.name == "place" && floor.defaultValue == .integer(0))
        #expect(try model.attribute("Event", "title").group == nil)
        #expect(meeting.slots.map(\.name) == ["end", "start", "title", "floor", "room"])
    }

    @Test func `a group is found by its wire property, its members by no wire name`() throws {
        let meeting = try Self.calendar().required("Meeting")
        let place = WireProperty(name: "place", type: .group, rule: .group)
        #expect(meeting.attributeGroup(place)?.name == "place")
        #expect(meeting.attributeGroup(WireProperty(name: "place", type: .string)) == nil)
        for name in ["time", "place", "start", "a", "room"] {
            #expect(meeting.property(wireName: WireName(name)) == nil)
        }
        #expect(meeting.property(wireName: "title")?.name == "title")
    }

    @Test func `members that a group's value does not contain read as null`() throws {
        let time = try #require(try Self.calendar().required("Event").attributeGroups.first)
        let value = try #require(
            GroupValue([
                .init(name: "start", type: .date, value: .date(1)),
                .init(name: "a", type: .integer64, value: .integer(1)),
                .init(name: "zone", type: .string, value: .string("CET")),
            ]))
        #expect(time.values(in: .group(value)) == [.null, .date(1)])
        #expect(time.values(in: .null) == [.null, .null])
    }

    @Test func `the order of groups and of their members does not matter`() throws {
        func model(_ groups: [AttributeGroup]) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                EntityDeclaration("A") {
                    for name in ["w", "x", "y", "z"] { AttributeDeclaration(name, .string) }
                    for group in groups { group }
                }
            }
        }
        let one = try model([AttributeGroup("g", "w", "x"), AttributeGroup("h", "y")])
        let other = try model([AttributeGroup("h", "y"), AttributeGroup("g", "x", "w")])
        #expect(one == other && one.hash == other.hash)
        let decoded = try ManagedObjectModel(canonicalEncoding: one.canonicalEncoding)
        #expect(decoded == one)
        #expect(try decoded.attribute("A", "x").group?.name == "g")
        #expect(try model([AttributeGroup("g", "w", "x", "y")]) != one)
    }

    @Test func `a member is an attribute that the same entity stores, under no rule of its own`()
        throws
    {
        try expect(.unknownProperty, at: "A", "y") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string)
                AttributeGroup("g", "x", "y")
            }
        }
        try expect(.invalidProperty, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A")
                AttributeGroup("g", "r")
            }
        }
        try expect(.invalidProperty, at: "B", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .string) }
            EntityDeclaration("B", parent: "A") {
                AttributeDeclaration("y", .string)
                AttributeGroup("g", "x", "y")
            }
        }
        try expect(.invalidProperty, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string, transient: true)
                AttributeGroup("g", "x")
            }
        }
        for rule in [MergeRule.counter, .max, .firstWriter, .keepBoth] {
            try expect(.invalidProperty, at: "A", "x") {
                EntityDeclaration("A") {
                    AttributeDeclaration("x", .integer64, mergeRule: rule)
                    AttributeGroup("g", "x")
                }
            }
        }
    }

    @Test func `an attribute is in one group, once`() throws {
        for groups in [
            [AttributeGroup("g", "x", "x")], [AttributeGroup("g", "x"), AttributeGroup("h", "x")],
        ] {
            try expect(.invalidProperty, at: "A", "x") {
                EntityDeclaration("A") {
                    AttributeDeclaration("x", .string)
                    for group in groups { group }
                }
            }
        }
        try expect(.invalidProperty, at: "A", "g") {
            EntityDeclaration("A") { AttributeGroup("g") }
        }
    }

    @Test func `a group's name is a wire name of its hierarchy`() throws {
        for name in ["x", "y", "r"] {
            try expect(.duplicateWireName, at: "B", name) {
                EntityDeclaration("A") {
                    AttributeDeclaration("x", .string)
                    RelationshipDeclaration("r", to: "A")
                }
                EntityDeclaration("B", parent: "A") {
                    AttributeDeclaration("y", .string)
                    AttributeGroup(name, "y")
                }
            }
        }
        try expect(.duplicateWireName, at: "B", "g") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string)
                AttributeGroup("g", "x")
            }
            EntityDeclaration("B", parent: "A") {
                AttributeDeclaration("y", .string)
                AttributeGroup("g", "y")
            }
        }
        for name in ["", "a\u{0}", String(repeating: "g", count: Limits.longestName + 1)] {
            try expect(.invalidName, at: "A", name) {
                EntityDeclaration("A") {
                    AttributeDeclaration("x", .string)
                    AttributeGroup(name, "x")
                }
            }
        }
    }

    @Test func `a group has no more members than another replica can read`() throws {
        func model(_ count: Int) throws -> ManagedObjectModel {
            let names = (0..<count).map { "x\($0)" }
            return try ManagedObjectModel {
                EntityDeclaration("A") {
                    for name in names { AttributeDeclaration(name, .string) }
                    AttributeGroup("g", attributes: names)
                }
            }
        }
        #expect(try model(Limits.maximumMembers).entities.count == 1)
        let error = try #require(throws: ModelError.self) { try model(Limits.maximumMembers + 1) }
        #expect(error.code == .limitExceeded && error.property == "g")
    }
}
