public import AnabranchReplication
public import Foundation

/// A value that replaces a placeholder or a variable of a predicate.
///
/// An argument is data and never syntax: quotation marks in it have no meaning. Only the wildcards
/// of LIKE and MATCHES keep their meaning, so an argument can be a pattern.
public protocol PredicateArgument {
    /// The expression that the predicate contains.
    ///
    /// A type implements it without `throws` if all its values can be compared.
    ///
    /// - Throws: ``FetchPredicateError`` with code `invalidArgument` if no attribute can hold the
    ///   value. Replacing it by a similar value would give wrong results.
    var predicateExpression: FetchExpression { get throws(FetchPredicateError) }
}

/// An object, or the ID of an object, as an argument.
public protocol PredicateObject: PredicateArgument {}

extension FetchExpression: PredicateArgument {
    /// The expression itself.
    public var predicateExpression: FetchExpression { self }
}

extension PredicateConstant: PredicateArgument {
    /// The constant as an expression.
    public var predicateExpression: FetchExpression { FetchExpression(.constant(self)) }
}

extension PropertyValue: PredicateArgument {
    /// The value as a constant; a `bool` becomes an integer, as `YES` and `NO` in a format.
    public var predicateExpression: FetchExpression {
        if case .bool(let flag) = self {
            return FetchExpression(.constant(.value(.integer(flag ? 1 : 0))))
        }
        return FetchExpression(.constant(.value(self)))
    }
}

extension PredicateArgument where Self: BinaryInteger {
    /// The integer as a constant; an integer beyond `Int64` becomes a decimal.
    ///
    /// - Throws: ``FetchPredicateError`` for more than 38 digits.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) {
            if let integer = Int64(exactly: self) {
                return PropertyValue.integer(integer).predicateExpression
            }
            guard let decimal = ExactDecimal(String(self)) else { throw .tooLong(String(self)) }
            return PropertyValue.decimal(decimal).predicateExpression
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
    /// The number as a constant.
    public var predicateExpression: FetchExpression {
        PropertyValue.double(self).predicateExpression
    }
}

extension Float: PredicateArgument {
    /// The number as a constant, converted to `Double`.
    public var predicateExpression: FetchExpression { Double(self).predicateExpression }
}

extension Bool: PredicateArgument {
    /// The integer 1 or 0 as a constant.
    public var predicateExpression: FetchExpression { PropertyValue.bool(self).predicateExpression }
}

extension String: PredicateArgument {
    /// The text as a constant.
    public var predicateExpression: FetchExpression {
        PropertyValue.string(self).predicateExpression
    }
}

extension Substring: PredicateArgument {
    /// The text as a constant.
    public var predicateExpression: FetchExpression { String(self).predicateExpression }
}

extension Date: PredicateArgument {
    /// The time as a constant.
    public var predicateExpression: FetchExpression {
        PropertyValue.date(timeIntervalSinceReferenceDate).predicateExpression
    }
}

extension Data: PredicateArgument {
    /// The bytes as a constant.
    public var predicateExpression: FetchExpression { PropertyValue.data(self).predicateExpression }
}

extension UUID: PredicateArgument {
    /// The UUID as a constant.
    public var predicateExpression: FetchExpression { PropertyValue.uuid(self).predicateExpression }
}

extension URL: PredicateArgument {
    /// The absolute URL as a constant.
    public var predicateExpression: FetchExpression {
        PropertyValue.uri(absoluteString).predicateExpression
    }
}

extension ExactDecimal: PredicateArgument {
    /// The decimal as a constant.
    public var predicateExpression: FetchExpression {
        PropertyValue.decimal(self).predicateExpression
    }
}

extension Decimal: PredicateArgument {
    /// The decimal as a constant.
    ///
    /// - Throws: ``FetchPredicateError`` for NaN, and for more than 38 digits, which a division can
    ///   produce.
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
    /// The wrapped value as a constant; `nil` is the missing value.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) { try .constant(self) }
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The elements as a collection.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) { try .collection(self) }
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// The elements as a collection, in no particular order.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) { try .collection(self) }
    }
}

extension FetchExpression {
    /// Combines elements into one constant if all are constants, so a long list is one node.
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
