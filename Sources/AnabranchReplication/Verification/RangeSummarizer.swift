/// Summarizes the records of a range with bounded work.
///
/// It cuts the range into parts of about equal size, or lists its records if they are few. Pass it
/// the records of the range in ascending order, until it accepts no more.
package struct RangeSummarizer: Sendable {
    /// The limits of one summary.
    package struct Limits: Hashable, Sendable {
        /// The greatest number of records that are listed instead of summed.
        package var listed = 256
        /// The number of parts that a range is cut into.
        package var parts = 16
        /// The greatest number of records and links that one answer reads.
        package var steps = 1 << 16

        package init() {}
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

    /// Creates the summary of one range.
    ///
    /// - Parameters:
    ///   - range: The range to summarize.
    ///   - count: The number of records in the range, or any number above the limit of steps.
    ///   - steps: The number of records and links that may still be read. At least one record is
    ///     read.
    ///   - limits: The limits of one summary.
    package init(_ range: RecordRange, count: Int, steps: Int, limits: Limits) {
        self.range = range
        isListing = count <= limits.listed
        let size = (min(count, limits.steps) + limits.parts - 1) / max(limits.parts, 1)
        partSize = max(size, limits.listed, 1)
        stepLimit = steps
        partSteps = limits.steps
    }

    /// Adds the next record of the range.
    ///
    /// - Returns: `false` if the record was not taken. Then pass no more records.
    package mutating func take(_ record: CanonicalRecord) -> Bool {
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

    /// Returns the summary and the number of records and links that were read.
    ///
    /// - Parameter isWhole: `true` if the range has no more records than were taken.
    package consuming func finish(isWhole: Bool) -> (summary: RangeSummary, steps: Int) {
        if isListing { return (.records(entries), steps) }
        if isWhole { parts.append(RangeSummary.Part(upper: range.upper, checksum: present)) }
        return (.parts(parts), steps)
    }
}
