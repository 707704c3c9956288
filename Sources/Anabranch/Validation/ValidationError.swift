public import AnabranchModel
public import AnabranchReplication
import AnabranchStore
import Foundation

/// Why a context may not be saved as it is. Nothing was written; the changes are still pending.
///
/// It names one failure; `all` has every failure of the save: those of deletions first, then those
/// of insertions, then those of changes, each in the order of the objects' first changes. What the
/// model says against an object comes by its slots, before what the object's own hooks say.
public struct ValidationError: Error, Sendable {
    public let code: Code
    /// What can't be saved and why, as a sentence.
    public let message: String
    /// Why, without the place: a clause to follow a "because", or the sentence of a rule's warning
    /// or of an error of the app.
    public let reason: String
    public let objectID: ManagedObjectID?
    public let property: String?
    public let value: Value?
    /// The predicate that does not hold, where it is one of the model's validations.
    public let predicate: FetchPredicate?
    /// The error that a hook of the app has thrown, where it is one of the app's own.
    public let underlying: (any Error)?
    /// Every failure, this one included where it is not of code ``Code/multiple``.
    public private(set) var all: [ValidationError] = []

    /// What a hook throws that refuses to save its object.
    ///
    /// - Parameter reason: A sentence. The save adds the object that the hook was called for.
    public init(
        _ reason: String, property: String? = nil, value: Value? = nil, code: Code = .refused
    ) {
        self.init(
            code, "Can't save: \(reason)", reason: reason, objectID: nil, property: property,
            value: value)
        all = [self]
    }

    init(
        _ code: Code, _ message: String, reason: String, objectID: ManagedObjectID?,
        property: String?, value: Value? = nil, predicate: FetchPredicate? = nil,
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

    /// One error for several, for a hook that finds more than one thing; `nil` for none.
    ///
    /// - Parameter failures: A single one stands for itself; one of several for those in its `all`.
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

    /// - Parameter error: Of the store, with code `cyclicReference`.
    init(cyclic error: StoreError, _ objectID: ManagedObjectID?) {
        let name = error.property ?? ""
        let reason =
            "it leads round in a circle, back to the object; set it to another object, "
            + "or to none"
        self.init(
            .cyclicReference,
            "Can't save \(objectID.map { "\($0).\(name)" } ?? name) because \(reason).",
            reason: reason, objectID: objectID, property: error.property)
        all = [self]
    }

    public var entity: String? { objectID?.entity.name }
}

extension ValidationError {
    /// Each failure that a hook has thrown at once, with the object that it was called for.
    ///
    /// - Parameter property: That it was called for, where it was for one.
    func failures(of object: ManagedObject, property: String? = nil) -> [ValidationError] {
        (all.isEmpty ? [self] : all).map { failure in
            guard failure.objectID == nil else { return failure }
            let key = failure.property ?? property
            return ValidationError(
                failure.code, Self.message(about: object, key, sentence: failure.reason),
                reason: failure.reason, objectID: object.objectID, property: key,
                value: failure.value, predicate: failure.predicate,
                underlying: failure.underlying)
        }
    }

    /// An error of the app's own as a failure of the object whose hook has thrown it.
    init(
        underlying error: any Error, of object: ManagedObject, property: String?, value: Value?
    ) {
        let reason = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        self.init(
            .refused, Self.message(about: object, property, sentence: reason), reason: reason,
            objectID: object.objectID, property: property, value: value, underlying: error)
    }

    static func message(
        about object: ManagedObject, _ property: String?, sentence: String
    ) -> String {
        "Can't \(object.isDeleted ? "delete" : "save") \(place(object, property)): \(sentence)"
    }

    static func place(_ object: ManagedObject, _ property: String?) -> String {
        "\(object.objectID)" + (property.map { ".\($0)" } ?? "")
    }

    /// Whether both say the same of the same property.
    func repeats(_ other: ValidationError) -> Bool {
        code == other.code && objectID == other.objectID && property == other.property
            && predicate == other.predicate && reason == other.reason
    }
}

extension ValidationError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
