package import AnabranchReplication

/// One side of a comparison, or a part of it, resolved.
package indirect enum ResolvedOperand: Hashable, Sendable {
    /// A constant of the type of the attribute that it is compared with, or a number.
    case constant(PropertyValue)
    /// A given object.
    case object(PredicateObjectReference)
    /// The value of an attribute of the object at the end of a path.
    case attribute(ObjectPath, AttributeDescription)
    /// The object itself at the end of a path.
    case record(ObjectPath)
    /// The number of elements of a collection, or of those that satisfy the predicate.
    ///
    /// The value is missing if the object that has the collection is missing.
    case count(ResolvedCollection, ResolvedPredicate?)
    /// The result of a function, and its type.
    case function(ValueFunction, [ResolvedOperand], AttributeType)
    /// A value computed from the values of a collection, and its type.
    ///
    /// It is missing if the object that has the collection is missing.
    case reduction(ValueReduction, ResolvedElements, AttributeType)
    /// A value computed from some values, and its type.
    case listReduction(ValueReduction, [ResolvedOperand], AttributeType)
    /// A value computed from the values that the rows of a group have, and its type. An operand
    /// of objects is only counted. If `isDistinct`, equal values count once.
    case aggregate(ValueReduction, ResolvedOperand, isDistinct: Bool, AttributeType)
    /// The first operand if the predicate holds, or else the second, and the type of both.
    ///
    /// The type is `nil` if both are objects.
    case conditional(ResolvedPredicate, ResolvedOperand, ResolvedOperand, AttributeType?)
    /// The relevance of the evaluated object to the search in the predicate. Greater is better.
    case relevance
    /// A part of an attribute's text with the words that the search in the predicate has found.
    case snippet(AttributeDescription, SnippetForm)
    /// The value of an operand for one element of an ordered collection.
    ///
    /// It is missing if the collection has no such element. The element is in the scope of the
    /// collection.
    case element(ResolvedCollection, ElementPlace, ResolvedOperand)
}

/// The place of an element in an ordered collection.
package enum ElementPlace: Hashable, Sendable {
    /// The place from the beginning; the first is 0.
    case fromStart(Int)
    /// The last place.
    case last
}

/// The elements of a to-many relationship that satisfy a predicate.
package struct ResolvedSelection: Hashable, Sendable {
    /// The relationship of an object.
    package let collection: ResolvedCollection
    /// The condition on the elements, in the scope of the collection; `nil` for all.
    package let filter: ResolvedPredicate?

    package init(collection: ResolvedCollection, filter: ResolvedPredicate?) {
        self.collection = collection
        self.filter = filter
    }
}

/// The values that the elements of a collection have.
package struct ResolvedElements: Hashable, Sendable {
    /// The collections, each of the elements of the one before it; never empty.
    package let selections: [ResolvedSelection]
    /// The value, in the scope of the last collection.
    package let value: ResolvedOperand
    /// True if equal values count once.
    package let isDistinct: Bool
}

extension ResolvedOperand {
    /// True if the operand is an object, or nil in place of one.
    package var isObject: Bool {
        switch self {
        case .object, .record: true
        case .conditional(_, _, _, let type): type == nil
        case .element(_, _, let value): value.isObject
        case .constant, .attribute, .count, .function, .reduction, .listReduction, .aggregate,
            .relevance, .snippet:
            false
        }
    }

    /// The type of the values; `nil` for objects and for a missing constant.
    package var type: AttributeType? {
        switch self {
        case .constant(let value): AttributeType(holding: value)
        case .attribute(_, let attribute): attribute.type
        case .count: .integer64
        case .function(_, _, let type), .reduction(_, _, let type),
            .listReduction(_, _, let type), .aggregate(_, _, _, let type):
            type
        case .conditional(_, _, _, let type): type
        case .element(_, _, let value): value.type
        case .relevance: .double
        case .snippet: .string
        case .object, .record: nil
        }
    }

    var isNullConstant: Bool { if case .constant(.null) = self { true } else { false } }
}
