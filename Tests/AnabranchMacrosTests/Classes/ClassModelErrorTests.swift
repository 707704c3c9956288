import Anabranch
import Foundation
import Testing

/// Classes of which only the whole shows a mistake.
private enum Mistaken {
    class Plain: ManagedObject {
        override class var entityName: String { "Plain" }
    }

    @Entity class Above: ManagedObject { var a: Int64 }
    @Entity final class Below: Above { var plain: Plain? }
    final class Unmarked: Above {}

    /// A type that does not say what an attribute stores.
    struct Vague: AttributeValue {
        static var absent: Vague { Vague() }
        static func reading(_ value: PropertyValue) -> Vague? { nil }
        var attributeValue: PropertyValue { .null }
    }

    nonisolated(unsafe) static var calls: Int64 = 0
    static func next() -> Int64 {
        calls += 1
        return calls
    }

    @Entity final class Values: ManagedObject {
        @Attribute var vague: Vague
        var next: Int64 = Mistaken.next()
        var number: Decimal = .nan
    }

    @Entity final class Left: ManagedObject {
        @Relationship(inverse: "title") var attribute: Right?
        @Relationship(inverse: "absent") var absent: Right?
        @Relationship(inverse: \Above.a) var stranger: Right?
        @Relationship(inverse: \Right.own) var elsewhere: Right?
        @Relationship(inverse: \Right.alone) var alone: Right?
        @Relationship(inverse: \Right.shared) var first: Right?
        @Relationship(inverse: \Right.shared) var second: Right?
    }

    @Entity final class Right: ManagedObject {
        var title: String?
        @Relationship(inverse: nil) var own: Right?
        @Relationship(inverse: nil) var alone: Left?
        var shared: ManagedObjectSet<Left>
    }

    @Entity final class Author: ManagedObject {
        var notes: ManagedObjectSet<Note>
        var friends: ManagedObjectSet<Author>
    }

    @Entity final class Note: ManagedObject { var author: Author? }

    @Entity final class Wrong: ManagedObject {
        @Attribute(minimum: 3, maximum: 2) var bounded: Int64
        @Attribute(regularExpression: "(") var text: String?
    }
}

@Suite struct `The errors of a model of classes` {
    /// The errors of classes, as code, entity, property and message.
    private func errors(_ classes: ManagedObject.Type...) throws -> [ModelError] {
        let error = #expect(throws: ModelError.self) {
            _ = try ManagedObjectModel(classes: classes)
        }
        return try #require(error).all
    }

    @Test func `a class that declares no entity`() throws {
        let plain = try errors(Mistaken.Plain.self)
        #expect(plain.map(\.code) == [.invalidClass] && plain[0].entity == "Plain")
        #expect(plain[0].message.contains("write @Entity before the class"))
        let unmarked = try errors(Mistaken.Above.self, Mistaken.Unmarked.self)
        #expect(unmarked.map(\.code) == [.invalidClass])
        #expect(unmarked[0].message.contains("an entity of Unmarked"))
        #expect(try errors(ManagedObject.self)[0].entity == nil)
    }

    @Test func `a class that is missing among the classes`() throws {
        let found = try errors(Mistaken.Below.self)
        #expect(found.map(\.code) == [.invalidClass, .unknownEntity])
        #expect(found.map(\.entity) == ["Below", "Below"])
        #expect(found.map(\.property) == [nil, "plain"])
        #expect(found[0].message.contains("pass Above.self too"))
        #expect(found[1].message.contains("Below.plain because Plain, the class at its other end"))
    }

    @Test func `a type or an initial value that no attribute can have`() throws {
        let found = try errors(Mistaken.Values.self)
        #expect(found.map(\.property) == ["next", "number", "vague"])
        #expect(found.map(\.code) == [.invalidValue, .invalidValue, .invalidProperty])
        #expect(found.allSatisfy { $0.entity == "Values" })
        #expect(found[0].message.contains("differs each time; set the property in awakeFromInsert"))
        #expect(found[1].message.contains("it is not a number"))
        #expect(found[2].message.contains("declare 'static var attributeType"))
    }

    @Test func `an inverse that can't be one`() throws {
        let found = try errors(Mistaken.Left.self, Mistaken.Right.self, Mistaken.Above.self)
        let messages = Dictionary(
            found.map { ($0.property ?? "", $0.message) }, uniquingKeysWith: { first, _ in first })
        #expect(found.allSatisfy { $0.entity == "Left" })
        #expect(messages["attribute"]?.contains("Right has no relationship 'title'") == true)
        #expect(messages["absent"]?.contains("Right has no relationship 'absent'") == true)
        #expect(messages["stranger"]?.contains(#"write 'inverse: \Right.a'"#) == true)
        #expect(messages["elsewhere"]?.contains("Right.own does not point back to Left") == true)
        #expect(messages["alone"]?.contains("says that it has none") == true)
        #expect(messages["second"]?.contains("Right.shared has the inverse Left.first") == true)
        #expect(found.count == 6)
    }

    @Test func `two relationships of which neither says whether it is the other's inverse`() throws
    {
        let found = try errors(Mistaken.Author.self, Mistaken.Note.self)
        #expect(found.allSatisfy { $0.code == .inverseMismatch })
        #expect(found.map(\.property) == ["friends", "notes", "author"])
        #expect(found[0].message.contains(#"(inverse: "friends")"#))
        #expect(found[1].message.contains(#"(inverse: \Note.author)"#))
        #expect(found[2].message.contains(#"(inverse: \Author.notes)"#))
        #expect(found[2].message.contains("'@Relationship(inverse: nil)'"))
    }

    @Test func `what every model checks`() throws {
        let found = try errors(Mistaken.Wrong.self)
        #expect(found.map(\.code) == [.invalidBounds, .invalidRegularExpression])
        #expect(found.map(\.property) == ["bounded", "text"])
    }
}
