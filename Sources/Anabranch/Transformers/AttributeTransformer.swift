public import Foundation

/// A conversion of a transformable attribute's values to bytes and back.
///
/// ```swift
/// struct ColourTransformer: AttributeTransformer {
///     func data(from colour: Colour) -> Data { Data([colour.red, colour.green, colour.blue]) }
///     func value(from data: Data) throws -> Colour { try Colour(components: [UInt8](data)) }
/// }
/// AttributeTransformers.register(ColourTransformer(), forName: "ColourTransformer")
/// ```
///
/// The bytes are stored, sent, merged and compared; a replica or a tool without the transformer
/// keeps them as they are. One value should have one encoding, because an equal value with other
/// bytes counts as a change. Every later version of a program must be able to decode what a
/// released version has written.
///
/// A transformer is called on the queues of all contexts, also concurrently, and with bytes from
/// other versions of the program. (It replaces Foundation's class `ValueTransformer` on Apple's
/// platforms.)
public protocol AttributeTransformer<Transformed>: Sendable {
    /// The type of the attribute's property, without `?`. Use a value type: a change inside an
    /// instance of a class is not noticed.
    associatedtype Transformed

    /// Encodes a value.
    ///
    /// - Throws: Any error that says why the value can't be stored. The attribute keeps its value.
    func data(from value: Transformed) throws -> Data
    /// Decodes a value.
    ///
    /// - Throws: Any error that says why the bytes are not a value. The attribute reads nil.
    func value(from data: Data) throws -> Transformed
}
