public import AnabranchReplication
public import Foundation

/// What may replace a placeholder of a predicate's format, or a variable.
///
/// An argument is data, never syntax: quotation marks in it mean nothing. Only the wildcards of
/// LIKE and MATCHES stay active, so a pattern is built in the argument.
public protocol PredicateArgument {
    /// What stands in the predicate; a type all of whose values can be compared declares it
    /// without `throws`.
    ///
    /// - Throws: ``FetchPredicateError`` with code `invalidArgument` where no attribute has such a
    ///   value, so that every comparison with another in its place would be wrong.
    var predicateExpression: FetchExpression { get throws(FetchPredicateError) }
}

/// An object, or the ID of one, as an argument.
public protocol PredicateObject: PredicateArgument {
    /// The local ID in the store.
    var predicateRecord: Int64 { get }
    /// Tells the store that the object is of.
    var predicateStore: any Hashable & Sendable { get }
}

extension PredicateObject {
    public var predicateExpression: FetchExpression {
        FetchExpression(
            .constant(
                .object(PredicateObjectReference(record: predicateRecord, store: predicateStore))))
    }
}

extension FetchExpression: PredicateArgument {
    public var predicateExpression: FetchExpression { self }
}

extension PredicateConstant: PredicateArgument {
    public var predicateExpression: FetchExpression { FetchExpression(.constant(self)) }
}

extension Value: PredicateArgument {
    /// A `bool` becomes the integer that `YES` and `NO` are in a format.
    public var predicateExpression: FetchExpression {
        if case .bool(let flag) = self {
            return FetchExpression(.constant(.value(.integer(flag ? 1 : 0))))
        }
        return FetchExpression(.constant(.value(self)))
    }
}

extension PredicateArgument where Self: BinaryInteger {
    /// An integer beyond 64 bits of `Int64` becomes a decimal.
    ///
    /// - Throws: ``FetchPredicateError`` for more than 38 digits.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) {
            if let integer = Int64(exactly: self) {
                return Value.integer(integer).predicateExpression
            }
            guard let decimal = ExactDecimal(String(self)) else { throw .tooLong(String(self)) }
            return Value.decimal(decimal).predicateExpression
        }
    }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Double: PredicateArgument {
    public var predicateExpression: FetchExpression { Value.double(self).predicateExpression }
}

extension Float: PredicateArgument {
    public var predicateExpression: FetchExpression { Double(self).predicateExpression }
}

extension Bool: PredicateArgument {
    public var predicateExpression: FetchExpression { Value.bool(self).predicateExpression }
}

extension String: PredicateArgument {
    public var predicateExpression: FetchExpression { Value.string(self).predicateExpression }
}

extension Substring: PredicateArgument {
    public var predicateExpression: FetchExpression { String(self).predicateExpression }
}

extension Date: PredicateArgument {
    public var predicateExpression: FetchExpression {
        Value.date(timeIntervalSinceReferenceDate).predicateExpression
    }
}

extension Data: PredicateArgument {
    public var predicateExpression: FetchExpression { Value.data(self).predicateExpression }
}

extension UUID: PredicateArgument {
    public var predicateExpression: FetchExpression { Value.uuid(self).predicateExpression }
}

extension URL: PredicateArgument {
    public var predicateExpression: FetchExpression {
        Value.uri(absoluteString).predicateExpression
    }
}

extension ExactDecimal: PredicateArgument {
    public var predicateExpression: FetchExpression { Value.decimal(self).predicateExpression }
}

extension Decimal: PredicateArgument {
    /// - Throws: ``FetchPredicateError`` for NaN and for more than 38 digits, of which divisions
    ///   make 39.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) {
            if let decimal = ExactDecimal(self) { return decimal.predicateExpression }
            throw isNaN
                ? FetchPredicateError(
                    .invalidArgument, "Can't compare with the decimal NaN: no attribute holds it.")
                : .tooLong("\(self)")
        }
    }
}

extension FetchPredicateError {
    fileprivate static func tooLong(_ number: String) -> FetchPredicateError {
        FetchPredicateError(
            .invalidArgument,
            "Can't compare with \(number) because it has more than the 38 digits that an attribute "
                + "holds; round it.")
    }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) { try .constant(self) }
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) { try .collection(self) }
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) { try .collection(self) }
    }
}

extension FetchExpression {
    /// One constant where all elements are constants, so that long lists stay one node.
    static func collection(
        _ elements: some Sequence<some PredicateArgument>
    ) throws(FetchPredicateError) -> Self {
        var expressions: [FetchExpression] = []
        for element in elements { expressions.append(try element.predicateExpression) }
        return aggregate(expressions)
    }

    static func aggregate(
        _ elements: [FetchExpression], column: SourceColumn = .none
    ) -> FetchExpression {
        var constants: [PredicateConstant] = []
        constants.reserveCapacity(elements.count)
        for element in elements {
            guard case .constant(let constant) = element.form else {
                return FetchExpression(.aggregate(elements), column: column)
            }
            constants.append(constant)
        }
        return FetchExpression(.constant(.collection(constants)), column: column)
    }
}
