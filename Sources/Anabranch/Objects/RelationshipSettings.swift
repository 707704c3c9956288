public import AnabranchModel

/// The settings of a relationship, as the mark `@Relationship` gives them.
public struct RelationshipSettings {
    /// The inverse of a relationship, as a class declares it.
    public struct Inverse {
        enum Form {
            case unstated
            case nothing
            case property(String, root: Any.Type?)
        }

        let form: Form

        /// The other end may name this relationship as its inverse.
        public static var unstated: Inverse { Inverse(form: .unstated) }
        /// There is no inverse.
        public static var nothing: Inverse { Inverse(form: .nothing) }

        /// The relationship with that name of the class at the other end.
        public static func property(_ name: String) -> Inverse {
            Inverse(form: .property(name, root: nil))
        }

        /// The relationship with that name of a class.
        public static func property(_ name: String, of type: ManagedObject.Type) -> Inverse {
            Inverse(form: .property(name, root: type))
        }
    }

    let inverse: Inverse
    let maximumModelCount: Int?
    private let isOptional: Bool
    private let isTransient: Bool
    private let isAcyclic: Bool
    private let minimumModelCount: Int
    /// A to-one relationship with the settings that both kinds have, but without its name.
    private let template: RelationshipDeclaration

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - isOptional: True if a saved object may have no object at the other end.
    ///   - isTransient: True if the relationship exists only in the memory of a context.
    ///   - isAcyclic: True if references along this to-one must not form a cycle, as in a tree.
    ///   - deleteRule: The effect of deleting an object on the objects at the other end.
    ///   - minimumModelCount: The least number of objects at the other end of a to-many.
    ///   - maximumModelCount: The greatest number of objects at the other end of a to-many.
    ///   - originalName: The name of the relationship in an earlier version of the model.
    ///   - wireName: The name on the wire, if it is neither the original name nor the name.
    ///   - inverse: The inverse, which may also be declared at the other end alone.
    ///   - validations: Further conditions on the objects at the other end.
    ///   - hashModifier: A text that makes the version of the model another one.
    ///   - userInfo: Any texts for the app or for tools.
    public init(
        optional isOptional: Bool = true, transient isTransient: Bool = false,
        acyclic isAcyclic: Bool = false, deleteRule: DeleteRule = .nullify,
        minimumModelCount: Int = 0, maximumModelCount: Int? = nil, originalName: String? = nil,
        wireName: String? = nil,
        inverse: Inverse = .unstated, validations: [ValidationRule] = [],
        hashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.inverse = inverse
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.isAcyclic = isAcyclic
        self.minimumModelCount = minimumModelCount
        self.maximumModelCount = maximumModelCount
        template = RelationshipDeclaration(
            "", to: "", deleteRule: deleteRule, validations: validations, wireName: wireName,
            renamingIdentifier: originalName, versionHashModifier: hashModifier,
            userInfo: userInfo)
    }

    /// Returns the relationship with these settings. The model refuses those that its kind of
    /// relationship can't have.
    func relationship(_ relationship: RelationshipDeclaration) -> RelationshipDeclaration {
        var result = template
        result.name = relationship.name
        result.isToMany = relationship.isToMany
        result.isOrdered = relationship.isOrdered
        result.isOptional = isOptional
        result.isTransient = isTransient
        result.isAcyclic = isAcyclic
        result.minCount = minimumModelCount
        result.maxCount = maximumModelCount
        return result
    }
}

/// The inverse in a mark `@Relationship`: a key path such as `\Note.folder`, or a name such as
/// `"folder"`.
public protocol RelationshipInverse {}

extension AnyKeyPath: RelationshipInverse {}
extension String: RelationshipInverse {}
