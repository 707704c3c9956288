import AnabranchReplication
import Foundation

extension ArchivedValue {
    /// The value in the form in which a model declares defaults; `nil` if it has no such form.
    var value: PropertyValue? {
        switch self {
        case .none: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .date(let seconds): .date(seconds)
        case .data(let bytes): .data(Data(bytes))
        case .text(let text): .string(text)
        case .array: nil
        case .object(let object): object.value
        }
    }
}

extension ArchivedObject {
    fileprivate var value: PropertyValue? {
        switch className {
        case "NSString", "NSMutableString": text("NS.string").map { .string($0) }
        case "NSDate":
            if case .double(let seconds) = self["NS.time"] { .date(seconds) } else { nil }
        case "NSData", "NSMutableData":
            if case .data(let bytes) = self["NS.data"] { .data(Data(bytes)) } else { nil }
        case "NSURL": text("NS.relative").map { .uri($0) }
        case "NSUUID": uuid.map { .uuid($0) }
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": decimal.map { .decimal($0) }
        default: nil
        }
    }

    private var uuid: UUID? {
        guard case .data(let bytes) = self["NS.uuidbytes"], bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The exact number, from its digits as up to eight words of 16 bits, the lowest first.
    private var decimal: ExactDecimal? {
        guard case .data(let bytes) = self["NS.mantissa"], let exponent = integer("NS.exponent"),
            let length = integer("NS.length"), (0...8).contains(length),
            bytes.count >= Int(length) * 2
        else { return nil }
        // 1 is the order of bytes that has the lowest first.
        let isLittle = integer("NS.mantissa.bo") != 2
        var digits = UInt128(0)
        for word in (0..<Int(length)).reversed() {
            let (low, high) = (UInt128(bytes[word * 2]), UInt128(bytes[word * 2 + 1]))
            digits = digits << 16 | (isLittle ? high << 8 | low : low << 8 | high)
        }
        return ExactDecimal("\(flag("NS.negative") ? "-" : "")\(digits)e\(exponent)")
    }
}
