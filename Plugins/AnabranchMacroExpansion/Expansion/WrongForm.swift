/// The reasons why a stored property cannot be a slot, whatever its type is.
struct WrongForm {
    private let property: PropertyDeclaration
    private let name: String

    init(_ property: PropertyDeclaration) {
        self.property = property
        name = property.name?.text ?? ""
    }

    private func diagnostic(_ message: String, _ fixIt: Diagnostic.Remedy? = nil) -> Diagnostic {
        Diagnostic(message: message, offset: property.offset, fixIt: fixIt)
    }

    /// The error of a property that does not declare one variable of this class with a type.
    var ofDeclaration: Diagnostic? {
        if property.has("NSManaged") {
            return diagnostic("@Entity makes the accessors of '\(name)': remove @NSManaged.")
        }
        if property.name == nil || property.isList {
            return diagnostic("@Entity reads one property from each 'var': write one a line.")
        }
        if property.has(modifier: "override") {
            return diagnostic("'\(name)' is a property of the class above: remove it here.")
        }
        if Self.namesOfEveryObject.contains(name) { return taken }
        if property.isConstant { return constant }
        if property.type == nil {
            return diagnostic(
                "@Entity can't infer types: write 'var \(name): ' with its type"
                    + (property.hasInitialValue
                        ? ", or mark it @Transient to keep it out of the store." : "."),
                property.hasInitialValue ? transient : nil)
        }
        return nil
    }

    /// The public properties of `ManagedObject`.
    static let namesOfEveryObject: Set<String> = [
        "changedRelationshipNames", "description", "entity", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "hashValue", "isDeleted", "isFault", "isInserted",
        "isUpdated", "managedObjectContext", "objectID", "predicateExpression",
    ]

    private var taken: Diagnostic {
        let other = "own" + name.prefix(1).uppercased() + name.dropFirst()
        return diagnostic(
            "Every ManagedObject has a property '\(name)': give this one another name, such as "
                + "'\(other)'. If stores have values of it, add 'originalName: \"\(name)\"' to "
                + "its mark.")
    }

    private var constant: Diagnostic {
        let word = property.introducer
        return Diagnostic(
            message: "A property of an entity can be written: make '\(name)' a 'var'.",
            offset: word.offset,
            fixIt: .init(
                message: "Replace 'let' with 'var'", range: word.offset..<word.end, text: "var"))
    }

    /// The error of a property with a kind of storage that a slot cannot have.
    var ofStorage: Diagnostic? {
        if property.accessors == .observers {
            return diagnostic(
                "A property of an entity has no observers: override willSave(), or put a "
                    + "computed property in front of '\(name)'.")
        }
        for modifier in ["weak", "unowned"] where property.has(modifier: modifier) {
            return diagnostic(
                "A property of an entity can't be \(modifier): remove it, or mark '\(name)' "
                    + "@Transient to keep it out of the store.", transient)
        }
        if property.isConditional {
            return diagnostic(
                "The slots of a class are the same in every build: move '\(name)' out of #if, or "
                    + "mark it @Transient to keep it out of the store.", transient)
        }
        return nil
    }

    private var transient: Diagnostic.Remedy {
        .init(
            message: "Keep '\(name)' out of the store",
            range: property.startOffset..<property.startOffset, text: "@Transient ")
    }
}
