import AnabranchReplication

/// The canonical encoding of a normalized declaration.
///
/// The encoding is the three bytes `ABM`, one byte with the format's version, and a record. A
/// record is a sequence of fields in ascending order of their numbers. Each field is one byte with
/// its number, a length as LEB128, and that many bytes: a text in UTF-8, a zigzag number, a tagged
/// value, or another record. Default values are left out, so a model has exactly one encoding.
package enum ModelEncoding {
    private static let magic: [UInt8] = Array("ABM".utf8)
    package static let version: UInt8 = 1

    static func encode(_ declaration: ModelDeclaration) -> [UInt8] {
        magic + [version] + declaration.content
    }

    /// Reads the encoding from bytes that may be hostile.
    ///
    /// Only the canonical form is accepted: the result is encoded again and the bytes are compared.
    /// Equal models therefore always have equal bytes.
    static func decode(_ bytes: [UInt8]) throws(ModelError) -> ModelDeclaration {
        do {
            return try declaration(in: bytes)
        } catch {
            let code: ModelError.Code =
                error.code == .unsupportedVersion ? .unsupportedVersion : .malformedEncoding
            throw ModelError(
                code, offset: error.offset,
                "Can't decode the model because \(error.cause) at offset \(error.offset).")
        }
    }

    private static func declaration(
        in bytes: [UInt8]
    ) throws(ChangeSetDecodingError) -> ModelDeclaration {
        var reader = ByteReader(bytes)
        for expected in magic where try reader.readByte() != expected {
            throw reader.failure(.malformed, "it does not begin as a model")
        }
        guard try reader.readByte() == version else {
            throw reader.failure(.unsupportedVersion, "its format is of a later version")
        }
        let result = try ModelDeclaration(content: reader, depth: 0)
        try compare(encode(DeclarationNormalizer.normalize(result)), with: bytes)
        return result
    }

    private static func compare(
        _ canonical: [UInt8], with bytes: [UInt8]
    ) throws(ChangeSetDecodingError) {
        guard canonical != bytes else { return }
        let offset = zip(canonical, bytes).prefix { $0 == $1 }.count
        throw ChangeSetDecodingError(
            code: .malformed, offset: offset, cause: "it is not in canonical form")
    }
}
