package import AnabranchReplication

/// What a person types to run seeds: `FIRST COUNT [MECHANISM]` or `--random COUNT`, perhaps with
/// `--storage KIND` in front.
package struct RunArguments: Equatable {
    package let seeds: Range<UInt64>
    /// Whether the first seed was drawn at random.
    package let isRandom: Bool
    /// The mechanism that is switched off.
    package let mechanism: Mechanism?
    /// The storage of all zones; `nil` if each seed chooses it.
    package let storage: ZoneStorageKind?

    /// Whether each expected event must happen in the run, so that a change of the scenarios can't
    /// leave one out unnoticed.
    ///
    /// In a run of few seeds an event may be missing, and in one of random seeds by chance.
    package var requiresEveryEvent: Bool {
        !isRandom && mechanism == nil && storage == nil && seeds.count >= 200
    }

    package static var usage: String {
        """
        Usage: Simulate [--storage KIND] FIRST COUNT [MECHANISM]
               Simulate [--storage KIND] --random COUNT
        Storages: \(ZoneStorageKind.allCases.map(\.rawValue).joined(separator: " "))
        Mechanisms: \(Mechanism.allCases.map(\.rawValue).joined(separator: " "))

        """
    }

    /// - Parameter draw: Draws the first seed.
    /// - Returns: `nil` if the arguments are not in one of the two forms.
    package init?(_ arguments: [String], draw: () -> UInt64) {
        var arguments = arguments[...]
        if arguments.first == "--storage" {
            guard arguments.count > 1, let kind = ZoneStorageKind(rawValue: arguments[1]) else {
                return nil
            }
            storage = kind
            arguments = arguments.dropFirst(2)
        } else {
            storage = nil
        }
        let words = Array(arguments)
        guard words.count >= 2, let count = UInt64(words[1]), count > 0 else { return nil }
        isRandom = words[0] == "--random"
        guard let first = isRandom ? draw() : UInt64(words[0]) else { return nil }
        let (end, isTooLarge) = first.addingReportingOverflow(count)
        guard !isTooLarge, count <= UInt64(Int.max) else { return nil }
        seeds = first..<end
        switch (words.count, isRandom) {
        case (2, _): mechanism = nil
        case (3, false):
            guard let named = Mechanism(rawValue: words[2]) else { return nil }
            mechanism = named
        default: return nil
        }
    }
}
