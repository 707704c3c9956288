import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// A model with every type of attribute.
enum EveryType {
    static let types: [(name: String, type: AttributeType)] = [
        ("flag", .boolean), ("small", .integer16), ("medium", .integer32), ("large", .integer64),
        ("amount", .decimal), ("ratio", .double), ("rough", .float), ("text", .string),
        ("day", .date), ("bytes", .binary), ("token", .uuid), ("link", .uri),
    ]

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDeclaration("Sample") {
                for (name, type) in types { AttributeDeclaration(name, type) }
            }
        ])
    }

    static let values: [(String, PropertyValue)] = [
        ("flag", .bool(true)), ("flag", .bool(false)),
        ("small", .integer(-32768)), ("small", .integer(32767)),
        ("medium", .integer(-2_147_483_648)), ("large", .integer(.min)), ("large", .integer(.max)),
        ("amount", decimal("12345678901234567890123456789012345678")),
        ("amount", decimal("-0.00000000000000000000000000000000000001")),
        ("amount", decimal("1e+120")), ("amount", decimal("0")), ("amount", decimal("-7.5")),
        ("ratio", .double(-0.0)), ("ratio", .double(.nan)), ("ratio", .double(.infinity)),
        ("ratio", .double(-.infinity)), ("ratio", .double(5)), ("ratio", .double(0.1)),
        ("ratio", .double(.leastNonzeroMagnitude)), ("ratio", .double(.greatestFiniteMagnitude)),
        ("rough", .double(Double(Float(0.1)))), ("rough", .double(.nan)),
        ("text", .string("")), ("text", .string("\u{E9}")), ("text", .string("e\u{301}")),
        ("text", .string("a\0b")), ("text", .string("👩‍👩‍👧 東京")), ("text", .string("NaN")),
        ("text", .string("12")),
        ("day", .date(0)), ("day", .date(-0.0)), ("day", .date(-978_307_200.123)),
        ("day", .date(.nan)), ("day", .date(.infinity)), ("day", .date(1)),
        ("bytes", .data(Data())), ("bytes", .data(Data([0, 1, 255]))),
        ("bytes", .data(Data("text".utf8))),
        ("token", .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))),
        ("link", .uri("")), ("link", .uri("https://example.org/é?q=%20")),
    ]

    static func decimal(_ text: String) -> PropertyValue { .decimal(ExactDecimal(text)!) }
}

@Suite struct `A value` {
    @Test(arguments: EveryType.values.indices)
    func `is read as it was saved, here and on another replica`(index: Int) throws {
        let (name, value) = EveryType.values[index]
        let scenario = try StoreScenario(model: EveryType.model())
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let id = try a.insert("Sample", [name: value])
        #expect(try a.value(name, of: id, "Sample") == value)
        for store in [a, b] { try scenario.zone.sync(store) }
        let there = try b.id(of: id, on: a)
        #expect(try b.value(name, of: there, "Sample") == value)
        #expect(try a.canonicalHash() == b.canonicalHash())
        for (other, _) in EveryType.types where other != name {
            #expect(try a.value(other, of: id, "Sample") == .null)
        }
    }

    @Test(arguments: EveryType.values.indices)
    func `replaces null and is replaced by null`(index: Int) throws {
        let (name, value) = EveryType.values[index]
        let scenario = try StoreScenario(model: EveryType.model())
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let id = try a.insert("Sample", [:])
        _ = try a.update("Sample", id, [name: value])
        #expect(try a.value(name, of: id, "Sample") == value)
        for store in [a, b] { try scenario.zone.sync(store) }
        let there = try b.id(of: id, on: a)
        _ = try b.update("Sample", there, [name: .null])
        for store in [b, a] { try scenario.zone.sync(store) }
        #expect(try a.value(name, of: id, "Sample") == .null)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    @Test func `keeps composed and decomposed text apart`() throws {
        let scenario = try StoreScenario(model: EveryType.model())
        let store = try scenario.open("a")
        let composed = try store.insert("Sample", ["text": .string("\u{E9}")])
        let decomposed = try store.insert("Sample", ["text": .string("e\u{301}")])
        let one = try store.value("text", of: composed, "Sample")
        #expect(try store.value("text", of: decomposed, "Sample") != one)
    }

    /// A value of a later format passes through this version unchanged.
    @Test(arguments: EveryType.types.indices)
    func `a value of a later format is kept as it came`(index: Int) throws {
        let name = EveryType.types[index].name
        let scenario = try StoreScenario(model: EveryType.model())
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let later = PropertyValue.unknown(tag: 200, bytes: [0, 0xFF, 0x41, 7])
        let id = try a.insert("Sample", [name: later])
        for store in [a, b] { try scenario.zone.sync(store) }
        let reference = try scenario.zone.reference()
        #expect(try a.canonicalHash() == reference.canonicalHash)
        #expect(try b.canonicalHash() == reference.canonicalHash)
        #expect(try b.value(name, of: b.id(of: id, on: a), "Sample") == later)
    }
}
