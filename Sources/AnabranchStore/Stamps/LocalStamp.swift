/// A stamp with its replica's ordinal in this file in place of its ID.
struct LocalStamp: Hashable {
    var timestamp: UInt64
    var ordinal: Int64
}
