import AnabranchReplication
import TestSupport
import Testing

@Suite struct ListPositionTests {
    /// Replicas that each save after every insertion.
    private struct Writers {
        let replicas: [ReplicaID]
        private var sequences: [UInt64]

        init(_ count: Int, seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            replicas = (0..<count).map { _ in generator.replica() }
            sequences = replicas.map { _ in 0 }
        }

        mutating func maker(_ writer: Int) -> ListPositionGenerator {
            sequences[writer] += 1
            return ListPositionGenerator(
                Dot(replica: replicas[writer], sequence: sequences[writer]))
        }

        mutating func first(behind: Bool = false) -> ListPosition {
            var maker = maker(0)
            let first = maker.position(between: nil, and: nil)
            return behind ? maker.position(between: first, and: nil) : first
        }

        /// Inserts one element at an index of a list.
        mutating func insert(_ writer: Int, at index: Int, of list: inout [ListPosition]) {
            var maker = maker(writer)
            list.insert(ListPosition.position(at: index, of: list, &maker), at: index)
        }
    }

    @Test(arguments: TestLength.seeds(60))
    func `a position lies between its neighbours, whichever replica created them`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var writers = Writers(4, seed: seed)
        var list: [ListPosition] = []
        var place = 0
        for _ in 0..<150 {
            // The place is random or near the last one.
            if generator.oneIn(3) { place = Int.random(in: 0...list.count, using: &generator) }
            place = min(max(place + Int.random(in: -1...1, using: &generator), 0), list.count)
            writers.insert(Int.random(in: 0..<4, using: &generator), at: place, of: &list)
            if generator.oneIn(5) {
                list.remove(at: Int.random(in: 0..<list.count, using: &generator))
            }
            #expect(zip(list, list.dropFirst()).allSatisfy { $0 < $1 })
        }
        for position in list { #expect(ListPosition(bytes: position.bytes) == position) }
    }

    private enum Growth: String, CaseIterable {
        case appends, prepends, behindOne, inFrontOfOne, typing
    }

    @Test(.long, arguments: Growth.allCases, 1...3)
    private func `ten thousand elements at one place have short positions`(
        growth: Growth, writerCount: Int
    ) {
        var writers = Writers(writerCount, seed: 5)
        var list: [ListPosition] = []
        for place in 0..<6 { writers.insert(0, at: place, of: &list) }
        var neighbour = list[2]
        for count in 0..<10_000 {
            var maker = writers.maker(count % writerCount)
            switch growth {
            case .appends: list.append(maker.position(between: list.last, and: nil))
            case .prepends: list.insert(maker.position(between: nil, and: list[0]), at: 0)
            case .behindOne:
                list.insert(maker.position(between: list[2], and: list[3]), at: 3)
            case .inFrontOfOne:
                neighbour = maker.position(between: neighbour, and: list[3])
                list.append(neighbour)
            case .typing:
                neighbour = maker.position(between: neighbour, and: list[4])
                list.append(neighbour)
            }
        }
        #expect(list.map(\.bytes.count).max() ?? 0 <= 40)
    }

    /// This is the worst case: each insertion is between the last two elements, on alternate sides.
    @Test func `a position grows by a step where two elements are parted again and again`() {
        var writers = Writers(1, seed: 4)
        var between = (writers.first(), writers.first(behind: true))
        for count in 0..<100 {
            var maker = writers.maker(0)
            let made = maker.position(between: between.0, and: between.1)
            #expect(made.bytes.count <= 14 * (count + 2))
            if count % 2 == 0 { between.0 = made } else { between.1 = made }
        }
    }

    @Test func `a save of ten thousand elements has short positions`() {
        var writers = Writers(1, seed: 6)
        var maker = writers.maker(0)
        var list: [ListPosition] = []
        for _ in 0..<10_000 { list.append(maker.position(between: list.last, and: nil)) }
        #expect(zip(list, list.dropFirst()).allSatisfy { $0 < $1 })
        #expect(list.map(\.bytes.count).max() ?? 0 <= 14)
    }

