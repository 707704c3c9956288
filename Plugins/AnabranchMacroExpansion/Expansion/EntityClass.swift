/// What a class with `@Entity` says about its entity, found out from its source.
struct EntityClass {
    /// Of the class, as Swift code.
    let name: String
    let entityName: String
    /// `public` and the like with a space behind, as the overrides have to repeat it.
    let access: String
    /// Whether slots of a super-entity's class come first.
    let isBelowEntity: Bool
    /// In the order of the slots.
    let slots: [EntitySlot]
    let complaints: [Complaint]

    /// - Returns: `nil` where there is no class to make anything of; then `complaints` of
    ///   ``refusal(of:)`` say why.
    init?(_ declaration: TypeDeclaration, named entityName: String?) {
        guard Self.refusal(of: declaration) == nil else { return nil }
        let levels: Set = ["open", "public", "package"]
        let level = declaration.modifiers.first {
            levels.contains($0.name) && $0.argument == nil
        }
        let superclass = declaration.inherited[0].path ?? []
        let reader = SlotReader(declaration.properties)
        name = declaration.name.sourceText
        self.entityName = entityName ?? declaration.name.text
        access = level.map { $0.name + " " } ?? ""
        isBelowEntity = superclass != ["ManagedObject"] && superclass != Self.qualifiedRoot
        slots = reader.slots
        complaints = reader.complaints
    }

    private static let qualifiedRoot = ["Anabranch", "ManagedObject"]

    /// Why no class of an entity can be made of it.
    static func refusal(of declaration: TypeDeclaration) -> Complaint? {
        let name = declaration.name.text
        guard declaration.introducer.text == "class" else {
            return Complaint(
                message: "@Entity is for classes: write 'class \(name): ManagedObject'.",
                offset: declaration.introducer.offset)
        }
        if declaration.isGeneric {
            return Complaint(
                message: "The class of an entity can't be generic, since it stands for one "
                    + "entity: write one class for each.", offset: declaration.name.offset)
        }
        guard declaration.inherited.isEmpty else { return nil }
        return Complaint(
            message: "The class of an entity inherits from ManagedObject, or from the class of "
                + "its super-entity: write 'class \(name): ManagedObject'.",
            offset: declaration.name.offset,
            remedy: .init(
                message: "Inherit from ManagedObject",
                range: declaration.name.end..<declaration.name.end, text: ": ManagedObject"))
    }
}

/// A property of a class that stands for a property of its entity.
struct EntitySlot: Equatable {
    enum Kind {
        case attribute
        case transformable
        case toOne
        case toMany
        /// An ordered to-many.
        case list

        /// Of the kinds' slots, which come first; those of lists stand among the to-many ones.
        var rank: Int {
            switch self {
            case .attribute, .transformable: 0
            case .toOne: 1
            case .toMany, .list: 2
            }
        }

        /// Of the subscript of `ManagedObject` that reads it.
        var label: String {
            switch self {
            case .attribute: "slot"
            case .transformable: "transformable"
            case .toOne: "toOne"
            case .toMany: "toMany"
            case .list: "list"
            }
        }
    }

    let name: String
    let kind: Kind
}
