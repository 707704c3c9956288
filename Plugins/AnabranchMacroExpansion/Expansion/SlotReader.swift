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
        for property in properties where Self.isSlotOrWrong(property) {
            if let complaint = Self.complaint(about: property) {
                complaints.append(complaint)
            } else if let name = property.name, let type = property.type {
                switch SlotType(type, of: property) {
                case .slot(let kind): slots.append(EntitySlot(name: name.text, kind: kind))
                case .wrong(let complaint): complaints.append(complaint)
                }
            }
        }
        slots.sort { left, right in
            left.kind == right.kind
                ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
                : left.kind.rawValue < right.kind.rawValue
        }
    }

    private static func isSlotOrWrong(_ property: PropertyDeclaration) -> Bool {
        let isOwnBusiness =
            property.has("Transient") || property.accessors == .computed
            || ["static", "class", "lazy"].contains { property.has(modifier: $0) }
            || property.isConstant && property.hasInitialValue
        return !isOwnBusiness
    }

    private static func complaint(about property: PropertyDeclaration) -> Complaint? {
        let name = property.name?.text ?? "it"
        func complaint(_ message: String, _ remedy: Complaint.Remedy? = nil) -> Complaint {
            Complaint(message: message, offset: property.offset, remedy: remedy)
        }
        let transient = Complaint.Remedy(
            message: "Keep '\(name)' out of the store",
            range: property.startOffset..<property.startOffset, text: "@Transient ")
        if property.has("NSManaged") {
            return complaint("@Entity makes the accessors of '\(name)': remove @NSManaged.")
        }
        if property.name == nil || property.isList {
            return complaint("@Entity reads one property from each 'var': write one a line.")
        }
        if property.isConstant {
            return Complaint(
                message: "A property of an entity can be written: make '\(name)' a 'var'.",
                offset: property.introducer.offset,
                remedy: .init(
                    message: "Replace 'let' with 'var'",
                    range: property.introducer.offset..<property.introducer.end, text: "var"))
        }
        if property.hasInitialValue {
            return complaint(
                "The model says what '\(name)' is at first: remove the initial value, or mark "
                    + "the property @Transient to keep it out of the store.", transient)
        }
        if property.accessors == .observers {
            return complaint(
                "A property of an entity has no observers: override willSave(), or put a "
                    + "computed property in front of '\(name)'.")
        }
        for modifier in ["weak", "unowned"] where property.has(modifier: modifier) {
            return complaint(
                "A property of an entity can't be \(modifier): remove it, or mark '\(name)' "
                    + "@Transient to keep it out of the store.", transient)
        }
        if property.isConditional {
            return complaint(
                "The slots of a class are the same in every build: move '\(name)' out of #if, or "
                    + "mark it @Transient to keep it out of the store.", transient)
        }
        guard property.type != nil else {
            return complaint("@Entity can't infer types: write 'var \(name): ' with its type.")
        }
        return nil
    }
}
