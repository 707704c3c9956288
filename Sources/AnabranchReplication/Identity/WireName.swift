/// The name of an entity or a property on the wire: fixed by the model and kept when the model
/// renames it.
///
/// Wire names are compared and hashed by their UTF-8 bytes. `String` compares by canonical
/// equivalence, so two replicas with different Unicode tables could disagree on equal names.
public struct WireName: Hashable, Sendable {
    /// The name as text.
    public let string: String

    /// Creates a wire name from a text.
    @inlinable
    public init(_ string: String) { self.string = string }

    /// Compares the UTF-8 bytes.
    @inlinable
    public static func == (left: WireName, right: WireName) -> Bool {
        var (left, right) = (left.string, right.string)
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
    }

    /// Hashes the UTF-8 bytes.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension WireName: Comparable {
    /// Orders names by their UTF-8 bytes.
    @inlinable
    public static func < (left: WireName, right: WireName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension WireName: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a wire name from a literal.
    public init(stringLiteral value: String) { self.init(value) }
    /// The name as text.
    public var description: String { string }
}
