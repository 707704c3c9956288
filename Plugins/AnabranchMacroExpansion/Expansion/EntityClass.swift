/// The entity of a class with `@Entity`, read from the class's source.
struct EntityClass {
    /// The name of the class, as Swift code.
    let name: String
    let entityName: String
    /// An access level such as `public` followed by a space, which the overrides must repeat.
    let access: String
    /// True if the slots of a super-entity's class come first.
    let isBelowEntity: Bool
    /// The own slots, in slot order.
    let slots: [EntitySlot]
    /// The uniqueness constraints and indexes of the macros `#Unique` and `#Index`.
    let constraints: [EntityConstraint]
    let fetchedProperties: [FetchedPropertyUse]
    let diagnostics: [Diagnostic]
    let declaration: TypeDeclaration

    /// Reads a class.
    ///
    /// - Returns: `nil` if the declaration is not a usable class; ``refusal(of:)`` returns the
    ///   reason.
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
        let found = EntityConstraint.all(in: declaration)
        constraints = found.constraints
        let fetched = FetchedPropertyUse.all(in: declaration.properties)
        fetchedProperties = fetched.uses
        diagnostics = reader.diagnostics + found.diagnostics + fetched.diagnostics
        self.declaration = declaration
    }

    private static let qualifiedRoot = ["Anabranch", "ManagedObject"]

    /// The reason why a declaration cannot be the class of an entity.
    static func refusal(of declaration: TypeDeclaration) -> Diagnostic? {
        let name = declaration.name.text
        guard declaration.introducer.text == "class" else {
            return Diagnostic(
                message: "@Entity is for classes: write 'class \(name): ManagedObject'.",
                offset: declaration.introducer.offset)
        }
        if declaration.isGeneric {
            return Diagnostic(
                message: "The class of an entity can't be generic, since it stands for one "
                    + "entity: write one class for each.", offset: declaration.name.offset)
        }
        guard declaration.inherited.isEmpty else { return nil }
        return Diagnostic(
            message: "The class of an entity inherits from ManagedObject, or from the class of "
                + "its super-entity: write 'class \(name): ManagedObject'.",
            offset: declaration.name.offset,
            fixIt: .init(
                message: "Inherit from ManagedObject",
                range: declaration.name.end..<declaration.name.end, text: ": ManagedObject"))
    }
}

/// A property of a class that represents a property of its entity.
struct EntitySlot {
    enum Kind {
        case attribute
        case transformable
        /// A composite attribute, which has one slot for each of its elements.
        case composite
        case toOne
        case toMany
        /// An ordered to-many.
        case list

        /// The position of the kind's slots among all slots; lists are sorted among the to-many
        /// ones, and elements of composite attributes are behind all others.
        var rank: Int {
            switch self {
            case .attribute, .transformable: 0
            case .toOne: 1
            case .toMany, .list: 2
            case .composite: 3
            }
        }

        /// The argument label of the subscript of `ManagedObject` that reads the slot.
        var label: String {
            switch self {
            case .attribute: "slot"
            case .transformable: "transformable"
            case .composite: "composite"
            case .toOne: "toOne"
            case .toMany: "toMany"
            case .list: "list"
            }
        }

        var isToMany: Bool { self == .toMany || self == .list }
        var isRelationship: Bool { self == .toOne || isToMany }
    }

    let name: String
    let kind: Kind
    let type: TypeUse
    let property: PropertyDeclaration

    /// The slot names of a composite attribute, as Swift code.
    var elementNames: String {
        "\((type.wrapped ?? type).text).elementNames(in: \(StringLiteral.text(of: name)))"
    }
}
