import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Foundation

/// Reads the values of one attribute from its column.
///
/// A value of the column's usual type is read as it is. Another one is converted if it can be
/// without loss, and reported in either case. Values are also compared with what the model allows:
/// Core Data checks that only when an object is saved, and an older version may have allowed more.
struct AttributeReader {
    let attribute: AttributeDescription
    private let external: ExternalValues?
    private let doubts: DoubtList
    private let entity: EntityDescription

    init(
        _ attribute: AttributeDescription, of entity: EntityDescription, external: ExternalValues,
        _ doubts: DoubtList
    ) {
        self.attribute = attribute
        self.entity = entity
        self.external = attribute.declaration.allowsExternalBinaryDataStorage ? external : nil
        self.doubts = doubts
    }

    /// Reads the value of a row.
    ///
    /// - Parameter key: The primary key of the row.
    @inline(__always)
    func value(of column: UnsafeColumn, key: Int64) -> PropertyValue {
        let kind = column.type
        if kind == .null {
            if !attribute.isOptional {
                report(key, "nothing", "nothing, though it is not optional")
            }
            return .null
        }
        let value = usualValue(of: column, kind, key) ?? otherValue(of: column, kind, key)
        if attribute.hasRestrictions, !value.isNull { check(value, key) }
        return value
    }

    private func usualValue(
        of column: UnsafeColumn, _ kind: SQLiteValue.Kind, _ key: Int64
    ) -> PropertyValue? {
        switch (attribute.type, kind) {
        case (.integer64, .integer): return .integer(column.int64)
        case (.integer16, .integer), (.integer32, .integer):
            let value = PropertyValue.integer(column.int64)
            return attribute.type.accepts(value) ? value : nil
        case (.boolean, .integer):
            let number = column.int64
            return number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.double, .real): return .double(column.double)
        case (.float, .real):
            let value = PropertyValue.double(column.double)
            return attribute.type.accepts(value) ? value : nil
        case (.date, .real): return .date(column.double)
        case (.decimal, .real), (.decimal, .integer), (.date, .integer), (.double, .integer),
            (.float, .integer):
            return attribute.type.coerce(
                kind == .integer ? .integer(column.int64) : .double(column.double))
        case (.decimal, .text): return attribute.type.coerce(.string(column.string))
        case (.string, .text): return text(column).map { .string($0) }
        case (.uri, .text): return text(column).map { .uri($0) }
        case (.uuid, .blob): return uuid(column).map { .uuid($0) }
        case (.binary, .blob), (.transformable, .blob): return bytes(column, key)
        default: return nil
        }
    }

    /// The text; `nil` if it is not UTF-8.
    private func text(_ column: UnsafeColumn) -> String? {
        column.withBytes { String(validating: $0, as: UTF8.self) }
    }

    private func uuid(_ column: UnsafeColumn) -> UUID? {
        column.withBytes { bytes in
            bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        }
    }

    private func bytes(_ column: UnsafeColumn, _ key: Int64) -> PropertyValue {
        guard let external else { return .data(Data(column.bytes)) }
        switch external.value(of: column.bytes) {
        case .success(let data): return .data(data)
        case .failure(let problem):
            report(key, problem.found, problem.kept == nil ? "nothing" : "these bytes")
            return problem.kept.map { .data($0) } ?? .null
        }
    }

    /// Converts a value that the column does not usually have.
    private func otherValue(
        of column: UnsafeColumn, _ kind: SQLiteValue.Kind, _ key: Int64
    ) -> PropertyValue {
        let found: PropertyValue =
            switch kind {
            case .null: .null
            case .integer: .integer(column.int64)
            case .real: .double(column.double)
            case .text: .string(column.string)
            case .blob: .data(Data(column.bytes))
            }
        let stored = converted(found)
        report(key, ValueText.text(of: found), ValueText.text(of: stored))
        return stored
    }

    private func converted(_ found: PropertyValue) -> PropertyValue {
        switch (attribute.type, found) {
        case (.string, .integer(let number)): return .string("\(number)")
        case (.string, .double(let number)): return .string("\(number)")
        case (.string, .data(let data)):
            return String(validating: data, as: UTF8.self).map { .string($0) } ?? .null
        case (.boolean, .integer(let number)): return .bool(number != 0)
        case (.binary, .string(let text)), (.transformable, .string(let text)):
            return .data(Data(text.utf8))
        case (.integer16, .string(let text)), (.integer32, .string(let text)),
            (.integer64, .string(let text)):
            return Int64(text).flatMap { attribute.type.coerce(.integer($0)) } ?? .null
        case (.double, .string(let text)), (.float, .string(let text)),
            (.date, .string(let text)):
            return Double(decimalText: text).flatMap { attribute.type.coerce(.double($0)) } ?? .null
        default:
            let value = attribute.type.coerce(found) ?? .null
            return attribute.type.accepts(value) ? value : .null
        }
    }

    private func check(_ value: PropertyValue, _ key: Int64) {
        for violation in attribute.violations(by: value) {
            report(key, ValueText.text(of: value), "the same, though \(violation.sentence)")
        }
    }

    private func report(_ key: Int64, _ found: String, _ stored: String) {
        doubts.add(entity, key, attribute.name, found: found, stored: stored)
    }
}
