public import Foundation

/// Keeps any `Codable` value as JSON.
///
/// The keys are sorted, so a value has one form in bytes wherever its `encode(to:)` has one order.
/// A `Set`, and a `Dictionary` whose keys are neither strings nor integers, have none: setting an
/// equal one may write it again, without harm.
///
/// JSON and no property list, because it is read by every other program and because the binary
/// form of property lists has its keys in the order of hashing, another one in each process.
public struct CodableTransformer<Transformed: Codable>: AttributeTransformer {
    public init() {}

    public func data(from value: Transformed) throws -> Data {
        try CodableForm.encoder().encode(value)
    }

    public func value(from data: Data) throws -> Transformed {
        try CodableForm.decoder().decode(Transformed.self, from: data)
    }
}

/// How values stand in JSON; part of the format of what is stored.
private enum CodableForm {
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
