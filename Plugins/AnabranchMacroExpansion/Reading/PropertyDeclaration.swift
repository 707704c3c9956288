/// A `var` or `let` in the body of a type.
struct PropertyDeclaration {
    /// What stands in the braces after the type.
    enum Accessors {
        case none
        case computed
        case observers
    }

    var attributes: [AttributeUse] = []
    var modifiers: [Modifier] = []
    /// `var` or `let`.
    var introducer: SwiftToken
    /// Of `var a, b: Int` the first; nil of `var (a, b)`.
    var name: SwiftToken?
    var type: TypeUse?
    var hasInitialValue = false
    var accessors = Accessors.none
    /// Whether the declaration has more than one property.
    var isList = false
    /// Whether it stands between `#if` and `#endif`.
    var isConditional = false

    var isConstant: Bool { introducer.text == "let" }
    /// Where its name stands, else its first word.
    var offset: Int { name?.offset ?? introducer.offset }
    /// Where a first attribute of it would stand.
    var startOffset: Int { firstOffset ?? introducer.offset }
    /// Of what stands before the introducer.
    var firstOffset: Int?

    func has(_ attribute: String) -> Bool { attributes.contains { $0.name == attribute } }
    func has(modifier name: String) -> Bool {
        modifiers.contains { $0.name == name && $0.argument != "set" }
    }
}
