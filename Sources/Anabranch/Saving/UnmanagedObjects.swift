/// Objects that whoever made the list holds: neither listing nor visiting them counts references,
/// which would bring each object of a large save into the processor's cache once more.
struct UnmanagedObjects {
    private var objects: [Unmanaged<ManagedObject>] = []

    mutating func append(_ object: ManagedObject) { objects.append(.passUnretained(object)) }

    @inline(__always)
    func forEach(_ body: (ManagedObject) throws -> Void) rethrows {
        for object in objects { try object._withUnsafeGuaranteedRef(body) }
    }

    /// Held again.
    var all: [ManagedObject] { objects.map { $0.takeUnretainedValue() } }
}
