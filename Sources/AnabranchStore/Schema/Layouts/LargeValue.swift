#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of a megabyte or more that a statement binds without a copy.
///
/// SQLite makes one copy in any case: the row. Data of this size keeps its bytes on the heap, and
/// they do not change while this object holds a reference to them.
final class LargeValue {
    /// The byte count from which a second copy costs more than the reference.
    static let leastByteCount = 1 << 20

    let bytes: UnsafeRawBufferPointer
    private let data: Data

    init(_ data: Data) {
        self.data = data
        bytes = data.withUnsafeBytes { $0 }
    }
}
