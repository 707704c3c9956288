/// Finds the properties of a class that are slots, and their kinds.
///
/// A slot is a stored variable of an instance with a type; an attribute can have an initial value.
/// Properties that cannot be confused with a slot are ignored: computed, static and lazy
/// properties, constants with a value, and properties marked `@Transient` or `@FetchedProperty`.
/// Every other property is refused, so that no property that looks like the entity's is silently
/// missing in the store.
struct SlotReader {
    /// Attributes, to-one and to-many relationships, each sorted by the bytes of their names.
    private(set) var slots: [EntitySlot] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ properties: [PropertyDeclaration]) {
        for property in properties where property.isForEntity {
            let wrongForm = WrongForm(property)
            if let diagnostic = wrongForm.ofDeclaration ?? wrongForm.ofStorage {
                diagnostics.append(diagnostic)
            } else if let name = property.name, let type = property.type {
                switch SlotType(type, of: property) {
                case .slot(let kind):
                    let slot = EntitySlot(
                        name: name.text, kind: kind, type: type, property: property)
                    slots.append(slot)
                    diagnostics += MarkCheck(slot).diagnostics
                case .wrong(let diagnostic): diagnostics.append(diagnostic)
                }
            }
        }
        slots.sort { left, right in
            left.kind.rank == right.kind.rank
                ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
                : left.kind.rank < right.kind.rank
        }
    }
}

extension PropertyDeclaration {
    /// True if the property has to be a slot. It can still have a form that `@Entity` refuses.
    var isForEntity: Bool {
        let isOwnBusiness =
            has("Transient") || has("FetchedProperty") || accessors == .computed
            || isConstant && hasInitialValue
            || ["static", "class", "lazy"].contains { has(modifier: $0) }
        return !isOwnBusiness
    }
}
