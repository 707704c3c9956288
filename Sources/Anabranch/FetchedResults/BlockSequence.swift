/// What counts for more than one in a ``BlockSequence``.
protocol Weighted {
    var weight: Int { get }
}

/// Elements in an order, for many that change one at a time: an array of blocks.
///
/// A block has at most 512 elements. Finding an element by its place adds up the counts of the
/// blocks before it, finding one by its order is bisection, and inserting and removing one moves
/// at most a block: n/512 additions and 512 moves, which for a million elements is a few
/// microseconds. A copy shares all blocks until one of the two changes one of them, so that
/// keeping the sequence as it was before some changes costs what the changes cost.
///
/// Elements also have weights, and are found by them: where elements are runs of other things,
/// the weight is the length of the run.
struct BlockSequence<Element: Weighted> {
    fileprivate struct Block {
        var elements: [Element]
        var weight: Int

        init(_ elements: some Sequence<Element>) {
            self.elements = Array(elements)
            weight = self.elements.reduce(0) { $0 + $1.weight }
        }
    }

    private static var capacity: Int { 512 }

    private var blocks: [Block] = []
    private(set) var count = 0
    private(set) var weight = 0

    init() {}

    init(_ elements: [Element]) {
        // Full to three quarters, so that the first insertions split nothing.
        let length = Self.capacity * 3 / 4
        blocks = stride(from: 0, to: elements.count, by: length).map {
            Block(elements[$0..<Swift.min($0 + length, elements.count)])
        }
        count = elements.count
        weight = blocks.reduce(0) { $0 + $1.weight }
    }

    var isEmpty: Bool { count == 0 }

    /// - Parameter index: Less than `count`.
    subscript(index: Int) -> Element {
        let place = place(of: index)
        return blocks[place.block].elements[place.offset]
    }

    /// - Parameter index: At most `count`.
    mutating func insert(_ element: Element, at index: Int) {
        guard !blocks.isEmpty else {
            self = BlockSequence([element])
            return
        }
        var place = place(of: index)
        if place.block == blocks.count {
            place = (blocks.count - 1, blocks[blocks.count - 1].elements.count)
        }
        blocks[place.block].elements.insert(element, at: place.offset)
        blocks[place.block].weight += element.weight
        count += 1
        weight += element.weight
        if blocks[place.block].elements.count > Self.capacity { split(place.block) }
    }

    /// - Parameter index: Less than `count`.
    @discardableResult
    mutating func remove(at index: Int) -> Element {
        let place = place(of: index)
        let element = blocks[place.block].elements.remove(at: place.offset)
        blocks[place.block].weight -= element.weight
        count -= 1
        weight -= element.weight
        joinIfSmall(place.block)
        return element
    }

    /// Changes an element, and its weight with it.
    ///
    /// - Parameter index: Less than `count`.
    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        let place = place(of: index)
        let before = blocks[place.block].elements[place.offset].weight
        body(&blocks[place.block].elements[place.offset])
        let change = blocks[place.block].elements[place.offset].weight - before
        blocks[place.block].weight += change
        weight += change
    }

    mutating func removeLast(_ number: Int) {
        for _ in 0..<Swift.min(number, count) { remove(at: count - 1) }
    }
}

// Finding.
extension BlockSequence {
    /// The place of the first element that belongs behind; `count` where none does.
    ///
    /// - Parameter belongsBehind: False for all elements up to some place and true from there on.
    func partition(_ belongsBehind: (Element) -> Bool) -> Int {
        let block = Self.first(in: blocks.count) { index in
            blocks[index].elements.last.map(belongsBehind) ?? false
        }
        let before = blocks[..<block].reduce(0) { $0 + $1.elements.count }
        guard block < blocks.count else { return before }
        let elements = blocks[block].elements
        return before + Self.first(in: elements.count) { belongsBehind(elements[$0]) }
    }

    /// The element in which a weight lies, counted from the first element on, and how far in it.
    ///
    /// - Returns: `nil` where the weight is not less than that of all.
    func element(atWeight sought: Int) -> (index: Int, offset: Int)? {
        guard sought >= 0, sought < weight else { return nil }
        var rest = sought
        var index = 0
        for block in blocks {
            guard rest >= block.weight else {
                for element in block.elements {
                    if rest < element.weight { return (index, rest) }
                    rest -= element.weight
                    index += 1
                }
                return nil
            }
            rest -= block.weight
            index += block.elements.count
        }
        return nil
    }

    /// The weight of all elements before a place.
    func weight(before index: Int) -> Int {
        var rest = index
        var sum = 0
        for block in blocks {
            guard rest >= block.elements.count else {
                return block.elements[..<rest].reduce(sum) { $0 + $1.weight }
            }
            rest -= block.elements.count
            sum += block.weight
        }
        return sum
    }

    /// The first of some numbers from 0 on that a condition holds for, which then holds for all
    /// behind it; the count where it holds for none.
    private static func first(in count: Int, where condition: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// - Returns: The block behind the last one for the place behind the last element.
    private func place(of index: Int) -> (block: Int, offset: Int) {
        var rest = index
        for block in blocks.indices {
            let length = blocks[block].elements.count
            if rest < length { return (block, rest) }
            rest -= length
        }
        return (blocks.count, rest)
    }

    private mutating func split(_ index: Int) {
        let elements = blocks[index].elements
        let middle = elements.count / 2
        blocks[index] = Block(elements[..<middle])
        blocks.insert(Block(elements[middle...]), at: index + 1)
    }

    private mutating func joinIfSmall(_ index: Int) {
        let length = blocks[index].elements.count
        if length == 0 {
            blocks.remove(at: index)
        } else if index + 1 < blocks.count,
            length + blocks[index + 1].elements.count < Self.capacity / 4
        {
            blocks[index].elements += blocks[index + 1].elements
            blocks[index].weight += blocks[index + 1].weight
            blocks.remove(at: index + 1)
        }
    }
}

extension BlockSequence: Sequence {
    func makeIterator() -> Iterator { Iterator(blocks: blocks, block: 0, offset: 0) }

    /// - Parameter index: At most `count`.
    func makeIterator(from index: Int) -> Iterator {
        let place = place(of: index)
        return Iterator(blocks: blocks, block: place.block, offset: place.offset)
    }

    struct Iterator: IteratorProtocol {
        fileprivate let blocks: [BlockSequence.Block]
        fileprivate var block: Int
        fileprivate var offset: Int

        mutating func next() -> Element? {
            while block < blocks.count {
                if offset < blocks[block].elements.count {
                    defer { offset += 1 }
                    return blocks[block].elements[offset]
                }
                block += 1
                offset = 0
            }
            return nil
        }
    }
}
