import AnabranchModel
import AnabranchReplication
import Foundation

/// A number of one of the three kinds.
enum NaiveNumber {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
}

/// A result of an expression.
enum NaiveValue {
    case missing
    /// A to-many of a missing object: no elements, and no count.
    case missingCollection
    case number(NaiveNumber)
    case text(String)
    case date(Double)
    case bytes([UInt8])
    case uuid([UInt8])
    case object(PredicateObjectReference)
    case collection(NaiveElements)
}

/// The elements of a collection.
struct NaiveElements {
    var cells: [NaiveCell]
    /// True for a list: its elements have positions.
    var isOrdered = false
    /// True if only membership is certain and not the number of elements.
    var isDoubtful = false
}

/// The source of a value, on which the conversion of constants depends.
enum NaiveOrigin: Equatable {
    case constant
    /// Computed from constants alone, so perhaps the library treats it as a constant.
    case maybeConstant
    case attribute(AttributeType)
    /// Passed on from a float attribute, so perhaps the library treats it as one.
    case maybeFloat
    case entityName
    /// A double that stands for an integer beyond 64 bits.
    case overflow
    /// The sum of no values, or computed from it: an integer here, and a decimal for the library if
    /// the values would be decimals.
    case sumOfNone
    case computed

    var isConstant: Bool { self == .constant || self == .maybeConstant }
    var isFloat: Bool { self == .attribute(.float) || self == .maybeFloat }

    /// The origin of a value that a function returns unchanged.
    var passedOn: NaiveOrigin {
        if isConstant { return .maybeConstant }
        if self == .overflow || self == .sumOfNone { return self }
        return isFloat ? .maybeFloat : .computed
    }
}

/// A value with its origin.
struct NaiveCell {
    var value: NaiveValue
    var origin: NaiveOrigin
    /// The entity of a missing object, if it is known.
    var entity: EntityDescription?

    init(_ value: NaiveValue, _ origin: NaiveOrigin = .computed) {
        self.value = value
        self.origin = origin
    }

    static var missing: NaiveCell { NaiveCell(.missing) }

    static func object(_ id: Int64) -> NaiveCell {
        NaiveCell(.object(PredicateObjectReference(record: id, store: SampleGraph.store)))
    }

    static func missingObject(_ entity: EntityDescription) -> NaiveCell {
        var cell = NaiveCell(.missing)
        cell.entity = entity
        return cell
    }

    static func integer(_ integer: Int) -> NaiveCell {
        NaiveCell(.number(.integer(Int64(integer))))
    }

    var isMissing: Bool {
        if case .missing = value { true } else { false }
    }

    var isCollection: Bool {
        switch value {
        case .collection, .missingCollection: true
        default: false
        }
    }

    var isObject: Bool {
        if case .object = value { true } else { false }
    }

    /// True for a decimal and for a decimal attribute without a value.
    var isDecimal: Bool {
        if case .number(.decimal) = value { return true }
        return origin == .attribute(.decimal)
    }

    /// True for an integer, also one beyond 64 bits.
    var isWhole: Bool {
        if case .number(.integer) = value { return true }
        return origin == .overflow
    }

    var passedOn: NaiveCell {
        var cell = self
        cell.origin = origin.passedOn
        return cell
    }
}

extension NaiveValue {
    init(_ value: PropertyValue) throws {
        switch value {
        case .null: self = .missing
        case .bool(let flag): self = .number(.integer(flag ? 1 : 0))
        case .integer(let integer): self = .number(.integer(integer))
        case .double(let double): self = .number(.double(double))
        case .decimal(let decimal): self = .number(.decimal(decimal.decimal))
        case .string(let text), .uri(let text): self = .text(text)
        case .date(let seconds): self = .date(seconds)
        case .data(let data): self = .bytes(Array(data))
        case .uuid(let uuid): self = NaiveValue.of(uuid)
        case .reference, .group, .unknown: throw NaiveDoubt()
        }
    }

    static func of(_ uuid: UUID) -> NaiveValue {
        .uuid(withUnsafeBytes(of: uuid.uuid) { Array($0) })
    }

    /// The origin of this value if it was computed from integers.
    var wholeOrigin: NaiveOrigin {
        if case .number(.double) = self { .overflow } else { .computed }
    }

    /// A double as a value; NaN is missing.
    static func result(_ double: Double) -> NaiveValue {
        double.isNaN ? .missing : .number(.double(double))
    }
}
