import AnabranchModel
import Foundation

extension PredicateExpressions.Variable: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .value(try conversion.value(of: key))
    }
}

extension PredicateExpressions.Value: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        if let range = value as? any ConvertibleRange { return try range.converted() }
        if let argument = value as? any PredicateArgument {
            return .value(try argument.predicateExpression)
        }
        if let optional = value as? any OptionalValue, optional.isMissing {
            return .value(.missing)
        }
        throw FetchPredicateError(
            .invalidArgument,
            "Can't compare with \(value) because no attribute holds a \(Output.self); compare with "
                + "a value that conforms to PredicateArgument.")
    }
}

/// An optional of an unknown type.
private protocol OptionalValue { var isMissing: Bool { get } }

extension Optional: OptionalValue { fileprivate var isMissing: Bool { self == nil } }

/// A range as a captured constant.
private protocol ConvertibleRange {
    func converted() throws(FetchPredicateError) -> Counterpart
}

extension ClosedRange: ConvertibleRange where Bound: PredicateArgument {
    fileprivate func converted() throws(FetchPredicateError) -> Counterpart {
        .range(
            try lowerBound.predicateExpression, try upperBound.predicateExpression, isClosed: true)
    }
}

extension Range: ConvertibleRange where Bound: PredicateArgument {
    fileprivate func converted() throws(FetchPredicateError) -> Counterpart {
        .range(
            try lowerBound.predicateExpression, try upperBound.predicateExpression, isClosed: false)
    }
}

extension PredicateExpressions.KeyPath: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let base = try conversion.value(root)
        if let type = Root.Output.self as? ManagedObject.Type {
            return .value(base.appending(try PropertyPath(keyPath, of: type).steps))
        }
        if let type = Root.Output.self as? any CompositeValue.Type {
            return .value(base.appending(try elementSteps(of: type)))
        }
        return try size(of: base)
    }

    /// The steps to an element of a composite attribute.
    private func elementSteps<T: CompositeValue>(
        of type: T.Type
    ) throws(FetchPredicateError) -> [PathStep] {
        guard let keys = ElementSearch<T>.keys(of: keyPath, type) else {
            throw .unconvertible(
                "a property of \(T.self)", "compare an element of the composite attribute")
        }
        return keys.map { .key($0) }
    }

    /// The number of elements of a collection, or the question whether there are any.
    private func size(of base: FetchExpression) throws(FetchPredicateError) -> Counterpart {
        let relationship = Root.Output.self as? any SizedRelationship.Type
        let isText = Root.Output.self == String.self
        if kind == .collectionIsEmpty && isText {
            return .condition(base.compared(.equal, "".predicateExpression))
        }
        if keyPath == relationship?.countKeyPath || kind == .collectionCount && !isText {
            return .value(base.appending([.collectionOperator("count")]))
        }
        if keyPath == relationship?.isEmptyKeyPath || kind == .collectionIsEmpty {
            return .condition(base.counted(.equal, 0))
        }
        throw .unconvertible(
            "a property of \(Root.Output.self)", "filter the fetched objects, or use a format")
    }
}

/// The view of a to-many relationship. A predicate can ask for its number of objects.
private protocol SizedRelationship {
    static var countKeyPath: AnyKeyPath { get }
    static var isEmptyKeyPath: AnyKeyPath { get }
}

extension ManagedObjectSet: SizedRelationship {
    fileprivate static var countKeyPath: AnyKeyPath { \Self.count }
    fileprivate static var isEmptyKeyPath: AnyKeyPath { \Self.isEmpty }
}

extension ManagedObjectList: SizedRelationship {
    fileprivate static var countKeyPath: AnyKeyPath { \Self.count }
    fileprivate static var isEmptyKeyPath: AnyKeyPath { \Self.isEmpty }
}
