import AnabranchModel
import AnabranchReplication

/// An attribute that follows from a property's type, its mark and its initial value.
struct DeclaredAttribute {
    private(set) var attribute: AttributeDeclaration
    private(set) var problems: [(code: ModelError.Code, message: String)] = []

    /// Makes the attribute; an optional type makes an optional one.
    ///
    /// - Parameters:
    ///   - initially: Returns the default value, the same one each time.
    ///   - path: The property in messages, such as `Note.title`.
    init<T: AttributeValue>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings,
        _ initially: (() throws -> T)?, path: String
    ) {
        // An optional type reads null as a value.
        attribute = settings.attribute(
            name, T.attributeType, optional: settings.isDerived || T.reading(.null) != nil)
        if attribute.type == .undefined, !attribute.isTransient {
            problems.append(
                (
                    .invalidProperty,
                    "Can't use \(path) because its type \(T.self) does not say what an attribute "
                        + "stores; declare 'static var attributeType: AttributeType' in it."
                ))
        }
        guard let initially else { return }
        do {
            attribute.defaultValue = try Self.defaultValue(initially)
        } catch {
            problems.append(
                (
                    .invalidValue,
                    "Can't use the initial value of \(path) as its default because \(error.cause)."
                ))
        }
    }

    /// The reason why an initial value can't be a default, as a clause.
    private struct DefaultError: Error { let cause: String }

    private static func defaultValue<T: AttributeValue>(
        _ initially: () throws -> T
    ) throws(DefaultError) -> PropertyValue? {
        let values: [PropertyValue]
        do {
            values = [try initially().attributeValue, try initially().attributeValue]
        } catch let error as AttributeValueError {
            throw DefaultError(cause: error.cause)
        } catch {
            throw DefaultError(cause: "it throws \(error)")
        }
        guard values[0] == values[1] else {
            throw DefaultError(
                cause: "it differs each time; set the property in awakeFromInsert()")
        }
        return values[0].isNull ? nil : values[0]
    }
}
