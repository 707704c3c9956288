/// The reasons why a stored property cannot be a slot, whatever its type is.
struct WrongForm {
    private let property: PropertyDeclaration
    private let name: String

    init(_ property: PropertyDeclaration) {
        self.property = property
        name = property.name?.text ?? ""
    }

    private func complaint(_ message: String, _ remedy: Complaint.Remedy? = nil) -> Complaint {
        Complaint(message: message, offset: property.offset, remedy: remedy)
    }

    /// The error of a property that does not declare one variable of this class with a type.
    var ofDeclaration: Complaint? {
        if property.has("NSManaged") {
            return complaint("@Entity makes the accessors of '\(name)': remove @NSManaged.")
        }
        if property.name == nil || property.isList {
            return complaint("@Entity reads one property from each 'var': write one a line.")
        }
        if property.has(modifier: "override") {
            return complaint("'\(name)' is a property of the class above: remove it here.")
        }
        if property.isConstant { return constant }
        if property.type == nil, !property.hasInitialValue {
            return complaint("@Entity can't infer types: write 'var \(name): ' with its type.")
        }
        return nil
    }

    private var constant: Complaint {
        let word = property.introducer
        return Complaint(
            message: "A property of an entity can be written: make '\(name)' a 'var'.",
            offset: word.offset,
            remedy: .init(
                message: "Replace 'let' with 'var'", range: word.offset..<word.end, text: "var"))
    }

    /// The error of a property with a kind of storage that a slot cannot have.
    var ofStorage: Complaint? {
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
        return nil
    }

    private var transient: Complaint.Remedy {
        .init(
            message: "Keep '\(name)' out of the store",
            range: property.startOffset..<property.startOffset, text: "@Transient ")
    }
}
