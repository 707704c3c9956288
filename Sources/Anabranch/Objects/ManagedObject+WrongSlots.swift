// Unavailable accessors, which the compiler chooses if no accessor of slots fits the type of a
// property. Their messages say what to do if `@Entity` or a hand-written class guessed the wrong
// kind of property.
extension ManagedObject {
    /// Unavailable: the property's type does not conform to ``AttributeValue``.
    @available(
        *, unavailable,
        message: """
            this type does not conform to AttributeValue, as that of an attribute has to unless \
            a transformer makes bytes of it and it is marked @Transformable; a to-one \
            relationship is an optional of a ManagedObject's class without @Attribute, and a \
            to-many relationship a ManagedObjectSet or, where it is ordered, a ManagedObjectList
            """
    )
    public final subscript<T>(slot slot: Int) -> T {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property lacks the mark of a composite attribute.
    @available(
        *, unavailable,
        message: """
            mark this property with @Attribute(.composite), because its type is a struct with \
            @Composite
            """
    )
    public final subscript<T: CompositeValue>(slot slot: Int) -> T {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property lacks the mark of a composite attribute.
    @available(
        *, unavailable,
        message: """
            mark this property with @Attribute(.composite), because its type is a struct with \
            @Composite
            """
    )
    public final subscript<T: CompositeValue>(toOne slot: Int) -> T? {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is no struct with elements.
    @available(
        *, unavailable,
        message: """
            a composite attribute has the type of a struct with @Composite, optional or not: write \
            @Composite before that struct, or remove .composite from the mark
            """
    )
    public final subscript<T>(composite name: String) -> T {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is not optional.
    @available(
        *, unavailable,
        message: """
            a transformable attribute is nil where it has no value: make the property's type \
            optional
            """
    )
    public final subscript<T>(transformable slot: Int) -> T {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is not an optional class of a ``ManagedObject``.
    @available(
        *, unavailable,
        message: """
            this type is no optional of a ManagedObject's class; if it conforms to \
            AttributeValue, the property is an attribute: mark it with @Attribute, and with \
            @Transformable where a transformer makes bytes of its values
            """
    )
    public final subscript<T>(toOne slot: Int) -> T {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }
}
