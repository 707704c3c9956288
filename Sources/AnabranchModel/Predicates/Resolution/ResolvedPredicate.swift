public import AnabranchReplication

/// A predicate checked against an entity: keys are properties, constants have their types.
///
/// The store makes SQL of it, a context evaluates it in memory, and both give the same answer.
/// There is no third truth value: a comparison with a missing value is false, but `nil` equals
/// `nil`.
public indirect enum ResolvedPredicate: Hashable, Sendable {
    case constant(Bool)
    case conjunction([ResolvedPredicate])
    case disjunction([ResolvedPredicate])
    case negation(ResolvedPredicate)
    case comparison(ResolvedOperand, ResolvedRelation, ResolvedOperand, ComparisonOptions)
    case membership(ResolvedOperand, ResolvedList, ComparisonOptions)
    case text(ResolvedOperand, TextRelation, ResolvedOperand, ComparisonOptions)
    /// Some element of the collection satisfies the predicate.
    case exists(ResolvedCollection, ResolvedPredicate)
}

/// Order among numbers, texts, dates; equality among all.
public enum ResolvedRelation: String, Hashable, Sendable {
    case equal = "="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
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

public enum TextRelation: Hashable, Sendable {
    case beginsWith, endsWith, contains, like
}

public enum ResolvedOperand: Hashable, Sendable {
    /// In the case of the attribute that it is compared with, or a number.
    case constant(Value)
    case object(PredicateObjectReference)
    case attribute(ObjectPath, AttributeDescription)
    /// The object itself at the end of a path.
    case record(ObjectPath)
    /// How many elements a collection has, or how many of them satisfy the predicate; missing
    /// where the object that has the collection is.
    indirect case count(ResolvedCollection, ResolvedPredicate?)
}

/// An object, by the to-one relationships that lead to it.
public struct ObjectPath: Hashable, Sendable {
    /// 0 is the evaluated object, n the element of the n-th collection around.
    public let scope: Int
    public let steps: [RelationshipDescription]

    public init(scope: Int, steps: [RelationshipDescription] = []) {
        self.scope = scope
        self.steps = steps
    }
}

/// The content of a to-many relationship of an object.
public struct ResolvedCollection: Hashable, Sendable {
    public let owner: ObjectPath
    public let relationship: RelationshipDescription
    /// The scope of its elements in what is asked of them.
    public let scope: Int
}

/// The right side of IN, without repetition or order.
public struct ResolvedList: Hashable, Sendable {
    /// Of the case that the other side has, and none of them `null`. Only where no value of that
    /// case equals it a number may be of another.
    public let values: Set<Value>
    public let objects: Set<PredicateObjectReference>
    public let containsNull: Bool
}

/// A sort key checked against an entity.
public struct ResolvedSort: Hashable, Sendable {
    public let operand: ResolvedOperand
    public let isAscending: Bool
    public let options: ComparisonOptions
}

extension FetchPredicate {
    /// Checks the predicate against an entity.
    ///
    /// Constants take the type of what they are compared with where nothing is lost: an integer
    /// becomes a double or a decimal, a double literal the decimal that it reads as, `0` and `1`
    /// booleans, a text a URI or a UUID; a constant for a float attribute is rounded to a float,
    /// as the stored values are. Text is never read as a number or a date.
    ///
    /// - Parameter variables: Values of `$variables`, named without the `$`.
    /// - Throws: ``FetchPredicateError`` naming entity, key and types; with code `notSupportedYet`
    ///   where the predicate is sound and asks for what is still to come.
    public func resolved(
        for entity: EntityDescription, variables: [String: (any PredicateArgument)?] = [:]
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let bound = variables.isEmpty ? self : try substituting(variables)
        return try PredicateResolver(entity).resolve(bound)
    }
}

extension FetchSort {
    /// - Throws: ``FetchPredicateError`` naming entity and key.
    public func resolved(for entity: EntityDescription) throws(FetchPredicateError) -> ResolvedSort
    {
        try PredicateResolver(entity).resolve(self)
    }
}
