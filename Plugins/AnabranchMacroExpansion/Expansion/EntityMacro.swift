/// The macro `@Entity`: generates overrides of a class, and an attribute for each slot.
///
/// The code equals that of `AnabranchModelTool`, with three exceptions. The macro does not know the
/// number of the superclass's slots, so a class below another entity's class counts them once, when
/// it is first used. Only the macro declares the entity, since the classes of a model file have
/// that file. And what it overrides is `nonisolated`, as it is in `ManagedObject`, also in a module
/// that is on the main actor by default.
enum EntityMacro {
    static let typeName = "EntityMacro"

    /// The members that are added.
    static func members(of source: String, attribute: String) -> Expansion {
        guard let declaration = TypeDeclaration(source: source) else {
            return Expansion(diagnostic: Diagnostic(message: notAClass, offset: 0))
        }
        if let refusal = EntityClass.refusal(of: declaration) {
            return Expansion(diagnostic: refusal)
        }
        let arguments = EntityArguments(attribute)
        if let complaint = arguments.complaint { return Expansion(attributeComplaint: complaint) }
        guard let entity = EntityClass(declaration, named: arguments.name) else {
            return Expansion()
        }
        let description = DeclarationWriter(entity, settings: arguments.settings).source
        return Expansion(
            source: [entity.members, description, entity.initializer].filter { !$0.isEmpty }
                .joined(separator: "\n\n"), diagnostics: entity.diagnostics)
    }

    /// The attribute that a member gets; empty for a member that is not a slot.
    static func attribute(ofMember source: String, in parent: String?) -> Expansion {
        guard let parent, let declaration = TypeDeclaration(source: parent),
            let entity = EntityClass(declaration, named: nil)
        else { return Expansion() }
        var reader = MemberReader(SwiftLexer.code(of: source))
        guard let property = reader.readAll().first, let name = property.name,
            SlotReader([property]).slots.count == 1
        else { return Expansion() }
        return Expansion(source: entity.slotAttribute(for: name.text) ?? "")
    }

    private static let notAClass = "@Entity is for classes: write it before 'class'."
}

extension EntityClass {
    private static let firstSlot = "_firstOwnSlot"

    fileprivate var members: String {
        let composites = slots.filter { $0.kind == .composite }
        let plain = slots.filter { $0.kind != .composite }
        let names =
            ["[" + plain.map { StringLiteral.text(of: $0.name) }.joined(separator: ", ") + "]"]
            + composites.map(\.elementNames)
        var members = [
            "nonisolated \(access)override class var entityName: String { "
                + "\(StringLiteral.text(of: entityName)) }",
            "nonisolated \(access)override class var slotNames: [String] {\n    "
                + ((isBelowEntity ? ["super.slotNames"] : []) + names).joined(separator: " + ")
                + "\n}",
        ]
        if isBelowEntity, !plain.isEmpty {
            let counts = ["\(plain.count)"] + composites.map { $0.elementNames + ".count" }
            members.append(
                "nonisolated private static let \(Self.firstSlot) = \(name).slotNames.count - "
                    + counts.joined(separator: " - "))
        }
        return members.joined(separator: "\n\n")
    }

    /// The initializer by which contexts create the object; nothing if the class has its own one.
    fileprivate var initializer: String {
        guard !declaration.hasRequiredInitializer else { return "" }
        let level = access == "open " ? "public " : access
        return "nonisolated \(level)required init(_ birth: ObjectInitialization) "
            + "{ super.init(birth) }"
    }

    fileprivate func slotAttribute(for name: String) -> String? {
        guard let index = slots.firstIndex(where: { $0.name == name }) else { return nil }
        if slots[index].kind == .composite {
            return "@_EntitySlot(composite: \(StringLiteral.text(of: name)))"
        }
        let above = isBelowEntity ? ", isBelowEntity: true" : ""
        return "@_EntitySlot(\(slots[index].kind.label): \(index)\(above))"
    }
}

/// The macro `@_EntitySlot(toOne: 2)`: generates the accessors of one property.
enum EntitySlotMacro {
    static let typeName = "EntitySlotMacro"

    static func accessors(attribute: String) -> Expansion {
        var cursor = TokenCursor(SwiftLexer.code(of: attribute))
        let arguments = cursor.readAttributes().first?.arguments ?? []
        guard arguments.count >= 3, arguments[0].kind == .word, arguments[1].isMark(":"),
            arguments[2].kind == .number || arguments[2].kind == .string
        else {
            return Expansion(
                attributeComplaint: Diagnostic(
                    message: "@_EntitySlot is written by @Entity alone: remove it.", offset: 0))
        }
        let label = arguments[0].text
        let first = arguments.count > 3 ? "Self._firstOwnSlot + " : ""
        let place = "self[\(label): \(first)\(arguments[2].text)]"
        let setter = ["toMany", "list"].contains(label) ? "" : "    set { \(place) = newValue }\n"
        return Expansion(source: "{\n    get { \(place) }\n\(setter)}")
    }
}
