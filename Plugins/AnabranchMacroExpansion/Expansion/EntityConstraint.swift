/// A constraint or an index that a class declares with `#Unique` or `#Index`.
struct EntityConstraint {
    enum Kind: String, CaseIterable {
        case unique = "Unique"
        case index = "Index"
    }

    let kind: Kind
    /// The names of the properties, in their order.
    let properties: [String]

    /// The constraints and indexes of a class, in the order of its source.
    static func all(
        in declaration: TypeDeclaration
    ) -> (constraints: [EntityConstraint], diagnostics: [Diagnostic]) {
        var constraints: [EntityConstraint] = []
        var diagnostics: [Diagnostic] = []
        for macro in declaration.macros {
            guard let kind = Kind(rawValue: macro.name) else { continue }
            if macro.isConditional {
                diagnostics.append(
                    Diagnostic(
                        message: "The model of a class is the same in every build: move "
                            + "#\(macro.name) out of #if.", offset: macro.offset))
                continue
            }
            for argument in macro.arguments.arguments {
                let names = (argument.value.listElements ?? []).map(\.keyPathName)
                let properties = names.compactMap { $0 }
                if !properties.isEmpty, properties.count == names.count {
                    constraints.append(EntityConstraint(kind: kind, properties: properties))
                } else {
                    diagnostics.append(wrong(argument, of: macro))
                }
            }
        }
        return (constraints, diagnostics)
    }

    private static func wrong(_ argument: MarkArgument, of macro: FreestandingMacro) -> Diagnostic {
        Diagnostic(
            message: "@Entity reads the properties of #\(macro.name) from the source: write lists "
                + "of key paths such as '[\\.name, \\.age]'.", offset: argument.offset)
    }
}

/// The macros `#Unique` and `#Index`, which `@Entity` reads.
///
/// They generate no code; they only check that they are used in the right place.
enum EntityConstraintMacro {
    static let typeName = "EntityConstraint"

    /// Checks the place of a macro.
    ///
    /// - Parameters:
    ///   - name: The macro, without `#`.
    ///   - context: The declarations that enclose it, the innermost first, without bodies.
    static func check(_ name: String, in context: [String]) -> Expansion {
        let parent = context.first.flatMap { TypeDeclaration(source: $0) }
        if let parent, parent.has("Entity") { return Expansion() }
        return Expansion(
            diagnostic: Diagnostic(
                message: "#\(name) says something only in the body of a class with @Entity: move "
                    + "it there.", offset: 0))
    }
}
