import AnabranchReplication

/// The objects that NSKeyedArchiver wrote into a binary property list.
///
/// No class is created from the archive: objects are read by the names of their classes and keys,
/// so an archive of any origin is safe. What can be read of it is limited by its size, because a
/// few bytes can refer to one object very often, or to themselves.
struct KeyedArchive {
    private let list: BinaryPropertyList
    private let visits: Visits
    /// The positions in the list of the archive's objects, by reference.
    private let objects: [Int]
    private let root: Int

    /// Reads an archive; `nil` if the bytes are none.
    init?(_ bytes: [UInt8]) {
        guard let list = BinaryPropertyList(bytes),
            let top = Self.members(of: list.top, in: list),
            let objects = top["$objects"], case .array(let positions) = list.objects[objects],
            let roots = top["$top"].flatMap({ Self.members(of: $0, in: list) }),
            let root = roots["root"], case .reference(let reference) = list.objects[root],
            positions.indices.contains(reference)
        else { return nil }
        self.list = list
        visits = Visits(limit: bytes.count * Self.visitsForByte)
        self.objects = positions
        self.root = positions[reference]
    }

    /// The greatest number of visits for each byte of an archive. Those of models need less than
    /// one.
    private static let visitsForByte = 8
    /// The number of bytes of a text that cost as much as a visit.
    private static let visitedBytes = 8

    /// The number of visits that are left: one for each value, for each key of an object, and for
    /// each few bytes of a text.
    private final class Visits {
        private(set) var rest: Int

        init(limit: Int) { rest = limit }

        func take(_ count: Int) -> Bool {
            rest -= count
            return rest >= 0
        }
    }

    /// True if more was read than a model of this size has. Then further values were read as
    /// missing.
    var isExhausted: Bool { visits.rest < 0 }

    var rootObject: ArchivedObject? { object(at: root) }

    private static func members(of position: Int, in list: BinaryPropertyList) -> [String: Int]? {
        guard case .dictionary(let keys, let values) = list.objects[position] else { return nil }
        var members: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard let name = list.text(at: key) else { return nil }
            members[name] = value
        }
        return members
    }

    /// The position of the object that a value means: a reference means one of the archive's.
    fileprivate func resolved(_ position: Int) -> Int {
        guard case .reference(let reference) = list.objects[position],
            objects.indices.contains(reference)
        else { return position }
        return objects[reference]
    }

    fileprivate func object(at position: Int) -> ArchivedObject? {
        guard case .dictionary(let keys, _) = list.objects[position], visits.take(keys.count),
            let members = Self.members(of: position, in: list), let type = members["$class"],
            let names = Self.members(of: resolved(type), in: list),
            let name = names["$classname"].flatMap({ list.text(at: $0) })
        else { return nil }
        return ArchivedObject(archive: self, position: position, className: name, members: members)
    }

    fileprivate func value(at position: Int) -> ArchivedValue {
        let position = resolved(position)
        guard visits.take(1) else { return .none }
        switch list.objects[position] {
        case .null, .reference: return .none
        case .bool(let flag): return .bool(flag)
        case .integer(let number): return .integer(number)
        case .real(let number): return .double(number)
        case .date(let seconds): return .date(seconds)
        case .data(let bytes): return .data(bytes)
        case .text(let text):
            guard visits.take(text.utf8.count / Self.visitedBytes) else { return .none }
            return text == "$null" ? .none : .text(text)
        case .array(let positions):
            return .array(ArchivedArray(archive: self, positions: positions))
        case .dictionary: return object(at: position).map { .object($0) } ?? .none
        }
    }
}

/// One value of a keyed archive.
enum ArchivedValue {
    case none
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case date(Double)
    case data([UInt8])
    case text(String)
    /// A plain list, as the classes of collections contain.
    case array(ArchivedArray)
    case object(ArchivedObject)
}

/// A list of values that are read one level at a time, because an archive may contain itself.
struct ArchivedArray {
    fileprivate let archive: KeyedArchive
    fileprivate let positions: [Int]

    var elements: [ArchivedValue] { positions.map { archive.value(at: $0) } }
}

/// One object of a keyed archive: the name of its class, and its values by key.
struct ArchivedObject {
    fileprivate let archive: KeyedArchive
    /// The position, which distinguishes this object from every other.
    let position: Int
    let className: String
    fileprivate let members: [String: Int]

    /// The keys of the values, in no order.
    var keys: [String] { Array(members.keys) }

    subscript(key: String) -> ArchivedValue {
        members[key].map { archive.value(at: $0) } ?? .none
    }

    func object(_ key: String) -> ArchivedObject? {
        if case .object(let object) = self[key] { object } else { nil }
    }

    /// A text, also that of a mutable string.
    func text(_ key: String) -> String? { self[key].text }

    func integer(_ key: String) -> Int64? {
        switch self[key] {
        case .integer(let number): number
        case .bool(let flag): flag ? 1 : 0
        default: nil
        }
    }

    /// A missing flag is false.
    func flag(_ key: String) -> Bool { (integer(key) ?? 0) != 0 }

    /// The elements of an array or a set; none if the key has neither.
    func elements(_ key: String) -> [ArchivedValue] { self[key].elements }

    /// The entries of a dictionary with texts as keys.
    func entries(_ key: String) -> [(key: String, value: ArchivedValue)] {
        guard let dictionary = object(key) else { return [] }
        var keys = dictionary.elements("NS.keys")
        var values = dictionary.elements("NS.objects")
        if let mapping = dictionary.object("searchMapping") {
            // A dictionary with known keys.
            keys = mapping.elements("keys")
            values = dictionary.elements("values")
        }
        return zip(keys, values).compactMap { key, value in key.text.map { ($0, value) } }
    }
}

extension ArchivedValue {
    var text: String? {
        switch self {
        case .text(let text): text
        case .object(let object) where object.className.hasSuffix("String"):
            // Only a plain text, because an object may contain itself.
            if case .text(let text) = object["NS.string"] { text } else { nil }
        default: nil
        }
    }

    var object: ArchivedObject? { if case .object(let object) = self { object } else { nil } }

    var elements: [ArchivedValue] {
        switch self {
        case .array(let array): array.elements
        case .object(let object):
            // Only a plain list, because an object may contain itself.
            if case .array(let array) = object["NS.objects"] { array.elements } else { [] }
        default: []
        }
    }
}
