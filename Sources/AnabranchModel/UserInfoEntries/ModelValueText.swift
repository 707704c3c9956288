import AnabranchReplication
import Foundation

/// Writes values as the texts that `ModelValueReader` and Xcode read.
enum ModelValueText {
    /// The text of a value of a type; `nil` if the value has another type.
    static func text(of value: PropertyValue, as type: AttributeType) -> String? {
        switch value {
        case .bool(let flag): flag ? "YES" : "NO"
        case .integer(let number): String(number)
        case .double(let number): text(of: number, as: type)
        case .decimal(let number): "\(number)"
        case .string(let text), .uri(let text): text
        case .date(let seconds): self.seconds(seconds)
        case .data(let bytes): bytes.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .null, .reference, .group, .unknown: nil
        }
    }

    /// The seconds of a date, without a fraction if they are whole, as Xcode writes them.
    static func seconds(_ seconds: Double) -> String {
        Int64(exactly: seconds).flatMap { Double($0).bitPattern == seconds.bitPattern ? $0 : nil }
            .map(String.init) ?? "\(seconds)"
    }

    /// The shortest digits that read as the same number in the precision of the type.
    private static func text(of number: Double, as type: AttributeType) -> String {
        let float = Float(number)
        return type == .float && Double(float) == number ? "\(float)" : "\(number)"
    }
}
