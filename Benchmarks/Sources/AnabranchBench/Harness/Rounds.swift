/// Times two ways of doing one thing, taking turns, so that whatever else the machine does falls
/// on both.
struct Rounds {
    let count: Int

    /// - Parameters:
    ///   - raw: One round; it returns the time of what counts, without its preparation.
    ///   - ours: As `raw`.
    /// - Returns: Medians.
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
    /// Of an even number the later of the two in the middle; zero of none.
    var median: Duration { isEmpty ? .zero : sorted()[count / 2] }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// Of one among many that took this long together.
    func nanoseconds(each count: Int) -> Double { seconds * 1e9 / Double(count) }
}

extension Figure {
    /// Rows a second of both sides from the time that `rows` took.
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
