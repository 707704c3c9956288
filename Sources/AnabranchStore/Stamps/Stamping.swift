import AnabranchReplication

/// Gives rows the versions that follow when one save writes the same properties of each.
///
/// Rows that were written together have equal versions, and so have those that follow: each is
/// worked out once while equal ones come one after the other, and their bytes are shared.
struct Stamping {
    private let stamp: RowStamps.LocalStamp
    private let properties: [Int]
    private var last: (before: RowVersion, after: RowVersion)?

    /// - Parameters:
    ///   - stamp: Later than that of every row, since the clock is later than all it has seen.
    ///   - properties: Numbers of those that are written.
    init(at stamp: RowStamps.LocalStamp, writing properties: [Int]) {
        self.stamp = stamp
        self.properties = properties
    }

    /// - Throws: ``ChangeSetDecodingError`` where the version is damaged.
    mutating func version(
        after version: RowVersion
    ) throws(ChangeSetDecodingError) -> RowVersion {
        if let last, last.before == version { return last.after }
        var stamps = try RowStamps(version)
        guard stamps.last.timestamp < stamp.timestamp else {
            throw ByteReader([]).failure(
                .malformed, "a row was written later than the file's clock says")
        }
        for property in properties { stamps.write(property, at: stamp, isLast: true) }
        last = (version, stamps.version)
        return stamps.version
    }
}
