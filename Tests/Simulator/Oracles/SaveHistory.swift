package import AnabranchReplication
import Synchronization

/// Every save of a run, under numbers of their own, and what its author held when it made it.
///
/// The simulator's own knowledge, taken from the files and never from what sets say of themselves.
package final class SaveHistory: Sendable {
    private struct State {
        var numbers: [Digest: Int] = [:]
        var seen: [SaveNumbers] = []
        var gone = SaveNumbers()
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes note of a save, once: a copy of its file has it too.
    package func note(_ origin: Digest, seeing held: SaveNumbers) {
        state.withLock { state in
            guard state.numbers[origin] == nil else { return }
            state.numbers[origin] = state.seen.count
            state.seen.append(held)
        }
    }

    var origins: Set<Digest> { state.withLock { Set($0.numbers.keys) } }

    /// Saves that no log has had at some time: others may go on without them.
    var gone: SaveNumbers { state.withLock(\.gone) }

    func noteGone(_ origins: Set<Digest>) {
        state.withLock { state in
            for origin in origins { state.numbers[origin].map { state.gone.insert($0) } }
        }
    }

    func has(_ origin: Digest) -> Bool { state.withLock { $0.numbers[origin] != nil } }

    /// - Throws: Where nobody has made such a save.
    func save(_ origin: Digest) throws -> (number: Int, seen: SaveNumbers) {
        let found = state.withLock { state in
            state.numbers[origin].map { ($0, state.seen[$0]) }
        }
        guard let found else { throw SimulationFailure("nobody has made the save \(origin)") }
        return found
    }
}

/// A set of numbers of saves.
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

    /// - Parameter more: What need not be in the other set.
    func isSubset(of other: SaveNumbers, or more: SaveNumbers = SaveNumbers()) -> Bool {
        func word(_ index: Int, of set: SaveNumbers) -> UInt64 {
            index < set.words.count ? set.words[index] : 0
        }
        return words.indices.allSatisfy { index in
            words[index] & ~(word(index, of: other) | word(index, of: more)) == 0
        }
    }
}

/// What one log holds, read on from where it was read last.
package struct HeldSaves {
    private(set) var numbers = SaveNumbers()
    /// What a snapshot has brought, whether the log has it too or not.
    private var loaded = SaveNumbers()

    package init() {}

    /// Takes in what a snapshot stands for.
    mutating func load(_ origins: some Sequence<Digest>, _ history: SaveHistory) throws {
        for origin in origins { loaded.insert(try history.save(origin).number) }
        numbers.formUnion(loaded)
    }

    func has(_ origin: Digest, _ history: SaveHistory) throws -> Bool {
        numbers.contains(try history.save(origin).number)
    }

    /// - Throws: Where the log has a save before one that its author had seen (causal prefix).
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
