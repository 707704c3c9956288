/// A part of a model that has no effect, or that is allowed but rarely intended.
public struct ModelWarning: Hashable, Sendable {
    /// The kind of warning, for programs.
    package struct Code: Hashable, Sendable {
        /// The name of the code, stable across versions.
        package let rawValue: String

        /// A relationship has no inverse, so the other end is not kept consistent.
        package static let missingInverse = Code(rawValue: "missing-inverse")
        /// A model file names an inverse that does not name the relationship as its own inverse.
        package static let oneSidedInverse = Code(rawValue: "one-sided-inverse")
        /// The file contains a setting that has no effect in Anabranch.
        package static let ignored = Code(rawValue: "ignored")
        /// A model file declares a to-one relationship without a greatest count of one.
        package static let toOneWithoutMaxCount = Code(rawValue: "to-one-without-max-count")
    }

    /// The kind of warning.
    package let code: Code
    /// The warning as a sentence.
    public let message: String
    /// The name of the entity.
    public let entity: String?
    /// The name of the property.
    public let property: String?
    /// The path of the model file, if the model came from one.
    package internal(set) var file: String?
    /// The line in the file, from 1, if it is known.
    package internal(set) var line: Int?

    init(_ code: Code, entity: String? = nil, property: String? = nil, _ message: String) {
        self.code = code
        self.message = message
        self.entity = entity
        self.property = property
    }
}

extension ModelWarning: CustomStringConvertible {
    /// The place, if the model came from a file, the message and the code.
    public var description: String {
        let place = [file, line.map(String.init)].compactMap { $0 }
        let prefix = place.isEmpty ? "" : place.joined(separator: ":") + ": "
        return "\(prefix)\(message) (\(code.rawValue))"
    }
}
