import AnabranchModel
import AnabranchReplication
import Foundation

/// The conversion of one attribute's values to bytes and back.
///
/// Nothing is kept between two reads: each read decodes the bytes again, so that no two objects
/// share an instance.
struct AttributeTransformation {
    private let attribute: AttributeDescription

    /// - Returns: `nil` for an attribute that is neither transformable nor of undefined type.
    init?(_ attribute: AttributeDescription) {
        guard [.transformable, .undefined].contains(attribute.type) else { return nil }
        self.attribute = attribute
    }

    /// Encodes a value by the attribute's transformer.
    ///
    /// - Throws: `Failure`.
    func data<T>(from value: T) throws -> Data {
        let transformer = try transformer(for: T.self)
        return try Self.encode(value, by: transformer)
    }

    /// Decodes a value by the attribute's transformer.
    ///
    /// - Throws: `Failure`.
    func value<T>(from data: Data, as type: T.Type) throws -> T {
        let transformer = try transformer(for: type)
        let value = try Self.decode(data, by: transformer)
        guard let value = value as? T else {
            throw Failure(
                code: .untransformable,
                cause: "its transformer decodes it as \(Swift.type(of: value)), not as \(T.self)")
        }
        return value
    }

    /// The cause of a failed conversion, as a clause that follows "because".
    struct Failure: Error {
        let code: PropertyError.Code
        let cause: String
        var underlying: (any Error)?
    }

    private func transformer<T>(for type: T.Type) throws -> any AttributeTransformer {
        let name = attribute.valueTransformerName ?? AttributeTransformers.defaultName
        if let known = AttributeTransformers.transformer(forName: name) { return known }
        guard name == AttributeTransformers.defaultName else {
            throw Failure(
                code: .unknownTransformer,
                cause: "the model names the transformer '\(name)', which is not registered; call "
                    + "AttributeTransformers.register(_:forName: \"\(name)\") first")
        }
        guard let codable = type as? any Codable.Type else {
            throw Failure(
                code: .untransformable,
                cause: "\(T.self) is not Codable, which the default transformer requires; name a "
                    + "transformer in the model and register it")
        }
        return Self.codableTransformer(codable)
    }

    private static func codableTransformer<T: Codable>(
        _ type: T.Type
    ) -> any AttributeTransformer { CodableTransformer<T>() }

    private static func encode<Transformer: AttributeTransformer>(
        _ value: Any, by transformer: Transformer
    ) throws -> Data {
        guard let fitting = value as? Transformer.Transformed else {
            throw Failure(
                code: .untransformable,
                cause: "its transformer takes values of type \(Transformer.Transformed.self)")
        }
        do {
            return try transformer.data(from: fitting)
        } catch {
            throw Failure(
                code: .untransformable, cause: "its transformer refused it: \(error)",
                underlying: error)
        }
    }

    private static func decode<Transformer: AttributeTransformer>(
        _ data: Data, by transformer: Transformer
    ) throws -> Any {
        do {
            return try transformer.value(from: data)
        } catch {
            throw Failure(
                code: .untransformable,
                cause: "its transformer can't read the \(data.count) bytes: \(error)",
                underlying: error)
        }
    }
}
