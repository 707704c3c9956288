public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// The reason why a context can't be saved. Nothing was written, and the changes are still
/// pending.
///
/// The error describes one failure; `all` has every failure of the save: first those of deleted
/// objects, then of inserted ones, then of updated ones, each in the order in which the objects
/// were first changed. For one object, the failures of the model's checks come by slot, before
/// those of the object's own hooks.
public struct ValidationError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The object that can't be saved and the cause, as a sentence.
    public let message: String
    /// The cause alone: a clause that follows "because", or the sentence of a validation warning
    /// or of an app's error.
    public let reason: String
    /// The ID of the object that can't be saved.
    public let objectID: ManagedObjectID?
    /// The name of the property, if the failure concerns one.
    public let property: String?
    /// The refused value, if there is one.
    public let value: PropertyValue?
    /// The validation predicate that does not hold, for a failure of the model's validation.
    public let predicate: FetchPredicate?
    /// The app's error, if a hook threw one.
    public let underlying: (any Error)?
    /// Every failure. It includes this error unless its code is ``Code/multiple``.
    public private(set) var all: [ValidationError] = []

    /// Creates the error that a hook throws to refuse its object.
    ///
    /// - Parameters:
    ///   - reason: The cause as a sentence. The save adds the object of the hook that threw the
    ///     error.
    ///   - property: The name of the property.
    ///   - value: The refused value.
    ///   - code: The kind of failure.
    public init(
        _ reason: String, property: String? = nil, value: PropertyValue? = nil,
        code: Code = .refused
    ) {
        self.init(
            code, "Can't save: \(reason)", reason: reason, objectID: nil, property: property,
            value: value)
        all = [self]
    }

    init(
        _ code: Code, _ message: String, reason: String, objectID: ManagedObjectID?,
        property: String?, value: PropertyValue? = nil, predicate: FetchPredicate? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.objectID = objectID
        self.property = property
        self.value = value
        self.predicate = predicate
        self.underlying = underlying
    }

    /// Combines several errors into one, for a hook that finds more than one failure; `nil` if
    /// there is none.
    ///
    /// - Parameter failures: The errors. An error that combines several counts as the errors in
    ///   its `all`.
    public init?(_ failures: [ValidationError]) {
        let failures = failures.flatMap { $0.all.isEmpty ? [$0] : $0.all }
        guard let first = failures.first else { return nil }
        guard failures.count > 1 else {
            self = first
            all = failures
            return
        }
        self.init(
            .multiple,
            "Can't save because of \(failures.count) problems; the first: "
                + first.message, reason: "there are \(failures.count) problems",
            objectID: first.objectID, property: first.property, value: first.value)
        all = failures
    }

    /// Creates the error for references that would form a cycle.
    ///
    /// - Parameter error: An error of the store with code `cyclicReference`.
    init(cyclic error: StoreError, _ objectID: ManagedObjectID?) {
        let name = error.property ?? ""
        let reason =
            "it forms a cycle back to the object; set it to another object or to nil"
        self.init(
            .cyclicReference,
            "Can't save \(objectID.map { "\($0).\(name)" } ?? name) because \(reason).",
            reason: reason, objectID: objectID, property: error.property)
        all = [self]
    }

    /// The name of the object's entity.
    public var entity: String? { objectID?.entity.name }
}

extension ValidationError {
    /// Returns true if both errors report the same failure of the same property.
    func repeats(_ other: ValidationError) -> Bool {
        code == other.code && objectID == other.objectID && property == other.property
            && predicate == other.predicate && reason == other.reason
    }
}

extension ValidationError: CustomStringConvertible, DescribedError {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension ValidationError {
    /// The same failures with the IDs that the objects have again, because the save that has given
    /// them new ones has failed.
    ///
    /// - Parameter renamed: The new IDs by the former ones.
    func naming(_ renamed: [ManagedObjectID: ManagedObjectID]) -> ValidationError {
        guard !renamed.isEmpty else { return self }
        let names = Dictionary(
            renamed.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        var error = naming(former: names)
        error.all = all.map { $0.naming(former: names) }
        return error
    }

    private func naming(former names: [ManagedObjectID: ManagedObjectID]) -> ValidationError {
        var text = message
        for (new, old) in names {
            for end in [".", " "] { text = text.replacing("\(new)\(end)", with: "\(old)\(end)") }
        }
        return ValidationError(
            code, text, reason: reason, objectID: objectID.map { names[$0] ?? $0 },
            property: property, value: value, predicate: predicate, underlying: underlying)
    }
}
