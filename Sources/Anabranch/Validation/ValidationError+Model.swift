import AnabranchModel
import AnabranchReplication
import Foundation

// Failures of the model's checks.
extension ValidationError {
    init(
        _ code: Code, _ object: ManagedObject, _ property: String, _ reason: String,
        value: PropertyValue? = nil
    ) {
        self.init(
            code, "Can't save \(Self.place(object, property)) because \(reason).", reason: reason,
            objectID: object.objectID, property: property, value: value)
    }

    /// Creates the error for a validation predicate that does not hold.
    init(
        _ rule: ValidationRule, _ object: ManagedObject, _ property: String, _ value: PropertyValue?
    ) {
        let predicate = try? FetchPredicate(format: rule.predicateFormat, arguments: [])
        let reason: String
        let message: String
        if rule.warning.isEmpty {
            reason = "it does not satisfy \(rule.predicateFormat)"
            message = "Can't save \(Self.place(object, property)) because \(reason)."
        } else {
            reason = rule.warning
            message = Self.message(about: object, property, sentence: reason)
        }
        self.init(
            .failedRule, message, reason: reason, objectID: object.objectID, property: property,
            value: value, predicate: predicate)
    }

    init(
        _ violation: ValueViolation, by value: PropertyValue, of attribute: AttributeDescription,
        of object: ManagedObject
    ) {
        if case .failedRule(let rule) = violation {
            self.init(rule, object, attribute.name, value)
            return
        }
        let (code, reason) = Self.explanation(of: violation, by: value, of: attribute)
        self.init(code, object, attribute.name, reason, value: value.isNull ? nil : value)
    }

    private static func explanation(
        of violation: ValueViolation, by value: PropertyValue, of attribute: AttributeDescription
    ) -> (Code, String) {
        let isDate = attribute.type == .date
        let least = attribute.declaration.minimum.map { "\($0)" } ?? ""
        let most = attribute.declaration.maximum.map { "\($0)" } ?? ""
        return switch violation {
        case .missing: (.missingMandatoryProperty, "it is not set")
        case .wrongType: (.wrongType, "\(value) does not fit its type, \(attribute.type)")
        case .invalidDate: (.invalidDate, "\(value) is not a finite date")
        case .belowMinimum:
            (isDate ? .dateTooSoon : .numberTooSmall, "\(value) is below \(least)")
        case .aboveMaximum:
            (isDate ? .dateTooLate : .numberTooLarge, "\(value) is above \(most)")
        case .tooShort: (.stringTooShort, "the text has fewer than \(least) characters")
        case .tooLong: (.stringTooLong, "the text has more than \(most) characters")
        case .mismatch:
            (
                .patternMismatch,
                "the text does not match \(attribute.declaration.regularExpression ?? "")"
            )
        case .failedRule(let rule): (.failedRule, rule.warning)
        }
    }
}

// Failures that the hooks of objects report.
extension ValidationError {
    /// Returns the single failures of an error that a hook threw, with the object of the hook.
    ///
    /// - Parameter property: The property that the hook checked, if it was called for one.
    func failures(of object: ManagedObject, property: String? = nil) -> [ValidationError] {
        (all.isEmpty ? [self] : all).map { failure in
            guard failure.objectID == nil else { return failure }
            let key = failure.property ?? property
            return ValidationError(
                failure.code, Self.message(about: object, key, sentence: failure.reason),
                reason: failure.reason, objectID: object.objectID, property: key,
                value: failure.value, predicate: failure.predicate,
                underlying: failure.underlying)
        }
    }

    /// Creates a failure from an error of the app that an object's hook threw.
    init(
        underlying error: any Error, of object: ManagedObject, property: String?,
        value: PropertyValue?
    ) {
        let reason = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        self.init(
            .refused, Self.message(about: object, property, sentence: reason), reason: reason,
            objectID: object.objectID, property: property, value: value, underlying: error)
    }

    static func message(
        about object: ManagedObject, _ property: String?, sentence: String
    ) -> String {
        "Can't \(object.isDeleted ? "delete" : "save") \(place(object, property)): \(sentence)"
    }

    static func place(_ object: ManagedObject, _ property: String?) -> String {
        "\(object.objectID)" + (property.map { ".\($0)" } ?? "")
    }
}
