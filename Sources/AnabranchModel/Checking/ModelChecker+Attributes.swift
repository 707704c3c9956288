import AnabranchReplication

extension ModelChecker {
    mutating func check(_ attribute: AttributeDeclaration, of entity: EntityDeclaration) {
        let path = "attribute \(entity.name).\(attribute.name)"
        if attribute.type == .undefined && !attribute.isTransient {
            refuse(
                .invalidProperty, entity.name, attribute.name,
                "Can't store \(path) because it has no type; give it one or make it transient.")
        }
        checkRule(of: attribute, entity: entity, path: path)
        checkTransformation(of: attribute, entity: entity, path: path)
        if let value = attribute.defaultValue, attribute.type != .transformable,
            !attribute.type.accepts(default: value)
        {
            refuse(
                .invalidValue, entity.name, attribute.name,
                "Can't use the default of \(path) because it is no value of type "
                    + "\(attribute.type): \(value).")
        }
        checkBounds(of: attribute, entity: entity, path: path)
        checkExpression(of: attribute, entity: entity, path: path)
        checkRules(of: attribute, entity: entity, path: path)
        checkDerivation(of: attribute, entity: entity, path: path)
        checkSearch(of: attribute, entity: entity, path: path)
    }

    /// Checks that an attribute with a derivation has no setting meant for values that the app
    /// sets.
    ///
    /// `DerivationReader` checks the expression itself later, with the whole model.
    private mutating func checkDerivation(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        guard attribute.isDerived else { return }
        let usual = AttributeDeclaration(
            attribute.name, attribute.type, optional: attribute.isOptional,
            transient: attribute.isTransient, derivation: attribute.derivationExpression,
            wireName: attribute.wireName, renamingIdentifier: attribute.renamingIdentifier,
            searchable: attribute.search, userInfo: attribute.userInfo)
        let obstacle: String? =
            if attribute.isTransient {
                "it is transient, and what is computed is never set by the app"
            } else if attribute != usual {
                "it has a default, a bound, a validation, a transformer or a merge rule, which are "
                    + "for values that the app sets"
            } else {
                nil
            }
        guard let obstacle else { return }
        refuse(
            .invalidDerivation, entity.name, attribute.name,
            "Can't derive \(path) because \(obstacle); leave that out.")
    }

    private mutating func checkRules(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        for rule in attribute.validations {
            do {
                _ = try ValuePredicate(rule.predicateFormat, of: attribute, entity: entity.name)
            } catch {
                refuse(
                    ModelError(
                        rule, of: path, entity: entity.name, property: attribute.name, error))
            }
        }
    }

    private mutating func checkRule(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        let rule = attribute.mergeRule
        guard rule != .lastWriter else { return }
        if attribute.isTransient {
            refuse(
                .invalidProperty, entity.name, attribute.name,
                "Can't merge \(path) by \(rule) because it is transient: nothing of it travels.")
        } else if rule == .text {
            refuse(
                unsupported: .mergeRule, entity.name, attribute.name,
                "Can't merge \(path) by \(rule) because that rule is not supported yet; use "
                    + "lastWriter or keepBoth.")
        } else if !attribute.type.canMerge(by: rule) {
            refuse(
                .invalidProperty, entity.name, attribute.name,
                "Can't merge \(path) by \(rule) because \(rule.typeRule), and its type is "
                    + "\(attribute.type).")
        }
    }

    private mutating func checkTransformation(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        guard attribute.type == .transformable else {
            guard let name = attribute.valueTransformerName else { return }
            return refuse(
                .invalidProperty, entity.name, attribute.name,
                "Can't transform \(path) by \(name) because its type is \(attribute.type); make "
                    + "it transformable.")
        }
        if attribute.defaultValue != nil {
            refuse(
                .invalidValue, entity.name, attribute.name,
                "Can't use the default of \(path) because a transformable attribute starts "
                    + "without a value; set it in awakeFromInsert().")
        }
    }

    private mutating func checkBounds(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        let bounds = [attribute.minimum, attribute.maximum].compactMap { $0 }
        guard !bounds.isEmpty else { return }
        for bound in bounds where !attribute.type.accepts(bound: bound) {
            refuse(
                .invalidBounds, entity.name, attribute.name,
                "Can't bound \(path) by \(bound) because "
                    + "\(attribute.type.boundRule).")
            return
        }
        if let minimum = attribute.minimum, let maximum = attribute.maximum,
            minimum.isGreater(than: maximum)
        {
            refuse(
                .invalidBounds, entity.name, attribute.name,
                "Can't bound \(path) because its minimum \(minimum) is above its maximum "
                    + "\(maximum).")
        }
    }

    private mutating func checkExpression(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        guard let expression = attribute.regularExpression else { return }
        if attribute.type != .string {
            refuse(
                .invalidRegularExpression, entity.name, attribute.name,
                "Can't match \(path) against a regular expression because it is no string.")
        } else if (try? RegularExpression(expression)) == nil {
            refuse(
                .invalidRegularExpression, entity.name, attribute.name,
                "Can't match \(path) because its regular expression cannot be read: \(expression)")
        }
    }
}

extension MergeRule {
    fileprivate var typeRule: String {
        switch self {
        case .max, .min: "it needs a type with an order: numbers, dates, strings, booleans"
        case .counter: "it counts 64-bit integers and decimals"
        default: "it is no rule of attributes"
        }
    }
}

extension AttributeType {
    fileprivate func canMerge(by rule: MergeRule) -> Bool {
        WireProperty(name: "", type: wireType, rule: rule).isMergeable
    }

    /// Returns true if the value can be a default: references, groups and unknown values cannot.
    fileprivate func accepts(default value: PropertyValue) -> Bool {
        switch value {
        case .reference, .group, .unknown: false
        default: accepts(value)
        }
    }

    fileprivate func accepts(bound: PropertyValue) -> Bool {
        switch (self, bound) {
        case (.string, .integer(let length)): length >= 0
        case (.double, .double(let number)), (.float, .double(let number)),
            (.date, .date(let number)):
            !number.isNaN && accepts(bound)
        case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
            (.decimal, .decimal):
            accepts(bound)
        default: false
        }
    }

    fileprivate var boundRule: String {
        switch self {
        case .string: "a string is bounded by lengths, integers from 0"
        case .date: "the bound is no value of type \(self)"
        default: isNumeric ? "the bound is no value of type \(self)" : "type \(self) has no bounds"
        }
    }
}
