import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

struct AttributeTypeTests {
    @Test func `integers keep to their width`() {
        #expect(AttributeType.integer16.accepts(.integer(32_767)))
        #expect(!AttributeType.integer16.accepts(.integer(32_768)))
        #expect(AttributeType.integer32.accepts(.integer(-2_147_483_648)))
        #expect(!AttributeType.integer32.accepts(.integer(-2_147_483_649)))
        #expect(AttributeType.integer64.accepts(.integer(.min)))
        #expect(!AttributeType.integer64.accepts(.double(1)))
    }

    @Test func `a float takes what a Float holds`() {
        #expect(AttributeType.float.accepts(.double(0.5)))
        #expect(!AttributeType.float.accepts(.double(0.1)))
        #expect(AttributeType.float.accepts(.double(.nan)))
        #expect(AttributeType.float.accepts(.double(-.infinity)))
        #expect(AttributeType.float.coerce(.double(0.1)) == .double(Double(Float(0.1))))
        #expect(AttributeType.float.coerce(.double(1e300)) == .double(1e300))
        #expect(!AttributeType.float.accepts(.double(1e300)))
    }

    @Test(arguments: AttributeType.allCases)
    func `every type accepts no value`(type: AttributeType) {
        #expect(type.accepts(.null))
        #expect(type.coerce(.null) == .null)
    }

    @Test func `coercion loses nothing`() {
        #expect(AttributeType.double.coerce(7) == .double(7))
        #expect(AttributeType.double.coerce(.integer(.max)) == nil)
        #expect(AttributeType.date.coerce(0) == .date(0))
        #expect(AttributeType.decimal.coerce(1.1) == .decimal(ExactDecimal("1.1")!))
        #expect(AttributeType.decimal.coerce(.double(.nan)) == nil)
        #expect(AttributeType.uri.coerce("a:b") == .uri("a:b"))
        #expect(AttributeType.uuid.coerce("no") == nil)
        #expect(AttributeType.integer16.coerce(1.0) == 1)
        #expect(AttributeType.integer16.coerce(1.5) == nil)
        #expect(AttributeType.integer64.coerce(1e19) == nil)
        #expect(AttributeType.integer64.coerce(.double(.nan)) == nil)
        #expect(AttributeType.integer64.coerce(.decimal(ExactDecimal("1e3")!)) == 1000)
        #expect(AttributeType.integer64.coerce(.decimal(ExactDecimal("1.5")!)) == nil)
        #expect(AttributeType.double.coerce(.decimal(ExactDecimal("0.1")!)) == 0.1)
        let long = ExactDecimal("0.10000000000000000001")!
        #expect(AttributeType.double.coerce(.decimal(long)) == nil)
        #expect(AttributeType.float.coerce(.decimal(ExactDecimal("0.1")!)) == nil)
        #expect(AttributeType.boolean.coerce(1) == nil)
        #expect(AttributeType.string.coerce(1) == nil)
        let uuid = UUID()
        #expect(AttributeType.uuid.coerce(.string(uuid.uuidString)) == .uuid(uuid))
    }

    @Test func `a float attribute accepts every double that came from a Float`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let number = Double(Float(bitPattern: .random(in: 0...UInt32.max, using: &generator)))
            #expect(AttributeType.float.accepts(.double(number)), "\(number)")
        }
    }
}

struct ValueViolationTests {
    private func attribute(_ attribute: AttributeDeclaration) throws -> AttributeDescription {
        try ManagedObjectModel { EntityDeclaration("A") { attribute } }.attribute(
            "A", attribute.name)
    }

    @Test func `a mandatory attribute needs a value`() throws {
        #expect(try attribute(AttributeDeclaration("x", .string)).violation(by: .null) == nil)
        let mandatory = try attribute(AttributeDeclaration("x", .string, optional: false))
        #expect(mandatory.violation(by: .null) == .missing)
        #expect(mandatory.violation(by: 5) == .wrongType)
        #expect(mandatory.violation(by: "") == nil)
    }

    @Test func `bounds are inclusive`() throws {
        let bounded = try attribute(AttributeDeclaration("x", .decimal, minimum: 1, maximum: 2.5))
        func decimal(_ text: String) throws -> PropertyValue {
            .decimal(try #require(ExactDecimal(text)))
        }
        #expect(try bounded.violation(by: decimal("0.99")) == .belowMinimum)
        #expect(try bounded.violation(by: decimal("1")) == nil)
        #expect(try bounded.violation(by: decimal("2.5")) == nil)
        #expect(try bounded.violation(by: decimal("2.51")) == .aboveMaximum)
    }

    @Test func `a text is bounded by UTF-16 units and matched as a whole`() throws {
        let text = try attribute(
            AttributeDeclaration("x", .string, minimum: 2, maximum: 4, regularExpression: "a|a+|😀"))
        #expect(text.violation(by: "a") == .tooShort)
        #expect(text.violation(by: "aaaaa") == .tooLong)
        #expect(text.violation(by: "aaa") == nil)
        #expect(text.violation(by: "aab") == .mismatch)
        #expect(text.violation(by: "😀") == nil)
        #expect(text.violation(by: "aa\n") == .mismatch)
    }
}
