/// The objects of a binary property list, each with its children as positions in the list.
///
/// Foundation's reader gives the references of keyed archives as values without an interface on
/// Linux, so the format is read here. Any bytes are safe: every length is checked against the
/// bytes, and children are positions, so a cycle or a deep nesting costs no stack. No two objects
/// of a list that a program has written share bytes, so all objects together may have as many as
/// the list.
///
/// The last 32 bytes are the trailer. It says how wide offsets and references are, and where the
/// table of offsets begins. Each object begins with a byte of its kind and, in the low four bits,
/// its length.
///
/// Source: CFBinaryPList.c of swift-corelibs-foundation, the comment at its beginning.
struct BinaryPropertyList {
    enum Object {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001-01-01 00:00:00 UTC.
        case date(Double)
        case data([UInt8])
        case text(String)
        /// A reference of a keyed archive, the position in its own list of objects.
        case reference(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private(set) var objects: [Object] = []
    private(set) var top = 0

    private static let trailerSize = 32
    private static let magic = Array("bplist00".utf8)

    /// Reads a property list; `nil` if the bytes are none.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.magic), bytes.count >= Self.magic.count + Self.trailerSize
        else { return nil }
        let trailer = bytes.count - Self.trailerSize
        guard var scanner = Scanner(bytes: bytes, end: trailer, trailer: trailer),
            scanner.isWhole, scanner.top < scanner.count
        else { return nil }
        top = scanner.top
        objects.reserveCapacity(scanner.count)
        for position in 0..<scanner.count {
            guard let object = scanner.object(at: position) else { return nil }
            objects.append(object)
        }
    }

    func text(at position: Int) -> String? {
        if case .text(let text) = objects[position] { text } else { nil }
    }
}

extension BinaryPropertyList {
    /// Reads single objects.
    private struct Scanner {
        let bytes: [UInt8]
        /// The end of the objects and of the table of their offsets.
        let end: Int
        let count: Int
        let top: Int
        private let offsetSize: Int
        private let referenceSize: Int
        private let tableStart: Int
        /// The number of bytes that further objects may have.
        private var rest: Int

        init?(bytes: [UInt8], end: Int, trailer: Int) {
            self.bytes = bytes
            self.end = end
            rest = end
            offsetSize = Int(bytes[trailer + 6])
            referenceSize = Int(bytes[trailer + 7])
            guard let count = Self.number(bytes, trailer + 8, 8),
                let top = Self.number(bytes, trailer + 16, 8),
                let tableStart = Self.number(bytes, trailer + 24, 8)
            else { return nil }
            (self.count, self.top, self.tableStart) = (count, top, tableStart)
        }

        /// True if the table of offsets lies within the bytes.
        var isWhole: Bool {
            guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
                tableStart <= end
            else { return false }
            return count <= (end - tableStart) / offsetSize
        }

        /// A number of a few bytes; `nil` if it exceeds an `Int`.
        private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
            var number: UInt64 = 0
            for byte in bytes[start..<start + size] { number = number << 8 | UInt64(byte) }
            return Int(exactly: number)
        }

        private func number(_ start: Int, _ size: Int) -> Int? {
            guard start <= end, size <= end - start else { return nil }
            return Self.number(bytes, start, size)
        }

        mutating func object(at position: Int) -> Object? {
            guard let start = number(tableStart + position * offsetSize, offsetSize), start < end
            else { return nil }
            let low = Int(bytes[start] & 0x0F)
            switch bytes[start] >> 4 {
            case 0x0: return simple(low)
            case 0x1: return integer(start + 1, 1 << min(low, 5))
            case 0x2: return real(start + 1, 1 << min(low, 5)).map { .real($0) }
            case 0x3: return real(start + 1, 8).map { .date($0) }
            case 0x8: return number(start + 1, low + 1).map { .reference($0) }
            default: return collection(bytes[start] >> 4, start, low)
            }
        }

        private func simple(_ low: Int) -> Object? {
            switch low {
            case 0x0: .null
            case 0x8: .bool(false)
            case 0x9: .bool(true)
            default: nil
            }
        }

        /// Integers of up to four bytes have no sign; one of 16 bytes is an unsigned one of eight.
        private func integer(_ start: Int, _ size: Int) -> Object? {
            guard size <= 16, start <= end, size <= end - start else { return nil }
            var number: UInt64 = 0
            for byte in bytes[start..<start + size].suffix(8) {
                number = number << 8 | UInt64(byte)
            }
            return .integer(Int64(bitPattern: number))
        }

        private func real(_ start: Int, _ size: Int) -> Double? {
            guard size == 4 || size == 8, start <= end, size <= end - start else { return nil }
            var bits: UInt64 = 0
            for byte in bytes[start..<start + size] { bits = bits << 8 | UInt64(byte) }
            return size == 4
                ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
                : Double(bitPattern: bits)
        }

        private mutating func collection(_ kind: UInt8, _ start: Int, _ low: Int) -> Object? {
            guard let (first, count) = length(start, low) else { return nil }
            switch kind {
            case 0x4: return bytes(first, count).map { .data(Array($0)) }
            case 0x5:
                return bytes(first, count).map { .text(String(decoding: $0, as: UTF8.self)) }
            case 0x6:
                guard count <= end / 2, let units = bytes(first, count * 2) else { return nil }
                let start = units.startIndex
                let text = (0..<count).map {
                    UInt16(units[start + $0 * 2]) << 8 | UInt16(units[start + $0 * 2 + 1])
                }
                return .text(String(decoding: text, as: UTF16.self))
            case 0xA, 0xC: return references(first, count).map { .array($0) }
            case 0xD:
                guard let keys = references(first, count),
                    let values = references(first + count * referenceSize, count)
                else { return nil }
                return .dictionary(keys: keys, values: values)
            default: return nil
            }
        }

        /// The first byte after a length, and the length, which may be an integer of its own.
        private func length(_ start: Int, _ low: Int) -> (Int, Int)? {
            guard low == 0x0F else { return (start + 1, low) }
            guard start + 1 < end, bytes[start + 1] >> 4 == 0x1 else { return nil }
            let size = 1 << min(Int(bytes[start + 1] & 0x0F), 5)
            guard size <= 8, let count = number(start + 2, size) else { return nil }
            return (start + 2 + size, count)
        }

        private mutating func bytes(_ start: Int, _ count: Int) -> ArraySlice<UInt8>? {
            guard start <= end, count <= min(end - start, rest) else { return nil }
            rest -= count
            return bytes[start..<start + count]
        }

        private mutating func references(_ start: Int, _ count: Int) -> [Int]? {
            guard start <= end, count <= min(end - start, rest) / referenceSize else { return nil }
            rest -= count * referenceSize
            var found: [Int] = []
            found.reserveCapacity(count)
            for index in 0..<count {
                guard let position = number(start + index * referenceSize, referenceSize),
                    position < self.count
                else { return nil }
                found.append(position)
            }
            return found
        }
    }
}
