public import Foundation

/// Turns the values of a transformable attribute into bytes and back.
///
/// ```swift
/// struct ColourTransformer: AttributeTransformer {
///     func data(from colour: Colour) -> Data { Data([colour.red, colour.green, colour.blue]) }
///     func value(from data: Data) throws -> Colour { try Colour(components: [UInt8](data)) }
/// }
/// AttributeTransformers.register(ColourTransformer(), forName: "ColourTransformer")
/// ```
///
/// The bytes are what is stored, sent, merged and compared; a peer or a tool that lacks the
/// transformer keeps them as they are. So one value should have one form in bytes: an equal value
/// in other bytes counts as a change. What a released program has written has to be readable by
/// every later one.
///
/// It is called on the queues of all contexts, also at the same time, and with what other
/// versions of the program have written. (`ValueTransformer` is the name of a class of Foundation
/// on Apple's platforms, for which this stands.)
public protocol AttributeTransformer<Transformed>: Sendable {
    /// What a property of the attribute has as its type, without `?`. A value type: what changes
    /// inside an instance of a class after it was set is not noticed.
    associatedtype Transformed

    /// - Throws: Whatever tells why the value can't be kept. The attribute stays as it was.
    func data(from value: Transformed) throws -> Data
    /// - Throws: Whatever tells why the bytes are no such value. The attribute reads nil.
    func value(from data: Data) throws -> Transformed
}
