/// Something in a model that is ignored without harm, or that is allowed and seldom meant.
public struct ModelWarning: Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A relationship without an inverse: nothing keeps the other end in step.
        public static let missingInverse = Code(rawValue: "missing-inverse")
        /// The file has something that has no effect here.
        public static let ignored = Code(rawValue: "ignored")
        /// A to-one that a model file does not bound to one.
        public static let toOneWithoutMaxCount = Code(rawValue: "to-one-without-max-count")
    }

    public let code: Code
    public let message: String
    public let entity: String?
    public let property: String?

    init(_ code: Code, entity: String? = nil, property: String? = nil, _ message: String) {
        self.code = code
        self.message = message
        self.entity = entity
        self.property = property
    }
}

extension ModelWarning: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
