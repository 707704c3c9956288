/// A value of the source that is not in the store exactly as it was found.
public struct ConversionDoubt: Hashable, Sendable {
    /// The name of the entity, or ``history``.
    public let entity: String
    /// The URI of the object, such as `x-coredata://UUID/Entity/p7`; `nil` if it concerns no single
    /// object.
    public let uri: String?
    /// The name of the property; `nil` if it concerns the whole object.
    public let property: String?
    /// The value or the state that was found.
    public let found: String
    /// The value that the store has instead.
    public let stored: String

    /// The place of doubts about the source's persistent history, instead of an entity's name.
    public static let history = "history"
}

extension ConversionDoubt: CustomStringConvertible {
    /// The place, what was found, and what was stored, in one line.
    public var description: String {
        let place = [uri ?? entity, property].compactMap { $0 }.joined(separator: " ")
        return "\(place): found \(found), stored \(stored)"
    }
}
