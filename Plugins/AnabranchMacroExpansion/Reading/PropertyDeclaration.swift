/// A `var` or `let` in the body of a type.
struct PropertyDeclaration {
    /// The content of the braces after the type.
    enum Accessors {
        case none
        case computed
        case observers
    }

    var attributes: [AttributeUse] = []
    var modifiers: [Modifier] = []
    /// The token `var` or `let`.
    var introducer: SwiftToken
    /// The name; in `var a, b: Int` the first, in `var (a, b)` nil.
    var name: SwiftToken?
    var type: TypeUse?
    /// The tokens after `=`; empty if there is no initial value.
    var initialValue: [SwiftToken] = []
    var accessors = Accessors.none
    /// True if the declaration has more than one property.
    var isList = false
    /// True between `#if` and `#endif`.
    var isConditional = false

    var isConstant: Bool { introducer.text == "let" }
    var hasInitialValue: Bool { !initialValue.isEmpty }
    /// The offset of its name, or of its first word if there is no name.
    var offset: Int { name?.offset ?? introducer.offset }
    /// The offset at which an attribute can be inserted.
    var startOffset: Int { firstOffset ?? introducer.offset }
    /// The offset of the declaration's first token: an attribute, a modifier or the introducer.
    var firstOffset: Int?

    func has(_ attribute: String) -> Bool { mark(attribute) != nil }

    /// The attribute with that name.
    func mark(_ name: String) -> AttributeUse? { attributes.first { $0.name == name } }

    func has(modifier name: String) -> Bool {
        modifiers.contains { $0.name == name && $0.argument != "set" }
    }
}
