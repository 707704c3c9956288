public import Foundation

/// A transformer that stores a `Codable` value as JSON.
///
/// The keys are sorted, and so a value has one encoding if its `encode(to:)` has one order. A
/// `Set`, or a `Dictionary` with keys that are neither strings nor integers, has no fixed order:
/// setting an equal value can write it again, without harm.
///
/// JSON is used instead of a property list because every other program can read it. The binary
/// form of property lists also orders keys by their hashes, which differ in each process.
public struct CodableTransformer<Transformed: Codable>: AttributeTransformer {
    /// Creates a transformer.
    public init() {}

    /// Encodes a value as JSON with sorted keys.
    public func data(from value: Transformed) throws -> Data {
        try CodableForm.encoder().encode(value)
    }

    /// Decodes a value from JSON.
    public func value(from data: Data) throws -> Transformed {
        try CodableForm.decoder().decode(Transformed.self, from: data)
    }
}

/// The JSON encoding of values, which is part of the format of stored data.
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
