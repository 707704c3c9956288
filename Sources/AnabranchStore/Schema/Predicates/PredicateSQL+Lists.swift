import AnabranchModel
import AnabranchReplication
import Foundation

// IN with lists of any length. A short list is bound value by value. A long list is one binding: a
// JSON array, or the bytes of UUIDs side by side.

extension PredicateSQL {
    private static let greatestShortList = 16
    /// SQLite allows 32,766 parameters by default; the rest of the statement needs some of them.
    private static let greatestBoundList = 30_000

    mutating func membership(
        _ operand: ResolvedOperand, _ list: ResolvedList, _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> String {
        let values = elements(of: list, options)
        guard !values.isEmpty else {
            return list.containsNull ? try self.operand(operand, []) + " IS NULL" : "0"
        }
        guard list.containsNull else { return try test(operand, values, options) }
        return try nested(.chain(of: 2)) { writer throws(FetchPredicateError) in
            let test = try writer.test(operand, values, options)
            // The operand is written a second time, because a count may have bindings.
            return "(\(test) OR \(try writer.operand(operand, [])) IS NULL)"
        }
    }

    private mutating func test(
        _ operand: ResolvedOperand, _ values: [PropertyValue], _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> String {
        let column = try self.operand(operand, options)
        return "\(column) IN \(try members(values))"
    }

    /// The elements in ascending order, so that equal lists give equal statements.
    private func elements(of list: ResolvedList, _ options: ComparisonOptions) -> [PropertyValue] {
        let objects = list.objects.map { $0.localID(in: store) }.sorted().map {
            PropertyValue.integer($0)
        }
        var values = list.values
        if !options.isEmpty { values = Set(values.map { $0.folded(options) }) }
        return objects + values.sorted { ValueOrder.compare($0, $1) == .less }
    }

    private mutating func members(_ values: [PropertyValue]) throws(FetchPredicateError) -> String {
        if values.count > Self.greatestShortList {
            try height.check(.longList)
            if let array = Self.jsonArray(values) {
                return "(SELECT value FROM json_each(\(bind(.string(array)))))"
            }
            if let bytes = Self.packed(values) {
                return "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 16 FROM n WHERE "
                    + "i + 16 <= length(\(bind(.data(bytes))))) "
                    + "SELECT substr(\(bind(.data(bytes))), i, 16) FROM n)"
            }
        }
        guard values.count <= Self.greatestBoundList else {
            throw FetchPredicateError(
                .tooManyValues,
                "Can't search a list of \(values.count) values because values of their type are "
                    + "bound one by one, at most \(Self.greatestBoundList). Split the list.")
        }
        return "(" + values.map { bind($0) }.joined(separator: ", ") + ")"
    }

    /// Writes values as a JSON array.
    ///
    /// - Returns: `nil` if JSON cannot represent a value without loss.
    private static func jsonArray(_ values: [PropertyValue]) -> String? {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for value in values {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            switch value {
            case .integer(let number): json.append(contentsOf: String(number).utf8)
            case .bool(let flag): json.append(UInt8(ascii: flag ? "1" : "0"))
            case .decimal(let number): JSONString.append(number.description, to: &json)
            case .string(let text), .uri(let text):
                // SQLite ends a JSON text at a NUL.
                guard !text.utf8.contains(0) else { return nil }
                JSONString.append(text, to: &json)
            case .null, .double, .date, .data, .uuid, .reference, .group, .unknown: return nil
            }
        }
        json.append(UInt8(ascii: "]"))
        return String(decoding: json, as: UTF8.self)
    }

    private static func packed(_ values: [PropertyValue]) -> Data? {
        var bytes = Data(capacity: values.count * 16)
        for value in values {
            guard case .uuid(let uuid) = value else { return nil }
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
