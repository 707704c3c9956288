import Anabranch
import Foundation
import Synchronization
import TestSupport

/// A model with transformable attributes, and a store of it.
final class Shop: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("shop")
        AttributeTransformers.register(DyeTransformer(), forName: "Dye")
        container = PersistentContainer(
            model: try Self.model(), classes: [Laptop.self],
            url: URL(filePath: directory.file("shop.anabranch")))
        try container.load()
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Laptop") {
                AttributeDeclaration("colour", .transformable, transformer: "Dye")
                AttributeDeclaration("label", .string, default: "new", transient: true)
                AttributeDeclaration("mark", .undefined, transient: true)
                AttributeDeclaration("shade", .transformable, transformer: "Dye", transient: true)
                AttributeDeclaration("tags", .transformable)
                AttributeDeclaration("title", .string)
                AttributeDeclaration("unknown", .transformable, transformer: "NobodysTransformer")
            }
        }
    }

    /// Runs a block in a new context.
    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }
}

struct Dye: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    static let teal = Dye(red: 0, green: 128, blue: 128)
    static let black = Dye(red: 0, green: 0, blue: 0)
}

/// Encodes a colour as three bytes. Black has no encoding: its transformation throws.
struct DyeTransformer: AttributeTransformer {
    struct Failure: Error {}

    func data(from dye: Dye) throws -> Data {
        if dye == .black { throw Failure() }
        return Data([dye.red, dye.green, dye.blue])
    }

    func value(from data: Data) throws -> Dye {
        let bytes = [UInt8](data)
        guard bytes.count == 3 else { throw Failure() }
        return Dye(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}

final class Laptop: ManagedObject {
    override class var entityName: String { "Laptop" }
    override class var slotNames: [String] {
        ["colour", "label", "mark", "shade", "tags", "title", "unknown"]
    }

    var colour: Dye? {
        get { self[transformable: 0] }
        set { self[transformable: 0] = newValue }
    }
    var label: String? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    /// An attribute without a type: the store keeps what the default transformer returns.
    var mark: [Double]? {
        get { self[transformable: 2] }
        set { self[transformable: 2] = newValue }
    }
    var shade: Dye? {
        get { self[transformable: 3] }
        set { self[transformable: 3] = newValue }
    }
    var tags: [String: Int]? {
        get { self[transformable: 4] }
        set { self[transformable: 4] = newValue }
    }
    var title: String? {
        get { self[slot: 5] }
        set { self[slot: 5] = newValue }
    }
    var unknown: Dye? {
        get { self[transformable: 6] }
        set { self[transformable: 6] = newValue }
    }
}
