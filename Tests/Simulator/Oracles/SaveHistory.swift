package import AnabranchReplication
import Synchronization

/// Every save of a run, with a number and with the saves that its author held at that time.
///
/// The simulator takes this from the files. It does not trust what change sets say of themselves.
package final class SaveHistory: Sendable {
    private struct State {
        var numbers: [Digest: Int] = [:]
        var seen: [SaveNumbers] = []
        /// What the author of edits had seen that were laid over newer values, by the number of
        /// their save.
        var seenByEdits: [Int: SaveNumbers] = [:]
        var gone = SaveNumbers()
    }

    private let state = Mutex(State())

    package init() {}

    /// Records a save the first time that it is seen. A copy of its file has it too.
    ///
    /// - Parameter edited: The saves that the author of its edits had seen, if they were made
    ///   before others of `held` came; `nil` if they were made after that.
    package func add(
        _ origin: Digest, seeing held: SaveNumbers, editing edited: SaveNumbers? = nil
    ) {
        state.withLock { state in
            guard state.numbers[origin] == nil else { return }
            let number = state.seen.count
            state.numbers[origin] = number
            state.seen.append(held)
            state.seenByEdits[number] = edited
        }
    }

    var origins: Set<Digest> { state.withLock { Set($0.numbers.keys) } }

    /// Saves that were in no log at some time. Later saves may lack them.
    var gone: SaveNumbers { state.withLock(\.gone) }

    func isGone(_ origin: Digest) -> Bool {
        state.withLock { state in
            state.numbers[origin].map { state.gone.contains($0) } ?? false
        }
    }

    func recordGone(_ origins: Set<Digest>) {
        state.withLock { state in
            for origin in origins { state.numbers[origin].map { state.gone.insert($0) } }
        }
    }

    func has(_ origin: Digest) -> Bool { state.withLock { $0.numbers[origin] != nil } }

    /// Returns whether the author of a save's edits had seen another save when they were made.
    func hadSeen(_ other: Digest, editing origin: Digest) throws -> Bool {
        let (number, author) = (try save(other).number, try save(origin))
        let edited = state.withLock { $0.seenByEdits[author.number] }
        return (edited ?? author.seen).contains(number)
    }

    /// Returns the number of a save and the saves that its author had seen.
    ///
    /// - Throws: ``SimulationFailure`` if no replica has made such a save.
    func save(_ origin: Digest) throws -> (number: Int, seen: SaveNumbers) {
        let found = state.withLock { state in
            state.numbers[origin].map { ($0, state.seen[$0]) }
        }
        guard let found else { throw SimulationFailure("nobody has made the save \(origin)") }
        return found
    }
}

/// A set of save numbers.
package struct SaveNumbers: Hashable, Sendable {
    private var words: [UInt64] = []

    package init() {}

    package mutating func insert(_ number: Int) {
        while words.count <= number / 64 { words.append(0) }
        words[number / 64] |= 1 << UInt64(number % 64)
    }

    func contains(_ number: Int) -> Bool {
        number / 64 < words.count && words[number / 64] & 1 << UInt64(number % 64) != 0
    }

    mutating func formUnion(_ other: SaveNumbers) {
        while words.count < other.words.count { words.append(0) }
        for index in other.words.indices { words[index] |= other.words[index] }
    }

    /// - Parameter more: Numbers that the other set may lack.
    func isSubset(of other: SaveNumbers, or more: SaveNumbers = SaveNumbers()) -> Bool {
        func word(_ index: Int, of set: SaveNumbers) -> UInt64 {
            index < set.words.count ? set.words[index] : 0
        }
        return words.indices.allSatisfy { index in
            words[index] & ~(word(index, of: other) | word(index, of: more)) == 0
        }
    }
}

/// The saves that one log holds, read on from the last position that was read.
package struct HeldSaves {
    private(set) var numbers = SaveNumbers()
    /// Saves that a snapshot has brought, whether or not the log has them too.
    private var loaded = SaveNumbers()

    package init() {}

    /// Adds the saves that a snapshot contains.
    mutating func load(_ origins: some Sequence<Digest>, _ history: SaveHistory) throws {
        for origin in origins { loaded.insert(try history.save(origin).number) }
        numbers.formUnion(loaded)
    }

    func has(_ origin: Digest, _ history: SaveHistory) throws -> Bool {
        numbers.contains(try history.save(origin).number)
    }

    /// Adds the next save of the log.
    ///
    /// - Throws: ``SimulationFailure`` if the log has a save before one that its author had seen
    ///   (causal prefix).
    package mutating func append(_ origin: Digest, _ history: SaveHistory, in place: String) throws
    {
        let save = try history.save(origin)
        guard !loaded.contains(save.number) else { return }
        guard save.seen.isSubset(of: numbers, or: history.gone) else {
            throw SimulationFailure("\(place) has a save, but not all that its author had seen")
        }
        guard !numbers.contains(save.number) else {
            throw SimulationFailure("\(place) has a save twice")
        }
        numbers.insert(save.number)
    }
}
