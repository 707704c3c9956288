import AnabranchModel
import AnabranchReplication
import Foundation

extension FuzzTarget {
    /// A regular expression of MATCHES and, after a line break, the text that it is compared with.
    /// It is refused, or it answers within its steps, and its negation answers the opposite.
    static let pattern = FuzzTarget(name: "pattern") { bytes in
        let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let note = Note(text: parts.count > 1 ? parts[1] : "")
        guard let predicate = try? FetchPredicate("text MATCHES %@", parts[0]),
            let answer = try? predicate.resolved(for: note.predicateEntity).evaluate(with: note)
        else { return }
        let opposite = try? predicate.negated.resolved(for: note.predicateEntity)
            .evaluate(with: note)
        precondition(opposite == !answer, "a pattern and its negation agree: \(parts[0])")
    }
}

/// An object with one text.
private struct Note: PredicateSubject {
    let text: String

    private static let entity: EntityDescription = {
        do {
            return try ManagedObjectModel {
                EntityDeclaration("Note") { AttributeDeclaration("text", .string) }
            }
            .entities[0]
        } catch {
            preconditionFailure("The model of one text was refused: \(error)")
        }
    }()

    var predicateEntity: EntityDescription { Self.entity }
    var predicateReference: PredicateObjectReference? { nil }
    func predicateValue(forKey key: String) -> PredicateOperand { .value(.string(text)) }
}
