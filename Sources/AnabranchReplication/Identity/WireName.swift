/// The name of an entity or a property as it travels: fixed by the model, kept through renames.
///
/// Compared and hashed by its UTF-8 bytes. `String` compares by canonical equivalence, under
/// which two replicas with different Unicode tables could disagree on what merges with what.
public struct WireName: Hashable, Sendable {
    public let string: String

    @inlinable
    public init(_ string: String) { self.string = string }

    @inlinable
    public static func == (left: WireName, right: WireName) -> Bool {
        var (left, right) = (left.string, right.string)
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension WireName: Comparable {
    @inlinable
    public static func < (left: WireName, right: WireName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension WireName: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) { self.init(value) }
    public var description: String { string }
}
