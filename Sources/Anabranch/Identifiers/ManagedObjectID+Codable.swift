import AnabranchStore
import Foundation

extension CodingUserInfoKey {
    /// The coordinator of the store in which a decoder looks up the IDs of objects.
    ///
    /// ```swift
    /// decoder.userInfo[.persistentStoreCoordinator] = container.coordinator
    /// ```
    ///
    /// A decoder without it finds the store among those that the program has open.
    public static let persistentStoreCoordinator: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "AnabranchPersistentStoreCoordinator") else {
            preconditionFailure("A constant text is the name of a key.")
        }
        return key
    }()
}

/// A value that has the IDs of one store.
protocol StoreOriginHolding { var origin: StoreOrigin { get } }

/// The encoded form is the text of ``uriRepresentation``, which is the same on every replica.
///
/// `#Predicate` takes only values that are `Codable`, so an ID can be compared in it:
/// `#Predicate<Person> { $0.boss?.objectID == id }`.
extension ManagedObjectID: Codable {
    /// Encodes the URI.
    ///
    /// - Throws: `StoreError` if the store was closed before the record's replica was read, because
    ///   such an ID has no URI that names the object.
    public func encode(to encoder: any Encoder) throws {
        _ = try recordID
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation.absoluteString)
    }

    /// Decodes a URI, and finds the object's ID in the store of
    /// `CodingUserInfoKey.persistentStoreCoordinator`, or in the only open store that knows it.
    ///
    /// An ID does not mean that the object exists.
    ///
    /// - Throws: `DecodingError` if the text is no URI of an object, or if no open store, or more
    ///   than one, knows the object; `StoreError` if none of those that can be read knows it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        func failure(_ cause: String) -> DecodingError {
            .dataCorruptedError(
                in: container,
                debugDescription: "Can't decode the object ID '\(text)' because \(cause).")
        }
        guard let parts = URL(string: text).flatMap({ RecordURI($0) }) else {
            throw failure("it is not the URI of an object")
        }
        let holder = decoder.userInfo[.persistentStoreCoordinator] as? any StoreOriginHolding
        let origins = holder.map { [$0.origin] } ?? StoreOrigin.open
        var found: [ManagedObjectID] = []
        var unreadable: (any Error)?
        for origin in origins {
            do {
                if let id = try origin.objectID(of: parts) { found.append(id) }
            } catch {
                unreadable = error
            }
        }
        if found.isEmpty, let unreadable { throw unreadable }
        guard let id = found.first else {
            throw failure(
                holder == nil ? "no open store knows it" : "the decoder's store does not know it")
        }
        guard found.count == 1 else {
            throw failure(
                "\(found.count) open stores know it; set the decoder's userInfo for the key "
                    + "persistentStoreCoordinator")
        }
        self = id
    }
}
