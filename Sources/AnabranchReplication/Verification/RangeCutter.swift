/// Cuts what a state has in a range into parts of about equal size, or lists it where it is
/// little, within bounded work.
///
/// Fed with the records of the range in ascending order, and as many as it wants.
public struct RangeCutter: Sendable {
    public struct Limits: Hashable, Sendable {
        /// Records that are listed rather than summed.
        public var listed = 256
        /// Parts that a range is cut into.
        public var parts = 16
        /// Records and links that one answer looks at.
        public var steps = 1 << 16

        public init() {}
    }

    private let range: RecordRange
    private let partSize: Int
    private let isListing: Bool
    private let stepLimit: Int
    private var steps = 0
    private var entries: [RangeSummary.Entry] = []
    private var parts: [RangeSummary.Part] = []
    private var present = StateChecksum.zero
    private var presentSize = 0
    private var presentSteps = 0
    private let partSteps: Int

    /// - Parameters:
    ///   - count: Of the records in the range, or any number above the limit of steps.
    ///   - steps: That may be taken; at least one record is.
    public init(_ range: RecordRange, count: Int, steps: Int, limits: Limits) {
        self.range = range
        isListing = count <= limits.listed
        let size = (min(count, limits.steps) + limits.parts - 1) / max(limits.parts, 1)
        partSize = max(size, limits.listed, 1)
        stepLimit = steps
        partSteps = limits.steps
    }

    /// - Returns: Whether the record was taken; where it was not, that is the end.
    public mutating func take(_ record: CanonicalRecord) -> Bool {
        if !isListing, presentSize >= partSize || presentSteps >= partSteps {
            parts.append(RangeSummary.Part(upper: record.id, checksum: present))
            present = .zero
            presentSize = 0
            presentSteps = 0
        }
        if steps >= stepLimit, !parts.isEmpty, presentSize == 0 { return false }
        steps += 1 + record.links.count
        let checksum = StateChecksum(of: record)
        if isListing {
            entries.append(RangeSummary.Entry(record: record.id, checksum: checksum))
        } else {
            present = present &+ checksum
            presentSize += 1
            presentSteps += 1 + record.links.count
        }
        return true
    }

    /// - Parameter isWhole: Whether the range has no more records than were taken.
    /// - Returns: The summary, and the steps that it took.
    public consuming func finish(isWhole: Bool) -> (summary: RangeSummary, steps: Int) {
        if isListing { return (.records(entries), steps) }
        if isWhole { parts.append(RangeSummary.Part(upper: range.upper, checksum: present)) }
        return (.parts(parts), steps)
    }
}
