#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of a megabyte or more that a statement reads where it is.
///
/// SQLite makes one copy of it anyway, the row. Data of that size has its bytes on the heap, and
/// nobody changes them while this holds a reference to them.
final class LargeValue {
    /// From here on a second copy costs more than the reference.
    static let leastByteCount = 1 << 20

    let bytes: UnsafeRawBufferPointer
    private let data: Data

    init(_ data: Data) {
        self.data = data
        bytes = data.withUnsafeBytes { $0 }
    }
}
