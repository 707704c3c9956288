/// Why a property of an object can't be read or written as asked.
public struct PropertyError: Error, Sendable {
    public let code: Code
    public let message: String
    public let entity: String?
    public let property: String?
    public let objectID: ManagedObjectID?
    /// What a transformer threw.
    public let underlying: (any Error)?
    /// Of code `multiple`, the errors that it stands for.
    public private(set) var all: [PropertyError] = []

    init(
        _ code: Code, _ message: String, entity: String? = nil, property: String? = nil,
        objectID: ManagedObjectID? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.entity = entity ?? objectID?.entity.name
        self.property = property
        self.objectID = objectID
        self.underlying = underlying
    }

    /// Several errors as one.
    ///
    /// - Parameter count: How many there were, if not all of them were kept.
    init(_ first: PropertyError, of errors: [PropertyError], count: Int) {
        self.init(
            .multiple,
            "Can't save because \(count) changes were refused; the first: \(first.message)",
            entity: first.entity, property: first.property, objectID: first.objectID)
        all = errors
    }
}

extension PropertyError {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The model has no entity of that name, or no class stands for it: check the spelling.
        public static let unknownEntity = Code(rawValue: "unknown-entity")
        /// The model has no fetch request template of that name: check the spelling.
        public static let unknownTemplate = Code(rawValue: "unknown-template")
        /// Only objects of its sub-entities can be made.
        public static let abstractEntity = Code(rawValue: "abstract-entity")
        /// The entity has no property of that name: check the spelling.
        public static let unknownProperty = Code(rawValue: "unknown-property")
        /// An attribute was asked for as a relationship, or a to-one as a to-many, or the like.
        public static let wrongKind = Code(rawValue: "wrong-kind")
        /// The value is of another type than the attribute.
        public static let wrongType = Code(rawValue: "wrong-type")
        /// The attribute is derived, and its value computed: change what it is derived from.
        public static let derived = Code(rawValue: "derived")
        /// No attribute holds the value as it is: round a decimal to 38 digits.
        public static let unrepresentable = Code(rawValue: "unrepresentable")
        /// The model names a transformer that nobody has registered: register one under that name
        /// before the attribute is used.
        public static let unknownTransformer = Code(rawValue: "unknown-transformer")
        /// The transformer of the attribute is for values of another type, or can't make bytes of
        /// this one or a value of the bytes that are stored: see `underlying`.
        public static let untransformable = Code(rawValue: "untransformable")
        /// Several properties could not be set: see `all`.
        public static let multiple = Code(rawValue: "multiple")
        /// The object belongs to another entity, context or store, or to none.
        public static let foreignObject = Code(rawValue: "foreign-object")
        /// The row is gone, or the object's context: fetch the object anew.
        public static let inaccessible = Code(rawValue: "inaccessible")
        /// `willSave` changed objects in every one of many rounds: let it change only what
        /// differs.
        public static let endlessChanges = Code(rawValue: "endless-changes")
        /// A save was asked for while the context is saving, by a hook or an observer: leave the
        /// change to the save that is under way.
        public static let recursiveSave = Code(rawValue: "recursive-save")
        /// A context that has a parent can't do what only one of the store can: ask the parent.
        public static let hasParent = Code(rawValue: "has-parent")
        /// A class does not fit the model that its container was given.
        public static let classMismatch = Code(rawValue: "class-mismatch")
    }
}

extension PropertyError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension PropertyError {
    static var savingAlready: PropertyError {
        PropertyError(
            .recursiveSave,
            "Can't save because the context is saving already; what a hook or "
                + "an observer changes meanwhile is saved with it.")
    }
}
