// Unavailable accessors, which the compiler chooses if no accessor of slots fits the type of a
// property. Their messages say what to do if `@Entity` or a hand-written class guessed the wrong
// kind of property. Only the getters are unavailable, so that the compiler reports a property once.
extension ManagedObject {
    /// Unavailable: the property's type does not conform to ``AttributeValue``.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T>(slot slot: Int) -> T {
        @available(
            *, unavailable,
            message: """
                this type does not conform to AttributeValue, as an enum does by ': String, \
                AttributeEnum'; a to-one relationship is an optional class without @Attribute, \
                a to-many relationship a ManagedObjectSet or ManagedObjectList
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is an enum that does not conform to ``AttributeEnum``.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T: RawRepresentable>(slot slot: Int) -> T {
        @available(
            *, unavailable,
            message: """
                let this type conform to AttributeEnum, as in 'enum Mood: String, \
                AttributeEnum'
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is an enum that does not conform to ``AttributeEnum``.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T: RawRepresentable>(slot slot: Int) -> T? {
        @available(
            *, unavailable,
            message: """
                let this type conform to AttributeEnum, as in 'enum Mood: String, \
                AttributeEnum'
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property lacks the mark of a composite attribute.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T: CompositeValue>(slot slot: Int) -> T {
        @available(
            *, unavailable,
            message: """
                mark this property with @Attribute(.composite), because its type is a struct \
                with @Composite
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property lacks the mark of a composite attribute.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T: CompositeValue>(toOne slot: Int) -> T? {
        @available(
            *, unavailable,
            message: """
                mark this property with @Attribute(.composite), because its type is a struct \
                with @Composite
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is no struct with elements.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T>(composite name: String) -> T {
        @available(
            *, unavailable,
            message: """
                a composite attribute has the type of a struct with @Composite, optional or \
                not: write @Composite before that struct, or remove .composite from the mark
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is not optional.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T>(transformable slot: Int) -> T {
        @available(
            *, unavailable,
            message: """
                a transformable attribute is nil where it has no value: make the property's \
                type optional
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property's type is not an optional class of a ``ManagedObject``.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T>(toOne slot: Int) -> T {
        @available(
            *, unavailable,
            message: """
                this type is no optional of a ManagedObject's class: if it is an attribute, \
                mark it with @Attribute, and with @Transformable where a transformer makes \
                bytes of its values
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }

    /// Unavailable: the property lacks the mark of an attribute, and its enum may not conform.
    @_disfavoredOverload @_documentation(visibility: internal)
    public final subscript<T: RawRepresentable>(toOne slot: Int) -> T? {
        @available(
            *, unavailable,
            message: """
                mark it with @Attribute; if its type does not conform to AttributeValue yet, \
                write 'enum Mood: String, AttributeEnum'
                """
        )
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }
}
