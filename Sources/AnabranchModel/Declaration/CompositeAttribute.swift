/// An attribute composed of elements, such as an address of a street and a city.
///
/// The elements are attributes, or composite attributes again. Each attribute among them has a
/// column of its own, and its name is the path to it: `address.city`. That is also its name in
/// predicates, sorts, indexes, constraints and validation errors.
///
/// All elements merge as one value, as the members of an ``AttributeGroup`` do. No replica ever
/// shows half of one address and half of another one.
///
/// A composite attribute has no value if none of its elements has one. An optional composite
/// attribute may be without a value, even if elements are mandatory: these are asked for only if
/// another element has a value.
///
/// The defaults of elements count once the composite attribute has a value. A new object has none
/// of an optional one. If one element is set by its name, the other ones get their defaults. An
/// element that the stored value does not contain, because an earlier version of the model wrote
/// it, shows its default, and so does a mandatory element without a value.
public struct CompositeAttribute: Hashable, Sendable {
    /// The name; unique among the properties of the entity and its hierarchy, or among the elements
    /// of the composite attribute that contains it.
    package var name: String
    /// The name of the type in a model file and in generated code.
    ///
    /// `nil` is the name with a capital first letter. All composite attributes of one type have the
    /// same elements.
    package var typeName: String?
    /// True if a saved object may have no value.
    package var isOptional: Bool
    /// True if the value is tracked and validated, but never stored or sent.
    package var isTransient: Bool
    /// The elements that are attributes.
    package var attributes: [AttributeDeclaration]
    /// The elements that are composite attributes.
    package var compositeAttributes: [CompositeAttribute]
    /// The name on the wire; `nil` uses the renaming identifier, or else the name.
    ///
    /// Never change it once a store has data: another wire name is another property.
    package var wireName: String?
    /// The name of the composite attribute in an earlier version of the model.
    package var renamingIdentifier: String?
    /// A text that makes the version another one, though nothing else differs.
    package var versionHashModifier: String?
    /// Any texts for the app or for tools; nothing in Anabranch reads them.
    package var userInfo: [String: String]

    /// Declares a composite attribute. The parameters set the properties with the same names.
    ///
    /// - Parameter elements: The elements, in any order.
    public init(
        _ name: String,
        of typeName: String? = nil,
        optional isOptional: Bool = true,
        transient isTransient: Bool = false,
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        userInfo: [String: String] = [:],
        @CompositeBuilder _ elements: () -> [CompositeBuilder.Element] = { [] }
    ) {
        self.name = name
        self.typeName = typeName
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        attributes = []
        compositeAttributes = []
        for element in elements() { element.add(&self) }
    }
}

extension CompositeAttribute {
    /// The name of the type, given or by default.
    package var resolvedTypeName: String {
        typeName ?? name.prefix(1).uppercased() + name.dropFirst()
    }

    /// The number of composite attributes on the longest way to an element, this one included.
    var depth: Int { 1 + (compositeAttributes.map(\.depth).max() ?? 0) }
}
