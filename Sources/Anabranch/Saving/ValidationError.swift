public import AnabranchReplication
import AnabranchStore

/// Why a context may not be saved as it is. Nothing was written; the changes are still pending.
public struct ValidationError: Error, Sendable {
    public let code: Code
    public let message: String
    public let objectID: ManagedObjectID?
    public let property: String?
    public let value: Value?
    /// Every failure of the save, this one included, in the order of the objects' first changes.
    public private(set) var all: [ValidationError] = []

    init(
        _ code: Code, _ message: String, objectID: ManagedObjectID?, property: String?,
        value: Value? = nil
    ) {
        self.code = code
        self.message = message
        self.objectID = objectID
        self.property = property
        self.value = value
    }

    /// - Parameter failures: Not empty. A single one stands for itself.
    init?(_ failures: [ValidationError]) {
        guard let first = failures.first else { return nil }
        guard failures.count > 1 else {
            self = first
            all = failures
            return
        }
        self.init(
            .multiple,
            "Can't save because of \(failures.count) problems; the first: "
                + first.message, objectID: first.objectID, property: first.property,
            value: first.value)
        all = failures
    }

    /// - Parameter error: Of the store, with code `cyclicReference`.
    init(cyclic error: StoreError, _ objectID: ManagedObjectID?) {
        let name = error.property ?? ""
        self.init(
            .cyclicReference,
            "Can't save \(objectID.map { "\($0).\(name)" } ?? name) because it leads round in a "
                + "circle, back to the object; set it to another object, or to none.",
            objectID: objectID, property: error.property)
        all = [self]
    }

    public var entity: String? { objectID?.entity.name }
}

extension ValidationError {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Several failures: see `all`.
        public static let multiple = Code(rawValue: "multiple")
        /// A property that is not optional has no value: set it.
        public static let missingMandatoryProperty = Code(rawValue: "missing-mandatory-property")
        /// A value does not fit the attribute's type or width.
        public static let wrongType = Code(rawValue: "wrong-type")
        /// An object can't be deleted while others are related to it: delete those, too.
        public static let deniedDelete = Code(rawValue: "denied-delete")
        /// References that must not go round in a circle would: set one to another object.
        public static let cyclicReference = Code(rawValue: "cyclic-reference")
    }
}

extension ValidationError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
