import AnabranchModel
import AnabranchReplication
import Testing

/// Tests of predicates on all values that an attribute holds, checked against a model.
struct HeldValueResolutionTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Note") {
                AttributeDeclaration("plain", .string)
                AttributeDeclaration(
                    "text", .string, searchable: TextSearch(), mergeRule: .keepBoth)
                RelationshipDeclaration("box", to: "Box", inverse: "notes")
            }
            EntityDeclaration("Box") {
                RelationshipDeclaration("notes", toMany: "Note", inverse: "box")
            }
        }
    }

    private static let refused: [(String, FetchPredicateError.Code)] = [
        ("ANY plain == 'x'", .quantifierNotAllowed),
        ("ANY text.length > 1", .quantifierNotAllowed),
        ("plain.@count > 1", .notACollection),
        ("ANY text MATCHES[s] 'word'", .notSearchable),
        ("ANY text == 5", .typeMismatch),
        ("text[0] == 'x'", .notACollection),
        ("SUBQUERY(text, $t, $t == 'x').@count > 0", .notACollection),
        ("box.notes.text.@count > 1", .notEvaluable),
        ("max(text) == 'x'", .notACollection),
    ]

    @Test(arguments: refused.indices)
    func `what has no meaning is refused with a code`(_ index: Int) throws {
        let (format, code) = Self.refused[index]
        let note = try #require(try Self.model().entity(named: "Note"))
        let error = #expect(throws: FetchPredicateError.self, "\(format)") {
            try FetchPredicate(format).resolved(for: note)
        }
        #expect(error?.code == code, "\(format): \(String(describing: error))")
    }

    @Test(arguments: [
        "ANY text == 'x'", "ALL text LIKE 'x*'", "NONE text IN {'x', nil}", "ANY text == plain",
        "ANY box.notes.text == 'x'", "text.@count > 1", "text[SIZE] > 1", "ANY 'x' == text",
    ])
    func `a quantifier and a count ask for all values`(_ format: String) throws {
        let note = try #require(try Self.model().entity(named: "Note"))
        #expect(throws: Never.self) { try FetchPredicate(format).resolved(for: note) }
    }

    @Test func `a validation of an attribute knows one value only`() throws {
        for expression in ["ANY SELF == 'x'", "SELF.@count > 1"] {
            #expect(throws: ModelError.self) {
                try ManagedObjectModel {
                    EntityDeclaration("Note") {
                        AttributeDeclaration(
                            "text", .string, validations: [ValidationRule(expression)],
                            mergeRule: .keepBoth)
                    }
                }
            }
        }
    }
}
