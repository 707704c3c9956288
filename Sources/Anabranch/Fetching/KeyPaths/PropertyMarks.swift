import AnabranchModel
import AnabranchReplication
import Foundation

/// Values of a type by which the property that a key path reads is recognized.
enum PropertyMarks {
    /// Returns values that the type can hold; empty if none is known.
    static func values<V: AttributeValue>(of type: V.Type) -> [PropertyValue] {
        let candidates = cases(of: type) + candidates(for: V.attributeType)
        let absent = absentValues(of: type)
        let fitting = candidates.filter { value in
            !absent.contains(value) && (try? V.reading(value)?.attributeValue) == value
        }
        return Array(fitting.prefix(2))
    }

    /// Returns what a property of the type reads without a value: after a to-one relationship, the
    /// optional of a type that is not optional is not nil.
    static func absentValues<V: AttributeValue>(of type: V.Type) -> [PropertyValue?] {
        let wrapped = (type as? any OptionalType.Type)?.wrapped as? any AttributeValue.Type
        return [try? V.absent.attributeValue] + (wrapped.map { absentValues(of: $0) } ?? [])
    }

    /// A value for an element of each usual type.
    static let ofEveryType: [PropertyValue] = [
        .string("mark"), .integer(1), .double(0.5), .bool(true), .date(1), .data(Data([1])),
        .uuid(UUID()), .uri("mark:1"), .decimal(ExactDecimal(7)),
    ]

    private static func candidates(for type: AttributeType) -> [PropertyValue] {
        switch type {
        case .integer16, .integer32, .integer64: (1...32).map { .integer($0) }
        case .double, .float: [.double(0.5), .double(1.5)]
        case .decimal: [.decimal(ExactDecimal(7)), .decimal(ExactDecimal(8))]
        case .boolean: [.bool(true)]
        case .string: [.string("mark 1"), .string("mark 2")]
        case .date: [.date(1), .date(2)]
        case .binary: [.data(Data([1])), .data(Data([2]))]
        case .uuid: [.uuid(UUID()), .uuid(UUID())]
        case .uri: [.uri("mark:1"), .uri("mark:2")]
        default: []
        }
    }

    private static func cases(of type: Any.Type) -> [PropertyValue] {
        let type = (type as? any OptionalType.Type)?.wrapped ?? type
        return (type as? any CaseIterable.Type).map { caseValues($0) } ?? []
    }

    private static func caseValues<T: CaseIterable>(_ type: T.Type) -> [PropertyValue] {
        T.allCases.compactMap { try? ($0 as? any AttributeValue)?.attributeValue }
    }
}

/// An optional, to look at its wrapped type.
private protocol OptionalType { static var wrapped: Any.Type { get } }

extension Optional: OptionalType { fileprivate static var wrapped: Any.Type { Wrapped.self } }
