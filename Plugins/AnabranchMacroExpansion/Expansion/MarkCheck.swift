/// Checks what the marks and the initial value of a slot say together.
///
/// The library checks the model as a whole. Here are the mistakes that one property shows.
struct MarkCheck {
    private(set) var diagnostics: [Diagnostic] = []
    private let slot: EntitySlot

    init(_ slot: EntitySlot) {
        self.slot = slot
        checkInitialValue()
        checkOptions()
        if slot.kind.isRelationship { checkRelationship() }
        if slot.kind == .composite { checkComposite() }
    }

    private mutating func refuse(
        _ message: String, at offset: Int, _ fixIt: Diagnostic.Remedy? = nil
    ) {
        diagnostics.append(Diagnostic(message: message, offset: offset, fixIt: fixIt))
    }

    private mutating func checkInitialValue() {
        guard let first = slot.property.initialValue.first else { return }
        let transient = Diagnostic.Remedy(
            message: "Keep '\(slot.name)' out of the store",
            range: slot.property.startOffset..<slot.property.startOffset, text: "@Transient ")
        switch slot.kind {
        case .attribute where isDerived:
            refuse("The store computes '\(slot.name)': remove the initial value.", at: first.offset)
        case .attribute:
            guard slot.property.initialValue.differEachTime(as: slot.type) else { return }
            refuse(
                "The initial value is the default of all objects, and this one differs each time: "
                    + "set '\(slot.name)' in awakeFromInsert().", at: first.offset)
        case .transformable:
            refuse(
                "A transformable attribute has no default: remove the initial value and set "
                    + "'\(slot.name)' in awakeFromInsert(), or mark the property @Transient to "
                    + "keep it out of the store.", at: first.offset, transient)
        case .composite:
            refuse(
                "A composite attribute has the defaults of its elements: remove the initial value "
                    + "and write them in the struct.", at: first.offset)
        case .toOne, .toMany, .list:
            refuse(
                "A relationship is empty at first: remove the initial value, or mark "
                    + "'\(slot.name)' @Transient to keep it out of the store.", at: first.offset,
                transient)
        }
    }

    private var attributeArguments: [MarkArgument] {
        slot.property.mark("Attribute")?.arguments.arguments ?? []
    }

    private var isDerived: Bool { attributeArguments.contains { $0.label == "derivation" } }

    private mutating func checkOptions() {
        let options = attributeArguments.filter { $0.label == nil && $0.value.count == 2 }
        func option(_ name: String) -> MarkArgument? {
            options.first { $0.value[0].isMark(".") && $0.value[1].text == name }
        }
        let isTransient = option("transient") != nil
        guard isTransient || isDerived else { return }
        let reason =
            isTransient
            ? "a transient attribute is not stored"
            : "a derived attribute "
                + "is computed by the store"
        for name in ["unique", "indexed"] {
            guard let option = option(name) else { continue }
            refuse("Remove '.\(name)': \(reason).", at: option.offset)
        }
    }

    /// Checks that the mark of a composite attribute has no setting of single values.
    private mutating func checkComposite() {
        let labels: Set = ["originalName", "wireName", "hashModifier", "userInfo"]
        let options: Set = ["composite", "transient"]
        let ofElements: Set = ["minimum", "maximum", "regularExpression", "validations"]
        for argument in attributeArguments {
            let name = argument.label ?? argument.value.last?.text ?? ""
            if argument.label == nil ? options.contains(name) : labels.contains(name) { continue }
            refuse(
                ofElements.contains(name)
                    ? "Only an element has '\(name)': write it in the struct, and remove it here."
                    : "A composite attribute has no '\(name)', and merges as one value: remove it.",
                at: argument.offset)
        }
    }

    private mutating func checkRelationship() {
        for argument in slot.property.mark("Relationship")?.arguments.arguments ?? [] {
            switch argument.label {
            case "minimumModelCount" where !slot.kind.isToMany,
                "maximumModelCount" where !slot.kind.isToMany:
                refuse(
                    "A to-one relationship has no counts: write 'optional: false' if an object has "
                        + "to be there.", at: argument.offset)
            case "acyclic" where slot.kind.isToMany:
                refuse(
                    "The to-one side of a tree is acyclic, such as 'parent' of 'children': write "
                        + "'acyclic: true' there.", at: argument.offset)
            case "inverse": check(inverse: argument)
            default: break
            }
        }
    }

    private mutating func check(inverse: MarkArgument) {
        guard InverseArgument(inverse) == nil else { return }
        refuse(
            "@Entity reads the inverse from the source: write a key path such as '\\Note.author', "
                + "the name of the property such as \"author\", or nil.", at: inverse.offset)
    }
}

/// The argument `inverse:` of a relationship's mark.
enum InverseArgument {
    case nothing
    /// The name as a literal of the source.
    case named(String)
    case keyPath(name: String)

    /// Reads an argument; nil if it is none of the three forms.
    init?(_ argument: MarkArgument) {
        if argument.value.count == 1, argument.value[0].isWord("nil") {
            self = .nothing
        } else if let name = argument.literal {
            self = .named(name)
        } else if let name = argument.keyPathName {
            self = .keyPath(name: name)
        } else {
            return nil
        }
    }
}

extension [SwiftToken] {
    /// True for a value that contains the present time or a random UUID.
    fileprivate func differEachTime(as type: TypeUse) -> Bool {
        let kind = (type.wrapped ?? type).path?.last ?? ""
        let isOfKind = ["Date", "UUID"].contains(kind)
        let code = map(\.text).joined()
        if isOfKind, [".now", ".init()"].contains(code) { return true }
        return indices.contains { place in
            let rest = self[place...].prefix(3).map(\.text)
            guard isOfKind || self[place].isName else { return false }
            return ["Date()", "UUID()", "Date.now"].contains(rest.joined())
        }
    }
}
