/// Tells which properties of a class are slots, and of which kind.
///
/// A slot is a stored variable of an instance, with a type and nothing else. What can't be mixed
/// up with one is left alone: computed, static and lazy properties, constants with a value, and
/// what is marked `@Transient`. All else is refused, so that nothing that looks like a property of
/// the entity is kept out of the store in silence.
struct SlotReader {
    /// Attributes, to-one and to-many relationships, each sorted by the bytes of their names.
    private(set) var slots: [EntitySlot] = []
    private(set) var complaints: [Complaint] = []

    init(_ properties: [PropertyDeclaration]) {
        for property in properties where property.isForEntity {
            let wrongForm = WrongForm(property)
            if let complaint = wrongForm.ofDeclaration ?? wrongForm.ofStorage {
                complaints.append(complaint)
            } else if let name = property.name, let type = property.type {
                switch SlotType(type, of: property) {
                case .slot(let kind): slots.append(EntitySlot(name: name.text, kind: kind))
                case .wrong(let complaint): complaints.append(complaint)
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
    /// Whether it is a slot, or would be one if it were written properly.
    var isForEntity: Bool {
        let isOwnBusiness =
            has("Transient") || accessors == .computed || isConstant && hasInitialValue
            || ["static", "class", "lazy"].contains { has(modifier: $0) }
        return !isOwnBusiness
    }
}
