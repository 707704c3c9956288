/// Times two implementations of one operation in alternation.
///
/// Other load on the machine then affects both.
struct Rounds {
    let count: Int

    /// Compares the implementations.
    ///
    /// - Parameters:
    ///   - raw: Runs one round; returns the time of the measured part without its preparation.
    ///   - ours: Runs one round of the other implementation in the same way.
    ///
    /// - Returns: The medians.
    func compare(
        raw: (_ round: Int) async throws -> Duration,
        ours: (_ round: Int) async throws -> Duration
    ) async throws -> (raw: Duration, ours: Duration) {
        var rawTimes: [Duration] = []
        var ourTimes: [Duration] = []
        for round in 0..<count {
            if round.isMultiple(of: 2) {
                rawTimes.append(try await raw(round))
                ourTimes.append(try await ours(round))
            } else {
                ourTimes.append(try await ours(round))
                rawTimes.append(try await raw(round))
            }
        }
        return (rawTimes.median, ourTimes.median)
    }
}

extension [Duration] {
    /// The median; the later of the two middle values of an even number, zero without values.
    var median: Duration { isEmpty ? .zero : sorted()[count / 2] }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The nanoseconds of one of `count` operations that took this long together.
    func nanoseconds(each count: Int) -> Double { seconds * 1e9 / Double(count) }
}

extension Figure {
    /// The rows a second of both sides, from the time for `rows` rows.
    static func share(
        _ title: String, rows: Int, _ times: (raw: Duration, ours: Duration), goal: Double?,
        cause: String? = nil
    ) -> Figure {
        Figure(
            title,
            .share(
                raw: Double(rows) / times.raw.seconds, ours: Double(rows) / times.ours.seconds),
            goal: goal, cause: cause)
    }
}