    @Test(arguments: TestLength.seeds(20))
    func `ten thousand elements at random places have positions of a few steps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var writers = Writers(3, seed: seed)
        var list: [ListPosition] = []
        for _ in 0..<10_000 {
            let place = Int.random(in: 0...list.count, using: &generator)
            writers.insert(Int.random(in: 0..<3, using: &generator), at: place, of: &list)
        }
        let lengths = list.map(\.bytes.count)
        #expect(lengths.reduce(0, +) / lengths.count < 150)
        #expect(lengths.max() ?? 0 < 500)
    }

    /// Replicas concurrently insert runs at one place. Each run stays together, in its author's
    /// order, however it was built.
    @Test(arguments: TestLength.seeds(400))
    func `concurrent runs do not interleave`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var writers = Writers(3, seed: seed)
        var base: [ListPosition] = []
        var place = 0
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            if generator.oneIn(2) { place = Int.random(in: 0...base.count, using: &generator) }
            writers.insert(Int.random(in: 0..<3, using: &generator), at: place, of: &base)
            place = min(place + Int.random(in: 0...1, using: &generator), base.count)
        }
        for _ in 0..<4 {
            let gap = Int.random(in: 0...base.count, using: &generator)
            var runs: [[ListPosition]] = []
            for writer in 0..<3 {
                var run: [ListPosition] = []
                let style = Int.random(in: 0..<3, using: &generator)
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    let index = [0, run.count, Int.random(in: 0...run.count, using: &generator)]
                    var list = base
                    list.insert(contentsOf: run, at: gap)
                    writers.insert(writer, at: gap + index[style], of: &list)
                    run = Array(list[gap..<gap + run.count + 1])
                }
                runs.append(run)
            }
            let merged = (base + runs.joined()).sorted()
            for run in runs {
                let first = merged.firstIndex(of: run[0]) ?? 0
                #expect(Array(merged[first..<min(first + run.count, merged.count)]) == run)
            }
            base = merged
        }
    }

    @Test(arguments: TestLength.seeds(200))
    func `bytes that are no position are refused, and never trap`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let position = generator.listPosition()
        #expect(ListPosition(bytes: []) == nil)
        for length in 0..<position.bytes.count where length % 2 == 1 {
            let cut = ListPosition(bytes: Array(position.bytes.prefix(length)))
            #expect(cut == nil || position.bytes[length - 1] == 0x80)
        }
        #expect(ListPosition(bytes: position.bytes + [0]) == nil)
        for _ in 0..<50 {
            var bytes = generator.bytes(count: Int.random(in: 0...60, using: &generator))
            if generator.oneIn(2) {
                bytes = position.bytes
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8(truncatingIfNeeded: generator.next())
            }
            guard let read = ListPosition(bytes: bytes), read != position else { continue }
            // Every valid position leaves space on both sides.
            var maker = ListPositionGenerator(generator.dot())
            #expect(maker.position(between: nil, and: read) < read)
            #expect(read < maker.position(between: read, and: nil))
            let (least, greatest) = (min(read, position), max(read, position))
            let between = maker.position(between: least, and: greatest)
            #expect(least < between && between < greatest)
        }
        let long = [UInt8](repeating: 0x80, count: Limits.longestPosition + 1)
        #expect(ListPosition(bytes: long) == nil)
    }
}

extension ListPosition {
    static func position(
        at index: Int, of list: [ListPosition], _ maker: inout ListPositionGenerator
    ) -> ListPosition {
        maker.position(
            between: index > 0 ? list[index - 1] : nil, and: index < list.count ? list[index] : nil)
    }
}

@Suite struct `Positions` {
    @Test func `that no save has made differ by record, can be read, and have room between`() throws
    {
        let replicas = [ReplicaID(high: 1 << 60, low: 1), ReplicaID(high: 2 << 60, low: 1)]
        let records = replicas.flatMap { replica in
            [1, 2, Limits.greatestRecordNumber].map { RecordID(replica: replica, number: $0) }
        }
        var positions = records.map(ListPosition.unplaced)
        #expect(Set(positions).count == records.count)
        for position in positions { #expect(ListPosition(bytes: position.bytes) == position) }
        positions.sort()
        var generator = ListPositionGenerator(Dot(replica: replicas[0], sequence: 7))
        for (left, right) in zip(positions, positions.dropFirst()) {
            let made = generator.position(between: left, and: right)
            #expect(left < made && made < right && ListPosition(bytes: made.bytes) == made)
        }
    }
}
