import AnabranchModel
import AnabranchReplication
import Testing

@testable import AnabranchMacroExpansion
@testable import AnabranchModelTool

/// Tests that the macro and the model tool generate the same form of a class.
@Suite struct `The form of generated classes` {
    @Test func `the @Entity macro and the model tool write the same code`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                AttributeDeclaration("in", .boolean)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
        }
        let generated = ClassWriter(model: model, fileName: "People").source()
        let properties = [
            "public var reports: ManagedObjectSet<Person>", "public var name: String?",
            "public var boss: Person?", "public var age: Int64", "public var `in`: Bool?",
        ]
        let source = "open class Person: ManagedObject {\n\(properties.joined(separator: "\n"))\n}"
        let members = EntityMacro.members(of: source, attribute: "@Entity").source
        // The classes of a model file have that file instead of a declaration.
        let declaration = try #require(
            members.firstRange(of: "nonisolated open override class var entityDeclaration"))
        for line in members[..<declaration.lowerBound].split(separator: "\n") {
            let text = line.trimmingPrefix { $0 == " " }.trimmingPrefix("nonisolated ")
            #expect(generated.contains(text))
        }
        for member in properties {
            let attribute = EntityMacro.attribute(ofMember: member, in: source).source
            let accessors = EntitySlotMacro.accessors(attribute: attribute).source
            #expect(Self.joined(generated).contains(Self.joined("\(member) \(accessors)")))
        }
    }

    /// Returns the source without white space, and a lone getter without `get`.
    private static func joined(_ source: String) -> String {
        let text = source.filter { !$0.isWhitespace }
        return text.replacing("{get{self[toMany:4]}}", with: "{self[toMany:4]}")
    }
}
