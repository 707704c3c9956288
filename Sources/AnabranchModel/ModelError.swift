public import AnabranchReplication

/// An error that makes a model unusable, with its place in the model.
///
/// A model is checked as a whole: ``all`` lists every problem, not just the first.
public struct ModelError: Error, Hashable, Sendable {
    /// The kind of problem, for programs.
    public struct Code: Hashable, Sendable {
        /// The name of the code, stable across versions.
        public let rawValue: String

        /// Two parts have one name: rename one.
        package static let duplicateName = Code(rawValue: "duplicate-name")
        /// Two properties of a hierarchy, or two entities, have one wire name.
        ///
        /// Give one of them an explicit wire name.
        package static let duplicateWireName = Code(rawValue: "duplicate-wire-name")
        /// A name is empty, too long, reserved or contains a character that names cannot have.
        package static let invalidName = Code(rawValue: "invalid-name")
        /// A name refers to an entity that the model does not have.
        package static let unknownEntity = Code(rawValue: "unknown-entity")
        /// A name refers to a property that the entity does not have.
        package static let unknownProperty = Code(rawValue: "unknown-property")
        /// An entity is its own ancestor.
        package static let inheritanceCycle = Code(rawValue: "inheritance-cycle")
        /// Two relationships do not name each other as inverses.
        package static let inverseMismatch = Code(rawValue: "inverse-mismatch")
        /// A default value does not fit its attribute, or a model file has an invalid flag or
        /// date.
        package static let invalidValue = Code(rawValue: "invalid-value")
        /// The minimum is above the maximum, a bound does not fit the type, or a count is
        /// impossible.
        package static let invalidBounds = Code(rawValue: "invalid-bounds")
        /// A regular expression cannot be read, or its attribute is not a string.
        package static let invalidRegularExpression = Code(rawValue: "invalid-regular-expression")
        /// A predicate format cannot be read, or cannot be used on the property that it validates.
        package static let invalidPredicate = Code(rawValue: "invalid-predicate")
        /// The expression of a derived attribute cannot be read, or cannot be used on the
        /// attribute.
        package static let invalidDerivation = Code(rawValue: "invalid-derivation")
        /// The settings of a property contradict each other, or it cannot be used in this place.
        package static let invalidProperty = Code(rawValue: "invalid-property")
        /// The model uses a feature that is planned but not supported yet. Remove it from the
        /// model.
        public static let notSupportedYet = Code(rawValue: "not-supported-yet")
        /// A class declares no entity, or belongs to an entity that the other classes lack: mark
        /// it with `@Entity`, or pass the missing class too.
        package static let invalidClass = Code(rawValue: "invalid-class")
        /// The model is larger than a store can hold.
        package static let limitExceeded = Code(rawValue: "limit-exceeded")
        /// The file or folder is not a model.
        public static let notAModel = Code(rawValue: "not-a-model")
        /// A model package has several versions and does not say which is current.
        public static let noCurrentVersion = Code(rawValue: "no-current-version")
        /// The file cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file cannot be written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// Xcode's format has no form for a setting of the model: change the setting, or leave it
        /// out.
        public static let notExpressible = Code(rawValue: "not-expressible")
        /// The bytes are not a canonical encoding of a model.
        package static let malformedEncoding = Code(rawValue: "malformed-encoding")
        /// The encoding has a later version: update the program.
        public static let unsupportedVersion = Code(rawValue: "unsupported-version")
    }

    /// The kind of problem.
    public let code: Code
    /// The problem and what to do, as a sentence.
    public let message: String
    /// The name of the entity.
    public let entity: String?
    /// The name of the attribute, relationship or attribute group.
    ///
    /// Without an entity, it is the name of the fetch request template.
    public let property: String?
    /// The unsupported feature, if the code is ``Code/notSupportedYet``.
    package let feature: Feature?
    /// The path of the model file, if the model came from one.
    public internal(set) var file: String?
    /// The line in the file, from 1, if it is known.
    public internal(set) var line: Int?
    /// The offset of the first byte that could not be read, if the model came from its encoding.
    package let offset: Int?
    /// The problems that were found besides this one.
    public internal(set) var others: [ModelError]

    package init(
        _ code: Code, entity: String? = nil, property: String? = nil, feature: Feature? = nil,
        file: String? = nil, line: Int? = nil, offset: Int? = nil, _ message: String
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.property = property
        self.feature = feature
        self.file = file
        self.line = line
        self.offset = offset
        others = []
    }

    /// Every problem of the model, this one first.
    public var all: [ModelError] {
        var own = self
        own.others = []
        return [own] + others
    }

    /// Combines several problems into one error; `nil` if there are none.
    package init?(_ problems: [ModelError]) {
        guard var first = problems.first else { return nil }
        first.others = Array(problems.dropFirst())
        self = first
    }
}

extension ModelError: CustomStringConvertible, DescribedError {
    /// One problem a line, each with its place.
    public var description: String {
        all.map { problem in
            let place = [problem.file, problem.line.map(String.init)].compactMap { $0 }
            let prefix = place.isEmpty ? "" : place.joined(separator: ":") + ": "
            return "\(prefix)\(problem.message) (\(problem.code.rawValue))"
        }.joined(separator: "\n")
    }
}
