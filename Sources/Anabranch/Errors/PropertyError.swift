public import AnabranchReplication

/// The reason why a property of an object can't be read or written as requested.
public struct PropertyError: Error, Sendable {
    /// The kind of error, which also says what to do.
    public let code: Code
    /// The whole error as a sentence.
    public let message: String
    /// The name of the entity, if the error concerns one.
    public let entity: String?
    /// The name of the property, if the error concerns one.
    public let property: String?
    /// The ID of the object, if the error concerns one.
    public let objectID: ManagedObjectID?
    /// The error that a transformer threw.
    public let underlying: (any Error)?
    /// The single errors of an error with code `multiple`.
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

    /// Combines several errors into one.
    ///
    /// - Parameters:
    ///   - first: The error that the message quotes.
    ///   - errors: The errors that were kept.
    ///   - count: The number of all errors, including those that were not kept.
    init(_ first: PropertyError, of errors: [PropertyError], count: Int) {
        self.init(
            .multiple,
            "Can't save because \(count) changes were refused; the first: \(first.message)",
            entity: first.entity, property: first.property, objectID: first.objectID)
        all = errors
    }
}

extension PropertyError {
    /// The kind of a ``PropertyError``.
    public struct Code: Hashable, Sendable {
        /// The stable text form of the code.
        public let rawValue: String

        /// The model has no entity of that name, or no class represents it. Check the spelling.
        public static let unknownEntity = Code(rawValue: "unknown-entity")
        /// The model has no fetch request template of that name. Check the spelling.
        public static let unknownTemplate = Code(rawValue: "unknown-template")
        /// The entity is abstract. Insert an object of one of its sub-entities.
        package static let abstractEntity = Code(rawValue: "abstract-entity")
        /// The entity has no property of that name. Check the spelling.
        public static let unknownProperty = Code(rawValue: "unknown-property")
        /// An attribute was used as a relationship, a to-one relationship as a to-many, or the
        /// like.
        public static let wrongKind = Code(rawValue: "wrong-kind")
        /// The value has another type than the attribute.
        public static let wrongType = Code(rawValue: "wrong-type")
        /// The type of the property has no counterpart of the value, such as an enum without that
        /// case. Add the case, or read the value by its name alone, as a `PropertyValue`.
        public static let unknownValue = Code(rawValue: "unknown-value")
        /// A derived attribute can't be set, because its value is computed. Change the properties
        /// that it is derived from.
        package static let derived = Code(rawValue: "derived")
        /// No attribute can store the value exactly. Round a decimal to 38 digits.
        public static let unrepresentable = Code(rawValue: "unrepresentable")
        /// The model names a transformer that is not registered. Register one under that name
        /// before the attribute is used.
        public static let unknownTransformer = Code(rawValue: "unknown-transformer")
        /// The attribute's transformer takes values of another type, can't encode this value, or
        /// can't decode the stored bytes. See `underlying`.
        public static let untransformable = Code(rawValue: "untransformable")
        /// Several properties could not be set. See `all`.
        public static let multiple = Code(rawValue: "multiple")
        /// The object belongs to another entity, context or store, or to none.
        public static let foreignObject = Code(rawValue: "foreign-object")
        /// The row or the object's context is gone. Fetch the object again.
        public static let inaccessible = Code(rawValue: "inaccessible")
        /// `willSave` or a validation hook changed objects in every one of many rounds. Let it
        /// change a property only if the value differs.
        package static let endlessChanges = Code(rawValue: "endless-changes")
        /// A hook or an observer asked for a save while the context was saving. Leave the change
        /// to the running save.
        public static let recursiveSave = Code(rawValue: "recursive-save")
        /// A context that has a parent can't do this. Use the parent.
        public static let hasParent = Code(rawValue: "has-parent")
        /// A request for rows includes pending changes, and the context has some. Save first.
        public static let unsavedChanges = Code(rawValue: "unsaved-changes")
        /// A class does not fit the model that its container was given.
        public static let classMismatch = Code(rawValue: "class-mismatch")
    }
}

extension PropertyError: CustomStringConvertible, DescribedError {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension PropertyError {
    static var savingAlready: PropertyError {
        PropertyError(
            .recursiveSave,
            "Can't save because the context is already saving; that save includes "
                + "the changes of hooks and observers.")
    }
}
