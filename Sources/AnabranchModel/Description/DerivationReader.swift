import AnabranchReplication

/// Reads the expression of a derived attribute and checks it against the model.
struct DerivationReader {
    private let attribute: AttributeDescription
    private let expression: String

    init(_ attribute: AttributeDescription) {
        self.attribute = attribute
        expression = attribute.derivationExpression ?? ""
    }

    private static let forms =
        "the forms are now(), name, toOne.name, canonical:(name), lowercase:(name), "
        + "uppercase:(name), toMany.@count and toMany.name.@sum"

    /// Reads the expression.
    ///
    /// - Throws: ``ModelError`` with the entity, the attribute and the expression.
    func read() throws(ModelError) -> Derivation {
        try check(
            attribute.type != .transformable && attribute.type != .undefined,
            "its type is \(attribute.type)")
        let text = expression.filter { !$0.isWhitespace }
        if text.isEmpty { throw refusal("it has no expression; \(Self.forms)") }
        if text == "now()" {
            try check(attribute.type == .date, "now() is a date")
            return .now
        }
        if let (form, argument) = try function(text) {
            return try value(parts(argument), form)
        }
        let keys = parts(text)
        guard let last = keys.last, last.hasPrefix("@") else { return try value(keys, nil) }
        return try aggregate(last, of: Array(keys.dropLast()))
    }

    private func parts(_ path: String) -> [String] {
        path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Reads a form such as `canonical:(name)`; `nil` if the text has no parentheses or colons.
    private func function(_ text: String) throws(ModelError) -> (DerivedText, argument: String)? {
        guard text.contains(where: { "():".contains($0) }) else { return nil }
        for form in DerivedText.allCases where text.hasPrefix(form.rawValue + ":(") {
            guard text.hasSuffix(")") else { break }
            let argument = text.dropFirst(form.rawValue.count + 2).dropLast()
            guard !argument.contains(where: { "():".contains($0) }) else { break }
            return (form, String(argument))
        }
        throw refusal("it can't be read; \(Self.forms)")
    }

    private func value(_ keys: [String], _ form: DerivedText?) throws(ModelError) -> Derivation {
        var entity = attribute.entity
        var steps: [RelationshipDescription] = []
        for key in keys.dropLast() {
            let step = try relationship(key, of: entity)
            try check(!step.isToMany, "\(step) is to-many; ask for its @count or a @sum")
            steps.append(step)
            entity = step.destination
        }
        let source = try source(keys.last ?? "", of: entity)
        if let form {
            try check(
                source.type == .string && attribute.type == .string,
                "\(form.rawValue): makes a string of a string")
        } else {
            try check(
                source.type == attribute.type,
                "\(source) is of type \(source.type), and the attribute of type \(attribute.type)")
        }
        return .value(form, of: source, through: steps)
    }

    private func aggregate(_ name: String, of keys: [String]) throws(ModelError) -> Derivation {
        switch (name, keys.count) {
        case ("@count", 1):
            let members = try members(keys[0])
            try check(attribute.type.isInteger, "a count is an integer")
            return .count(members)
        case ("@sum", 2):
            let members = try members(keys[0])
            let source = try source(keys[1], of: members.destination)
            try check(
                Self.canSum(source.type, in: attribute.type),
                "\(source) is of type \(source.type), and the attribute of type "
                    + "\(attribute.type); integers add up to integers, doubles and floats to "
                    + "doubles, decimals to decimals")
            return .sum(members, source)
        default: throw refusal("it can't be computed; \(Self.forms)")
        }
    }

    private static func canSum(_ source: AttributeType, in sum: AttributeType) -> Bool {
        switch source {
        case .integer16, .integer32, .integer64: sum.isInteger
        case .double, .float: sum == .double
        case .decimal: sum == .decimal
        default: false
        }
    }
}

extension DerivationReader {
    private func property(
        _ key: String, of entity: EntityDescription
    ) throws(ModelError) -> PropertyDescription {
        if let property = entity.property(named: key) { return property }
        throw refusal("\(entity) has no property '\(key)'")
    }

    /// The relationship of that name, which must have an inverse.
    ///
    /// The inverse gives the objects to update when the other end changes.
    private func relationship(
        _ key: String, of entity: EntityDescription
    ) throws(ModelError) -> RelationshipDescription {
        guard let relationship = try property(key, of: entity).relationship else {
            throw refusal("\(entity).\(key) is no relationship")
        }
        try check(!relationship.isTransient, "\(relationship) is transient, so no store has it")
        try check(relationship.inverse != nil, "\(relationship) has no inverse; give it one")
        return relationship
    }

    private func members(_ key: String) throws(ModelError) -> RelationshipDescription {
        let relationship = try relationship(key, of: attribute.entity)
        try check(relationship.isToMany, "\(relationship) is to-one")
        return relationship
    }

    private func source(
        _ key: String, of entity: EntityDescription
    ) throws(ModelError) -> AttributeDescription {
        guard let source = try property(key, of: entity).attribute else {
            throw refusal("\(entity).\(key) is a relationship; name an attribute after it")
        }
        try check(!source.isTransient, "\(source) is transient, so no store has it")
        try check(!source.isDerived, "\(source) is derived itself; name what it is derived from")
        return source
    }

    private func check(
        _ condition: Bool, _ obstacle: @autoclosure () -> String
    ) throws(ModelError) {
        if !condition { throw refusal(obstacle()) }
    }

    private func refusal(_ obstacle: String) -> ModelError {
        ModelError(
            .invalidDerivation, entity: attribute.entity.name, property: attribute.name,
            "Can't derive attribute \(attribute) from '\(expression)' because \(obstacle).")
    }
}

extension AttributeType {
    package var isInteger: Bool {
        switch self {
        case .integer16, .integer32, .integer64: true
        default: false
        }
    }
}
