package import AnabranchReplication

/// What a person types to run seeds: `FIRST COUNT [MECHANISM]` or `--random COUNT`.
package struct RunArguments: Equatable {
    package let seeds: Range<UInt64>
    /// Whether the first seed was drawn at random.
    package let isRandom: Bool
    /// The mechanism that is switched off.
    package let mechanism: Mechanism?

    /// Whether each expected event must happen in the run, so that a change of the scenarios can't
    /// leave one out unnoticed.
    ///
    /// In a run of few seeds an event may be missing, and in one of random seeds by chance.
    package var requiresEveryEvent: Bool { !isRandom && mechanism == nil && seeds.count >= 200 }

    package static var usage: String {
        """
        Usage: Simulate FIRST COUNT [MECHANISM]
               Simulate --random COUNT
        Mechanisms: \(Mechanism.allCases.map(\.rawValue).joined(separator: " "))

        """
    }

    /// - Parameter draw: Draws the first seed.
    /// - Returns: `nil` if the arguments are not in one of the two forms.
    package init?(_ arguments: [String], draw: () -> UInt64) {
        guard arguments.count >= 2, let count = UInt64(arguments[1]), count > 0 else { return nil }
        isRandom = arguments[0] == "--random"
        guard let first = isRandom ? draw() : UInt64(arguments[0]) else { return nil }
        let (end, isTooLarge) = first.addingReportingOverflow(count)
        guard !isTooLarge, count <= UInt64(Int.max) else { return nil }
        seeds = first..<end
        switch (arguments.count, isRandom) {
        case (2, _): mechanism = nil
        case (3, false):
            guard let named = Mechanism(rawValue: arguments[2]) else { return nil }
            mechanism = named
        default: return nil
        }
    }
}
