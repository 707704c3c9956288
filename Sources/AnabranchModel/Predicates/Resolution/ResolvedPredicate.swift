package import AnabranchReplication

/// A predicate checked against an entity: keys are properties, and constants have types.
///
/// The store translates it to SQL and a context evaluates it in memory, with the same result. Every
/// condition is true or false: a comparison with a missing value is false, but `nil` equals `nil`.
package indirect enum ResolvedPredicate: Hashable, Sendable {
    /// A condition that is always true or always false.
    case constant(Bool)
    /// Holds if all parts hold.
    case conjunction([ResolvedPredicate])
    /// Holds if one of the parts holds.
    case disjunction([ResolvedPredicate])
    /// Holds if the predicate does not hold.
    case negation(ResolvedPredicate)
    /// Compares two operands by order or equality.
    case comparison(ResolvedOperand, ResolvedRelation, ResolvedOperand, ComparisonOptions)
    /// Holds if the operand equals an element of the list.
    case membership(ResolvedOperand, ResolvedList, ComparisonOptions)
    /// Compares two texts.
    case text(ResolvedOperand, TextRelation, ResolvedOperand, ComparisonOptions)
    /// Holds if a regular expression matches the whole text.
    case matches(ResolvedOperand, RegularExpression)
    /// Holds if a search for words finds the object.
    case search(ResolvedSearch)
    /// Holds if some element of the collection satisfies the predicate.
    case exists(ResolvedCollection, ResolvedPredicate)
    /// Holds if there is an object at the end of a path, and its entity is one of these.
    case entity(ObjectPath, Set<EntityDescription>)
}

/// A relation of two values: order for numbers, texts and dates, equality for all values.
package enum ResolvedRelation: String, Hashable, Sendable {
    /// Equal.
    case equal = "="
    /// Less.
    case less = "<"
    /// Less or equal.
    case lessOrEqual = "<="
    /// Greater.
    case greater = ">"
    /// Greater or equal.
    case greaterOrEqual = ">="

    /// The relation with its sides exchanged.
    var mirrored: ResolvedRelation {
        switch self {
        case .equal: .equal
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

/// A relation of two texts.
package enum TextRelation: Hashable, Sendable {
    /// The first text begins with, ends with, or contains the second.
    case beginsWith, endsWith, contains
    /// The first text matches the second, a pattern with wildcards.
    case like
    /// The first text matches the second, a regular expression, as a whole.
    case matches
}

/// An object, given as the to-one relationships from an object in scope to it.
package struct ObjectPath: Hashable, Sendable {
    /// The start of the path: 0 is the evaluated object, n an element of the n-th collection.
    package let scope: Int
    /// The to-one relationships to follow.
    package let steps: [RelationshipDescription]

    /// Creates a path from an object in scope along to-one relationships.
    package init(scope: Int, steps: [RelationshipDescription] = []) {
        self.scope = scope
        self.steps = steps
    }
}

/// The content of a to-many relationship of an object, or the values that an attribute holds.
///
/// The element of a held value stands for the object as if the attribute had this value.
package struct ResolvedCollection: Hashable, Sendable {
    /// The object that has the property.
    package let owner: ObjectPath
    /// The to-many relationship, or an attribute under the merge rule `keepBoth`.
    package let property: PropertyDescription
    /// The scope of an element in the predicate about the elements.
    package let scope: Int
}

/// The right side of IN, without repetition and order.
package struct ResolvedList: Hashable, Sendable {
    /// The values, without `null`, in the case of the other side.
    ///
    /// A number that this case cannot hold stays in its own case; it equals no value of the other
    /// side.
    package let values: Set<PropertyValue>
    package let objects: Set<PredicateObjectReference>
    /// True if the list contains a missing value.
    package let containsNull: Bool
}

/// A sort key checked against an entity.
package struct ResolvedSort: Hashable, Sendable {
    package let operand: ResolvedOperand
    /// True if smaller values come first.
    package let isAscending: Bool
    package let options: ComparisonOptions

    /// True for the relevance to a search, which the store knows only of what is saved.
    package var isRelevance: Bool { operand == .relevance }
}

extension ResolvedSort {
    /// Sorts by a value, the least one first.
    package init(_ operand: ResolvedOperand) {
        self.init(operand: operand, isAscending: true, options: [])
    }
}

extension FetchPredicate {
    /// Checks the predicate against an entity, as a fetch of the entity's objects does.
    ///
    /// - Parameter variables: Values of `$variables`, named without the `$`.
    /// - Throws: ``FetchPredicateError`` with entity, key and types.
    public func check(
        for entity: EntityDescription, variables: [String: (any PredicateArgument)?] = [:]
    ) throws(FetchPredicateError) {
        _ = try resolved(for: entity, variables: variables)
    }

    /// Checks the predicate against an entity, and returns its resolved form.
    ///
    /// A constant takes the type of the attribute that it is compared with, if this is exact:
    ///
    /// - An integer becomes a double or a decimal; `0` and `1` become booleans.
    /// - A double literal becomes the decimal that it reads as.
    /// - A text becomes a URI or a UUID, but never a number or a date.
    /// - A constant for a float attribute is rounded to a float, as the stored values are.
    ///
    /// - Parameter variables: Values of `$variables`, named without the `$`.
    ///
    /// `now()` is the time of this call.
    ///
    /// - Throws: ``FetchPredicateError`` with entity, key and types. The code is `notEvaluable` if
    ///   the predicate follows the grammar, and no store can evaluate it.
    package func resolved(
        for entity: EntityDescription, variables: [String: (any PredicateArgument)?] = [:]
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let bound = variables.isEmpty ? self : try substituting(variables)
        return try PredicateResolver(entity).resolve(bound)
    }
}

extension FetchSort {
    /// Checks the sort key against an entity.
    ///
    /// - Throws: ``FetchPredicateError`` with entity and key.
    package func resolved(for entity: EntityDescription) throws(FetchPredicateError) -> ResolvedSort
    {
        try PredicateResolver(entity).resolve(self)
    }
}
