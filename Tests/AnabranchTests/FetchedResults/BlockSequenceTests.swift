import TestSupport
import Testing

@testable import Anabranch

@Suite struct `A sequence in blocks` {
    private struct Run: Weighted, Equatable {
        var number: Int
        var weight: Int
    }

    @Test(arguments: TestSupport.TestLength.seeds(40))
    func `agrees with an array, whatever is done to it`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var array = (0..<Int.random(in: 0..<3000, using: &random)).map {
            Run(number: $0, weight: Int.random(in: 0..<4, using: &random))
        }
        var blocks = BlockSequence(array)
        // Most seeds grow the sequence, and the rest shrink it until it is empty.
        let insertions = seed % 4 == 0 ? 3 : 6
        for step in 0..<4000 {
            let run = Run(number: step, weight: Int.random(in: 0..<4, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case ..<insertions:
                let index = Int.random(in: 0...array.count, using: &random)
                array.insert(run, at: index)
                blocks.insert(run, at: index)
            case ..<9:
                guard let index = array.indices.randomElement(using: &random) else { continue }
                #expect(array.remove(at: index) == blocks.remove(at: index))
            default:
                guard let index = array.indices.randomElement(using: &random) else { continue }
                array[index] = run
                blocks.update(at: index) { $0 = run }
            }
            #expect(blocks.count == array.count)
        }
        compare(blocks, array, &random)
        #expect(height(of: blocks.root, isRoot: true) != nil)
    }

    /// - Returns: `nil` unless all nodes are full enough, all leaves are equally deep, and all
    ///   counts and weights are right.
    private func height(of node: BlockNode<Run>, isRoot: Bool = false) -> Int? {
        let least = !isRoot ? BlockNode<Run>.minimum : node.children.isEmpty ? 0 : 2
        guard (least...BlockNode<Run>.capacity).contains(node.length) else { return nil }
        guard !node.children.isEmpty else {
            let isTrue =
                node.count == node.elements.count
                && node.weight == node.elements.reduce(0) { $0 + $1.weight }
            return isTrue ? 0 : nil
        }
        let heights = Set(node.children.map { height(of: $0) })
        guard node.elements.isEmpty, heights.count == 1, let below = heights.first ?? nil,
            node.count == node.children.reduce(0, { $0 + $1.count }),
            node.weight == node.children.reduce(0, { $0 + $1.weight })
        else { return nil }
        return below + 1
    }

    @Test func `is as high as its number of elements says, however it came about`() throws {
        let runs = (0..<100_000).map { Run(number: $0, weight: 1) }
        let whole = BlockSequence(runs)
        #expect(height(of: whole.root, isRoot: true) == 3)
        var grown = BlockSequence<Run>()
        for run in runs { grown.insert(run, at: grown.count) }
        #expect(try #require(height(of: grown.root, isRoot: true)) <= 4)
        while grown.count > 1 { grown.remove(at: grown.count / 2) }
        #expect(height(of: grown.root, isRoot: true) == 0)
    }

    private func compare(
        _ blocks: BlockSequence<Run>, _ array: [Run], _ random: inout SeededGenerator
    ) {
        #expect(Array(blocks) == array)
        #expect(blocks.weight == array.reduce(0) { $0 + $1.weight })
        for _ in 0..<20 {
            let index = Int.random(in: 0...array.count, using: &random)
            #expect(blocks.weight(before: index) == array[..<index].reduce(0) { $0 + $1.weight })
            var rest = blocks.makeIterator(from: index)
            #expect(rest.next() == (index < array.count ? array[index] : nil))
            let sought = Int.random(in: 0...blocks.weight, using: &random)
            let found = blocks.element(atWeight: sought)
            var flat: [Int] = []
            for (index, run) in array.enumerated() {
                flat += Array(repeating: index, count: run.weight)
            }
            #expect(found?.index == (sought < flat.count ? flat[sought] : nil))
        }
    }

    @Test func `finds a place in an order by bisection`() {
        let numbers = (0..<5000).map { Run(number: $0 * 2, weight: 1) }
        let blocks = BlockSequence(numbers)
        for sought in [-1, 0, 1, 2, 777, 4000, 9998, 9999, 20_000] {
            let place = blocks.partition { $0.number >= sought }
            #expect(place == min(max((sought + 1) / 2, 0), 5000))
        }
        var comparisons = 0
        _ = blocks.partition {
            comparisons += 1
            return $0.number >= 4321
        }
        #expect(comparisons < 16)
    }

    @Test func `a copy stays as it was`() {
        var blocks = BlockSequence((0..<2000).map { Run(number: $0, weight: 1) })
        let copy = blocks
        for _ in 0..<1500 { blocks.remove(at: 100) }
        blocks.insert(Run(number: -1, weight: 5), at: 0)
        #expect(copy.map(\.number) == Array(0..<2000) && copy.weight == 2000)
        #expect(blocks.count == 501 && blocks.weight == 505)
    }
}
