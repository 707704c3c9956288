/// A list of objects that its creator keeps alive. Listing and visiting the objects count no
/// references, which would load each object of a large save into the processor's cache once more.
struct UnmanagedObjects {
    private var objects: [Unmanaged<ManagedObject>] = []

    mutating func append(_ object: ManagedObject) { objects.append(.passUnretained(object)) }

    @inline(__always)
    func forEach(_ body: (ManagedObject) throws -> Void) rethrows {
        for object in objects { try object._withUnsafeGuaranteedRef(body) }
    }

    /// The objects as strong references.
    var all: [ManagedObject] { objects.map { $0.takeUnretainedValue() } }
}
