public import AnabranchReplication
import AnabranchStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The values of an object's slots; empty while there are none.
///
/// It has one owner and is never shared, and so a write needs no uniqueness check and no copy. An
/// array instead would take a third more memory, and a look-up of its storage class for every
/// object that a fetch creates.
@usableFromInline
struct SlotStorage: ~Copyable {
    @usableFromInline let values: UnsafeMutableBufferPointer<PropertyValue>

    init() { values = UnsafeMutableBufferPointer(start: nil, count: 0) }

    /// - Parameter initialize: Initializes every element.
    @inline(__always)
    private init(count: Int, initialize: (UnsafeMutablePointer<PropertyValue>) -> Void) {
        let start = Self.memory(for: count)
        initialize(start)
        values = UnsafeMutableBufferPointer(start: start, count: count)
    }

    /// Allocates memory by `malloc`. On Linux, `allocate(capacity:)` uses the slower path for
    /// over-aligned memory, which made a fetch 3 % slower.
    private static func memory(for count: Int) -> UnsafeMutablePointer<PropertyValue> {
        assert(MemoryLayout<PropertyValue>.alignment <= 16, "malloc aligns to 16 bytes.")
        guard let memory = malloc(max(count, 1) * MemoryLayout<PropertyValue>.stride) else {
            fatalError("There is no memory for the values of an object.")
        }
        return memory.bindMemory(to: PropertyValue.self, capacity: count)
    }

    @usableFromInline
    static func release(_ values: UnsafeMutableBufferPointer<PropertyValue>) {
        free(values.baseAddress)
    }

    @inline(__always)
    init(_ row: ObjectRow) { self.init(count: row.slotCount) { row.read(into: $0) } }

    init(copying other: borrowing SlotStorage) {
        let original = other.values
        self.init(count: original.count) { copy in
            if let start = original.baseAddress {
                copy.initialize(from: start, count: original.count)
            }
        }
    }

    init(copying array: [PropertyValue]) {
        self.init(count: array.count) { copy in
            array.withUnsafeBufferPointer { values in
                if let start = values.baseAddress {
                    copy.initialize(from: start, count: values.count)
                }
            }
        }
    }

    // Inlinable, because the setter of a property that inlinable code reads is.
    @inlinable
    deinit {
        values.deinitialize()
        Self.release(values)
    }

    var isEmpty: Bool { values.isEmpty }
    var count: Int { values.count }

    /// Returns true if both storages have equal values in a slot, which exists in both.
    @inline(__always)
    func agrees(with other: borrowing SlotStorage, at slot: Int) -> Bool {
        values[slot] == other.values[slot]
    }

    /// The values for use within one call.
    var buffer: UnsafeBufferPointer<PropertyValue> { UnsafeBufferPointer(values) }

    @inlinable
    subscript(slot: Int) -> PropertyValue {
        @inline(__always) get {
            precondition(UInt(bitPattern: slot) < UInt(bitPattern: values.count), "No such slot.")
            return values[slot]
        }
        @inline(__always) set {
            precondition(UInt(bitPattern: slot) < UInt(bitPattern: values.count), "No such slot.")
            values[slot] = newValue
        }
    }
}
