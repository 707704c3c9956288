import AnabranchModel
import AnabranchReplication

/// The objects of a to-many relationship, as the value of a property.
public protocol ToManyProperty<Element> {
    /// The class of the objects.
    associatedtype Element: ManagedObject
}

extension ManagedObjectSet: ToManyProperty {}
extension ManagedObjectList: ToManyProperty {}
extension Optional: ToManyProperty where Wrapped: ToManyProperty {
    /// The class of the objects.
    public typealias Element = Wrapped.Element
}

// Conditions on the objects of a to-many relationship, after a literal in parentheses:
// `(\Person.reports).contains(where: \.age > 60)`.
extension KeyPath where Root: ManagedObject, Value: ToManyProperty {
    /// Holds if the relationship has an object for which a predicate holds.
    public func contains(
        where predicate: ObjectPredicate<Value.Element>
    ) -> ObjectPredicate<Root> { count(where: predicate) > 0 }

    /// Holds if a predicate holds for every object of the relationship, also if there is none.
    public func allSatisfy(
        _ predicate: ObjectPredicate<Value.Element>
    ) -> ObjectPredicate<Root> { count(where: !predicate) == 0 }

    /// Holds if the relationship has an object.
    public func contains(_ object: Value.Element) -> ObjectPredicate<Root> {
        ObjectExpression(self).compared(.contains, object)
    }

    /// Holds if the relationship has no objects.
    public var isEmpty: ObjectPredicate<Root> { count == 0 }

    /// The number of objects of the relationship.
    public var count: ObjectExpression<Root, Int> { reduced("count", nil) }

    /// The number of objects of the relationship for which a predicate holds.
    public func count(
        where predicate: ObjectPredicate<Value.Element>
    ) -> ObjectExpression<Root, Int> {
        ObjectExpression(depth: predicate.depth + 1) { () throws(FetchPredicateError) in
            let path = try PropertyPath(self, of: Root.self).expression
            let variable = "object\(predicate.depth + 1)"
            let filter = try predicate.content.get().relative(toVariable: variable)
            return FetchExpression(
                .path(
                    FetchExpression(.subquery(path, variable: variable, filter)),
                    [.collectionOperator("count")]))
        }
    }

    /// The sum of a property of the objects; 0 for none.
    public func sum<Number>(
        _ property: KeyPath<Value.Element, Number>
    ) -> ObjectExpression<Root, Number> { reduced("sum", property) }

    /// The mean of a property of the objects; missing for none.
    public func average<Number>(
        _ property: KeyPath<Value.Element, Number>
    ) -> ObjectExpression<Root, Double?> { reduced("avg", property) }

    /// The least value of a property of the objects; missing for none.
    public func minimum<Number>(
        _ property: KeyPath<Value.Element, Number>
    ) -> ObjectExpression<Root, Number?> { reduced("min", property) }

    /// The greatest value of a property of the objects; missing for none.
    public func maximum<Number>(
        _ property: KeyPath<Value.Element, Number>
    ) -> ObjectExpression<Root, Number?> { reduced("max", property) }

    private func reduced<Result>(
        _ operation: String, _ property: AnyKeyPath?
    ) -> ObjectExpression<Root, Result> {
        ObjectExpression { () throws(FetchPredicateError) in
            let path = try PropertyPath(self, of: Root.self).steps
            let rest = try property.map { keyPath throws(FetchPredicateError) in
                try PropertyPath(keyPath, of: Value.Element.self).steps
            }
            return FetchExpression(
                .path(nil, path + [.collectionOperator(operation)] + (rest ?? [])))
        }
    }
}
