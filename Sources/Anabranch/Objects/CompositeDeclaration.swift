import AnabranchModel

/// The elements of a composite attribute, as its struct declares them.
///
/// The macro ``Composite()`` generates it; a struct by hand can declare it in the same form. The
/// elements are in any order.
public struct CompositeDeclaration {
    private let type: any CompositeValue.Type
    private var attributes: [AttributeDeclaration] = []
    private var compositeAttributes: [CompositeAttribute] = []
    /// The problems, each with the name of the element.
    private(set) var problems: [(element: String, code: ModelError.Code, message: String)] = []

    /// Declares the type of a composite attribute, without elements.
    public init(of type: any CompositeValue.Type) { self.type = type }

    /// Declares an element that is an attribute; an optional type makes an optional one.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - settings: What the mark `@Attribute` says.
    ///   - initially: Returns the default value, the same one each time.
    public mutating func element<T: AttributeValue>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings = AttributeSettings(),
        initially: (() throws -> T)? = nil
    ) {
        let declared = DeclaredAttribute(name, type, settings, initially, path: path(name))
        attributes.append(declared.attribute)
        for problem in declared.problems { refuse(problem.code, name, problem.message) }
        guard settings.options.isDisjoint(with: [.unique, .indexed]), settings.group == nil else {
            return refuse(
                .invalidProperty, name,
                "Can't use \(path(name)) because an element of a composite attribute is unique or "
                    + "indexed only in a model in Swift, and in the group of the composite "
                    + "attribute already; remove that from its mark.")
        }
    }

    /// Declares an element that is a mandatory composite attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - settings: What the mark `@Attribute` says.
    public mutating func element<T: CompositeValue>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings = AttributeSettings()
    ) { add(name, T.self, settings, isOptional: false) }

    /// Declares an element that is an optional composite attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - settings: What the mark `@Attribute` says.
    public mutating func element<T: CompositeValue>(
        _ name: String, _ type: T?.Type, _ settings: AttributeSettings = AttributeSettings()
    ) { add(name, T.self, settings, isOptional: true) }

    /// Declares an element of a type that can't be stored. The compiler reports such a type where
    /// the struct sets the element.
    @_disfavoredOverload
    public mutating func element<T>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings = AttributeSettings(),
        initially: (() throws -> T)? = nil
    ) {
        refuse(
            .invalidProperty, name,
            "Can't use \(path(name)) because \(T.self) conforms neither to AttributeValue nor to "
                + "CompositeValue; let it conform.")
    }

    private mutating func add(
        _ name: String, _ type: any CompositeValue.Type, _ settings: AttributeSettings,
        isOptional: Bool
    ) {
        let declaration = type.compositeDeclaration
        compositeAttributes.append(
            declaration.composite(named: name, settings, isOptional: isOptional))
        if let objection = settings.objectionToComposite {
            refuse(.invalidProperty, name, "Can't use \(path(name)) because \(objection).")
        }
        for problem in declaration.problems {
            refuse(problem.code, "\(name).\(problem.element)", problem.message)
        }
    }

    private mutating func refuse(_ code: ModelError.Code, _ element: String, _ message: String) {
        problems.append((element, code, message))
    }

    private func path(_ name: String) -> String { "\(type).\(name)" }

    /// The composite attribute with these elements.
    func composite(
        named name: String, _ settings: AttributeSettings = AttributeSettings(),
        isOptional: Bool = true
    ) -> CompositeAttribute {
        var composite = settings.compositeAttribute(name)
        composite.typeName = "\(type)".split(separator: ".").last.map(String.init)
        composite.isOptional = isOptional
        composite.attributes = attributes
        composite.compositeAttributes = compositeAttributes
        return composite
    }
}
