public import AnabranchReplication
import AnabranchStore

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
    private init(count: Int, initialize: (UnsafeMutablePointer<Value>) -> Void) {
        values = .allocate(capacity: count)
        if let start = values.baseAddress { initialize(start) }
    }

    init(_ row: StoredRow) { self.init(count: row.slotCount) { row.read(into: $0) } }

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
        values.deallocate()
    }

    var isEmpty: Bool { values.isEmpty }
    var count: Int { values.count }

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
