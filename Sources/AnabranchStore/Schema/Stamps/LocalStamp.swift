/// A stamp that names its replica by the ordinal in this file.
struct LocalStamp: Hashable {
    var timestamp: UInt64
    var ordinal: Int64
}
