import AnabranchReplication

extension CompiledModelReader {
    /// Reads an attribute.
    ///
    /// - Parameter path: The path of the composite attribute that the attribute is an element of,
    ///   and a dot; or nothing.
    mutating func read(
        attribute archived: ArchivedObject, _ name: String, of entity: String,
        in path: String = ""
    ) -> AttributeDeclaration {
        var attribute = AttributeDeclaration(name, type(of: archived, path + name, of: entity))
        attribute.isOptional = archived.flag("NSIsOptional")
        attribute.isTransient = archived.flag("NSIsTransient")
        attribute.renamingIdentifier = renamingIdentifier(of: archived, named: name)
        attribute.versionHashModifier = archived.text("NSVersionHashModifier")
        attribute.userInfo = userInfo(of: archived)
        if attribute.type == .transformable {
            let transformer = archived.text("NSValueTransformerName") ?? ""
            attribute.valueTransformerName = transformer.isEmpty ? nil : transformer
            attribute.valueClassName = archived.text("NSAttributeValueClassName")
        }
        let flags = archived.integer("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & Self.externalStorageFlag != 0
        attribute.preservesValueInHistoryOnDeletion = flags & Self.preservationFlag != 0
        if archived.className == "NSDerivedAttributeDescription" {
            readDerivation(of: archived, into: &attribute, entity: entity)
            return attribute
        }
        readDefault(of: archived, into: &attribute, entity: entity)
        readValidations(of: archived, into: &attribute, entity: entity)
        return attribute
    }

    /// The bit of an attribute's flags that allows external storage. The two bits below it say if
    /// a greatest and a least value are archived.
    private static let externalStorageFlag: Int64 = 4

    /// The bit of an attribute's flags that keeps the value of a deleted object in the history.
    private static let preservationFlag: Int64 = 16

    private mutating func type(
        of archived: ArchivedObject, _ name: String, of entity: String
    ) -> AttributeType {
        let number = archived.integer("NSAttributeType") ?? 0
        if let type = AttributeType(rawValue: Int(clamping: number)) { return type }
        if archived.flag("NSIsTransient") { return .undefined }
        refuse(
            entity: entity, property: name,
            "Can't store attribute \(entity).\(name) because its type has the number \(number), "
                + "which is not supported yet; keep its bytes in a binary attribute.")
        return .binary
    }

    private mutating func readDerivation(
        of archived: ArchivedObject, into attribute: inout AttributeDeclaration, entity: String
    ) {
        attribute.allowsExternalBinaryDataStorage = false
        attribute.preservesValueInHistoryOnDeletion = false
        let expression = archived.object("NSDerivationExpression")
        attribute.derivationExpression = expression.flatMap { ArchivedPredicate.expression($0) }
        guard attribute.derivationExpression == nil else { return }
        // The column holds the last value, which stays readable in an ordinary attribute.
        ignore(
            entity: entity, property: attribute.name,
            "Attribute \(entity).\(attribute.name) is not derived any more: its expression can't "
                + "be read.")
    }

    private mutating func readDefault(
        of archived: ArchivedObject, into attribute: inout AttributeDeclaration, entity: String
    ) {
        if case .none = archived["NSDefaultValue"] { return }
        if let value = archived["NSDefaultValue"].value.flatMap({ fitting($0, attribute.type) }) {
            attribute.defaultValue = value
            return
        }
        ignore(
            entity: entity, property: attribute.name,
            "The default of attribute \(entity).\(attribute.name) is left out: it is no value of "
                + "type \(attribute.type).")
    }

    /// The default in the attribute's type; `nil` for a type that has no defaults in model files.
    private func fitting(_ value: PropertyValue, _ type: AttributeType) -> PropertyValue? {
        switch (type, value) {
        case (.transformable, _), (.undefined, _): nil
        case (.boolean, .integer(let number)): .bool(number != 0)
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)),
            (.integer64, .bool(let flag)):
            .integer(flag ? 1 : 0)
        default: type.coerce(value)
        }
    }

    /// Reads the conditions that the model editor writes for bounds, and any others as they are.
    private mutating func readValidations(
        of archived: ArchivedObject, into attribute: inout AttributeDeclaration, entity: String
    ) {
        let predicates = archived.elements("NSValidationPredicates")
        let warnings = archived.elements("NSValidationWarnings")
        for (index, predicate) in predicates.enumerated() {
            guard let predicate = predicate.object,
                let text = ArchivedPredicate.text(predicate)
            else {
                ignore(
                    entity: entity, property: attribute.name,
                    "A validation of attribute \(entity).\(attribute.name) is left out: its "
                        + "predicate can't be read.")
                continue
            }
            if readBound(predicate, into: &attribute) { continue }
            let warning = index < warnings.count ? warnings[index].text : nil
            attribute.validations.append(
                ValidationRule(predicateFormat: text, warning: warning ?? ""))
        }
    }

    /// Reads `SELF >= bound`, `SELF.length <= bound` and `SELF MATCHES expression`.
    ///
    /// - Returns: False if the condition has another form, or its bound is there already.
    private func readBound(_ predicate: ArchivedObject, into attribute: inout AttributeDeclaration)
        -> Bool
    {
        guard predicate.className == "NSComparisonPredicate",
            let form = predicate.object("NSPredicateOperator"),
            let left = predicate.object("NSLeftExpression"),
            let right = predicate.object("NSRightExpression"),
            right.className == "NSConstantValueExpression",
            let bound = right["NSConstantValue"].value, !bound.isNull
        else { return false }
        let isLength =
            attribute.type == .string && ArchivedPredicate.expression(left) == "length"
        guard isLength || (left.className == "NSSelfExpression" && attribute.type != .string)
        else {
            return readExpression(form, left, bound, into: &attribute)
        }
        let fitted = isLength ? AttributeType.integer64.coerce(bound) : attribute.type.coerce(bound)
        guard let fitted else { return false }
        switch form.integer("NSOperatorType") {
        case 3 where attribute.minimum == nil: attribute.minimum = fitted
        case 1 where attribute.maximum == nil: attribute.maximum = fitted
        default: return false
        }
        return true
    }

    private func readExpression(
        _ form: ArchivedObject, _ left: ArchivedObject, _ bound: PropertyValue,
        into attribute: inout AttributeDeclaration
    ) -> Bool {
        guard form.integer("NSOperatorType") == 6, left.className == "NSSelfExpression",
            attribute.regularExpression == nil, case .string(let text) = bound
        else { return false }
        attribute.regularExpression = text
        return true
    }
}
