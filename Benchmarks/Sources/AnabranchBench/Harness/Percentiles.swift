/// The times of one operation that was done many times.
struct Percentiles {
    private let sorted: [Duration]

    init(_ durations: [Duration]) { sorted = durations.sorted() }

    /// The time that half of the operations did not exceed; zero without operations.
    var half: Duration { share(50) }
    /// The time that 99 of 100 operations did not exceed.
    var almostAll: Duration { share(99) }

    private func share(_ percent: Int) -> Duration {
        sorted.isEmpty ? .zero : sorted[min(sorted.count * percent / 100, sorted.count - 1)]
    }
}

extension Duration {
    var microseconds: Double { self / .microseconds(1) }
}
