/// What calls that can't throw have met, until the next save throws it.
///
/// Every refused change is told, not only the first one: who mends that and saves again must not
/// lose the others. Beyond a hundred only their number is kept.
struct DeferredErrors {
    private(set) var errors: [any Error] = []
    private var count = 0
    private static let maximumErrors = 100

    mutating func keep(_ error: any Error) {
        count += 1
        if errors.count < Self.maximumErrors { errors.append(error) }
    }

    mutating func removeAll() {
        errors = []
        count = 0
    }

    /// Hands over what was kept. The first error of the store comes alone, the properties that
    /// were refused come at the next call.
    mutating func take() -> (any Error)? {
        guard !errors.isEmpty else { return nil }
        let refusals = errors.compactMap { $0 as? PropertyError }
        if let other = errors.first(where: { !($0 is PropertyError) }) {
            errors = refusals
            count = refusals.count
            return other
        }
        defer { removeAll() }
        guard let first = refusals.first else { return nil }
        return count == 1 ? first : PropertyError(first, of: refusals, count: count)
    }
}
