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
/// It has one owner and is never shared, so a write needs no check and no copy. An array in its
/// place would take a third more memory and the look-up of its storage's class for every object
/// that a fetch makes.
@usableFromInline
struct SlotStorage: ~Copyable {
    @usableFromInline let values: UnsafeMutableBufferPointer<Value>

    init() { values = UnsafeMutableBufferPointer(start: nil, count: 0) }

    /// - Parameter initialize: Gives each place its value.
    @inline(__always)
    private init(count: Int, initialize: (UnsafeMutablePointer<Value>) -> Void) {
        let start = Self.memory(for: count)
        initialize(start)
        values = UnsafeMutableBufferPointer(start: start, count: count)
    }

    /// From `malloc`: `allocate(capacity:)` takes the way of over-aligned memory on Linux, which
    /// took 3 % of a fetch more.
    private static func memory(for count: Int) -> UnsafeMutablePointer<Value> {
        assert(MemoryLayout<Value>.alignment <= 16, "malloc aligns to 16 bytes.")
        guard let memory = malloc(max(count, 1) * MemoryLayout<Value>.stride) else {
            fatalError("There is no memory for the values of an object.")
        }
        return memory.bindMemory(to: Value.self, capacity: count)
    }

    @usableFromInline
    static func release(_ values: UnsafeMutableBufferPointer<Value>) { free(values.baseAddress) }

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

    init(copying array: [Value]) {
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

    /// Whether another one has an equal value in a slot, which both have.
    @inline(__always)
    func agrees(with other: borrowing SlotStorage, at slot: Int) -> Bool {
        values[slot] == other.values[slot]
    }

    /// For a reader within one call.
    var buffer: UnsafeBufferPointer<Value> { UnsafeBufferPointer(values) }

    @inlinable
    subscript(slot: Int) -> Value {
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
