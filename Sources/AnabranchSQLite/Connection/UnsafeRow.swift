/// The columns of one row, in SQLite's memory. It is valid only within the body that receives it.
public struct UnsafeRow {
    @usableFromInline let values: UnsafePointer<OpaquePointer>

    /// - Parameter values: One value for each column.
    init(_ values: UnsafeMutablePointer<OpaquePointer?>) {
        self.values = UnsafeRawPointer(values).assumingMemoryBound(to: OpaquePointer.self)
    }

    /// A column that exists, counted from 0.
    @inlinable
    public subscript(column: Int) -> UnsafeColumn { UnsafeColumn(values[column]) }
}

@available(*, unavailable)
extension UnsafeRow: Sendable {}
