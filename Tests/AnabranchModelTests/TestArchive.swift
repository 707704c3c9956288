import Foundation

/// An archive as NSKeyedArchiver writes it, with objects of any class.
struct TestArchive {
    /// A value of the property list.
    indirect enum Item {
        case text(String)
        case integer(Int)
        case flag(Bool)
        /// An object of the archive.
        case reference(UInt8)
        case list([Item])
        case entries([(key: String, value: Item)])
    }

    private var objects: [Item] = [.text("$null")]

    private mutating func add(_ item: Item) -> Item {
        objects.append(item)
        return .reference(UInt8(objects.count - 1))
    }

    /// Adds a text that many values can refer to.
    mutating func shared(_ text: String) -> Item { add(.text(text)) }

    /// Adds an object with values by their keys.
    mutating func object(_ className: String, _ values: [String: Item]) -> Item {
        let type = add(.entries([("$classname", .text(className))]))
        return add(.entries(values.map { ($0, $1) } + [("$class", type)]))
    }

    mutating func dictionary(_ values: [String: Item]) -> Item {
        object(
            "NSDictionary",
            [
                "NS.keys": .list(values.keys.map { .text($0) }),
                "NS.objects": .list(Array(values.values)),
            ])
    }

    /// The binary property list.
    func data(root: Item) -> Data {
        var list = PropertyListBytes()
        let top = list.add(
            .entries([("$top", .entries([("root", root)])), ("$objects", .list(objects))]))
        return list.data(top: top)
    }
}

/// A binary property list with references of two bytes.
private struct PropertyListBytes {
    private var objects: [[UInt8]] = []

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Adds a value and all that it contains, and returns its number.
    mutating func add(_ item: TestArchive.Item) -> UInt16 {
        let bytes: [UInt8]
        switch item {
        case .text(let text):
            bytes = [0x5F, 0x11] + Self.bytes(UInt16(text.utf8.count)) + Array(text.utf8)
        case .integer(let number): bytes = [0x13] + Self.bytes(Int64(number))
        case .flag(let flag): bytes = [flag ? 0x09 : 0x08]
        case .reference(let number): bytes = [0x80, number]
        case .list(let items):
            let numbers = items.map { add($0) }
            bytes = [0xAF, 0x10, UInt8(items.count)] + numbers.flatMap { Self.bytes($0) }
        case .entries(let entries):
            let numbers = entries.map { add(.text($0.key)) } + entries.map { add($0.value) }
            bytes = [0xDF, 0x10, UInt8(entries.count)] + numbers.flatMap { Self.bytes($0) }
        }
        objects.append(bytes)
        return UInt16(objects.count - 1)
    }

    func data(top: UInt16) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += Self.bytes(UInt32(data.count))
            data += object
        }
        let trailer =
            [0, 0, 0, 0, 0, 0, 4, 2] + Self.bytes(UInt64(objects.count))
            + Self.bytes(UInt64(top)) + Self.bytes(UInt64(data.count))
        return data + offsets + trailer
    }
}
