public import AnabranchModel

/// A condition on objects of one class, written with Swift key paths.
///
/// ```swift
/// let request = try FetchRequest<Person>(
///     where: \.age >= 18 && \.boss?.name == "Ada", sortedBy: \.name, .reverse(\.age))
/// let named = (\Person.name).hasPrefix("A") && (\Person.reports).contains(where: \.age > 60)
/// ```
///
/// It means what the same ``FetchPredicate`` in the predicate language means, and becomes one by
/// `FetchPredicate(_:)`. A key path goes through to-one relationships to a stored property,
/// an element of a composite attribute, a to-many relationship or its `count`. A forced unwrap in
/// it never stops the program: an object without that relationship counts as one without a value.
///
/// Write the class in the key paths of a long condition with `||` and parentheses, as in
/// `\Person.age >= 18`: the compiler then checks it several times as fast. It also names a
/// misspelled property, at its place. Without the class it says of such a property that it can't
/// infer the type of the key path, or that it can't check the condition in reasonable time.
public struct ObjectPredicate<Object: ManagedObject>: Sendable {
    /// The predicate, or the reason why a part of it has no meaning for a store.
    let content: Result<FetchPredicate, FetchPredicateError>
    /// How deep its subqueries are nested, by which their variables are told apart.
    let depth: Int

    init(depth: Int = 0, _ make: () throws(FetchPredicateError) -> FetchPredicate) {
        do {
            content = .success(try make())
        } catch {
            content = .failure(error)
        }
        self.depth = depth
    }

    private init(
        _ left: ObjectPredicate, _ right: ObjectPredicate,
        _ combine: (FetchPredicate, FetchPredicate) -> FetchPredicate
    ) {
        self.init(depth: max(left.depth, right.depth)) { () throws(FetchPredicateError) in
            combine(try left.content.get(), try right.content.get())
        }
    }

    /// Holds if both predicates hold.
    public static func && (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        ObjectPredicate(left, right) { $0.and($1) }
    }

    /// Holds if one of the predicates holds.
    public static func || (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        ObjectPredicate(left, right) { $0.or($1) }
    }

    /// Holds if the predicate does not hold.
    public static prefix func ! (predicate: ObjectPredicate) -> ObjectPredicate {
        ObjectPredicate(depth: predicate.depth) { () throws(FetchPredicateError) in
            try predicate.content.get().negated
        }
    }
}

extension FetchPredicate {
    /// The predicate that was written with Swift key paths.
    ///
    /// - Throws: ``FetchPredicateError`` with code `notAProperty` for a key path that is not a
    ///   chain of stored properties, and with code `invalidArgument` for a value that no attribute
    ///   can hold.
    public init<Object: ManagedObject>(
        _ predicate: ObjectPredicate<Object>
    ) throws(FetchPredicateError) {
        self = try predicate.content.get()
    }
}

/// A value that is computed from an object of one class, to be compared in an ``ObjectPredicate``.
public struct ObjectExpression<Object: ManagedObject, Value>: Sendable {
    let content: Result<FetchExpression, FetchPredicateError>
    let depth: Int

    init(depth: Int = 0, _ make: () throws(FetchPredicateError) -> FetchExpression) {
        do {
            content = .success(try make())
        } catch {
            content = .failure(error)
        }
        self.depth = depth
    }

    /// The value of a property.
    public init(_ keyPath: KeyPath<Object, Value>) {
        self.init { () throws(FetchPredicateError) in
            try PropertyPath(keyPath, of: Object.self).expression
        }
    }

    func compared(
        _ comparison: PredicateOperator, _ value: some PredicateArgument,
        _ options: ComparisonOptions = []
    ) -> ObjectPredicate<Object> {
        ObjectPredicate(depth: depth) { () throws(FetchPredicateError) in
            .comparison(
                PredicateComparison(
                    try content.get(), comparison, try value.predicateExpression,
                    options: options))
        }
    }

    func compared(
        _ comparison: PredicateOperator, _ other: ObjectExpression<Object, some Any>
    ) -> ObjectPredicate<Object> {
        ObjectPredicate(depth: max(depth, other.depth)) { () throws(FetchPredicateError) in
            .comparison(PredicateComparison(try content.get(), comparison, try other.content.get()))
        }
    }
}
