public import AnabranchReplication
public import Foundation

/// What may replace a placeholder of a predicate's format, or a variable.
///
/// An argument is data, never syntax: quotation marks in it mean nothing. Only the wildcards of
/// LIKE and MATCHES stay active, so a pattern is built in the argument.
public protocol PredicateArgument {
    var predicateExpression: PredicateExpression { get }
}

/// An object, or the ID of one, as an argument.
public protocol PredicateObject: PredicateArgument {
    /// The local ID in the store.
    var predicateRecord: Int64 { get }
    /// Tells the store that the object is of.
    var predicateStore: any Hashable & Sendable { get }
}

extension PredicateObject {
    public var predicateExpression: PredicateExpression {
        PredicateExpression(
            .constant(
                .object(PredicateObjectReference(record: predicateRecord, store: predicateStore))))
    }
}

extension PredicateExpression: PredicateArgument {
    public var predicateExpression: PredicateExpression { self }
}

extension PredicateConstant: PredicateArgument {
    public var predicateExpression: PredicateExpression { PredicateExpression(.constant(self)) }
}

extension Value: PredicateArgument {
    /// A `bool` becomes the integer that `YES` and `NO` are in a format.
    public var predicateExpression: PredicateExpression {
        if case .bool(let flag) = self {
            return PredicateExpression(.constant(.value(.integer(flag ? 1 : 0))))
        }
        return PredicateExpression(.constant(.value(self)))
    }
}

extension PredicateArgument where Self: BinaryInteger {
    /// An integer beyond 64 bits of `Int64` becomes a decimal.
    public var predicateExpression: PredicateExpression {
        if let integer = Int64(exactly: self) { return Value.integer(integer).predicateExpression }
        let decimal = ExactDecimal(String(self)) ?? .zero
        return Value.decimal(decimal).predicateExpression
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
    public var predicateExpression: PredicateExpression { Value.double(self).predicateExpression }
}

extension Float: PredicateArgument {
    public var predicateExpression: PredicateExpression { Double(self).predicateExpression }
}

extension Bool: PredicateArgument {
    public var predicateExpression: PredicateExpression { Value.bool(self).predicateExpression }
}

extension String: PredicateArgument {
    public var predicateExpression: PredicateExpression { Value.string(self).predicateExpression }
}

extension Substring: PredicateArgument {
    public var predicateExpression: PredicateExpression { String(self).predicateExpression }
}

extension Date: PredicateArgument {
    public var predicateExpression: PredicateExpression {
        Value.date(timeIntervalSinceReferenceDate).predicateExpression
    }
}

extension Data: PredicateArgument {
    public var predicateExpression: PredicateExpression { Value.data(self).predicateExpression }
}

extension UUID: PredicateArgument {
    public var predicateExpression: PredicateExpression { Value.uuid(self).predicateExpression }
}

extension URL: PredicateArgument {
    public var predicateExpression: PredicateExpression {
        Value.uri(absoluteString).predicateExpression
    }
}

extension ExactDecimal: PredicateArgument {
    public var predicateExpression: PredicateExpression { Value.decimal(self).predicateExpression }
}

extension Decimal: PredicateArgument {
    /// A `NaN` becomes the double of that name, which no decimal equals.
    public var predicateExpression: PredicateExpression {
        ExactDecimal(self).map(\.predicateExpression) ?? Double.nan.predicateExpression
    }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateExpression: PredicateExpression { .constant(self) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: PredicateExpression { .collection(self) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: PredicateExpression { .collection(self) }
}

extension PredicateExpression {
    /// One constant where all elements are constants, so that long lists stay one node.
    static func collection(_ elements: some Sequence<some PredicateArgument>) -> Self {
        aggregate(elements.map(\.predicateExpression))
    }

    static func aggregate(
        _ elements: [PredicateExpression], column: SourceColumn = .none
    ) -> PredicateExpression {
        var constants: [PredicateConstant] = []
        constants.reserveCapacity(elements.count)
        for element in elements {
            guard case .constant(let constant) = element.form else {
                return PredicateExpression(.aggregate(elements), column: column)
            }
            constants.append(constant)
        }
        return PredicateExpression(.constant(.collection(constants)), column: column)
    }
}
