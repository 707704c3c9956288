public import AnabranchProtocol

/// The zones to which a token gives access: one zone, or all zones with names that begin alike.
///
/// It is written as the zone's name, or as the beginning of names and a star, such as `team-*`. A
/// star alone stands for every zone.
public struct ZonePattern: Hashable, Sendable {
    /// The zone's name, or the beginning of names.
    private let text: String
    private let isPrefix: Bool

    /// Creates the pattern of one zone.
    public init(_ zone: ZoneName) {
        text = zone.string
        isPrefix = false
    }

    /// Parses a pattern.
    ///
    /// - Throws: `ProtocolError` with code `malformedRequest` if no zone's name can match it.
    public init(_ string: String) throws(ProtocolError) {
        isPrefix = string.hasSuffix("*")
        text = isPrefix ? String(string.dropLast()) : string
        guard !isPrefix || !text.isEmpty else { return }
        _ = try ZoneName(text)
    }

    /// The zone, if the pattern names one.
    public var zone: ZoneName? { isPrefix ? nil : try? ZoneName(text) }

    /// Indicates whether the pattern includes a zone.
    public func includes(_ zone: ZoneName) -> Bool {
        isPrefix ? zone.string.hasPrefix(text) : zone.string == text
    }
}

extension ZonePattern: CustomStringConvertible {
    /// The pattern as it is written.
    public var description: String { isPrefix ? text + "*" : text }
}
