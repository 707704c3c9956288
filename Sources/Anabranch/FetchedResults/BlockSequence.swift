/// Elements in an order, for many that change one at a time: a tree whose nodes have at most 24
/// elements or children, and at least 6.
///
/// Finding an element by its place, or by its order, and changing one goes down the tree: four
/// nodes among 100,000. A copy shares all nodes until one of the two is changed, which copies
/// those four, so that keeping the sequence as it was before some changes costs what the changes
/// cost.
///
/// Elements also have weights, and are found by them: where elements are runs of other things,
/// the weight is the length of the run.
struct BlockSequence<Element: Weighted> {
    private(set) var root = BlockNode<Element>()

    init() {}

    init(_ elements: [Element]) {
        var nodes = Self.parts(of: elements).map { BlockNode(elements: $0) }
        while nodes.count > 1 {
            nodes = Self.parts(of: nodes).map { BlockNode(children: $0) }
        }
        root = nodes.first ?? BlockNode()
    }

    /// Parts of nearly one length, each to about three quarters of what a node has room for, so
    /// that the first insertions split nothing.
    private static func parts<Part>(of all: [Part]) -> [ArraySlice<Part>] {
        let length = BlockNode<Element>.capacity * 3 / 4
        let number = (all.count + length - 1) / length
        return (0..<number).map {
            all[$0 * all.count / number..<($0 + 1) * all.count / number]
        }
    }

    var count: Int { root.count }
    var weight: Int { root.weight }
    var isEmpty: Bool { count == 0 }

    /// - Parameter index: Less than `count`.
    subscript(index: Int) -> Element { root[index] }

    /// - Parameter index: At most `count`.
    mutating func insert(_ element: Element, at index: Int) {
        if let next = root.insert(element, at: index) { root = BlockNode(children: [root, next]) }
    }

    /// - Parameter index: Less than `count`.
    @discardableResult
    mutating func remove(at index: Int) -> Element {
        let element = root.remove(at: index)
        if root.children.count == 1 { root = root.children[0] }
        return element
    }

    /// Changes an element, and its weight with it.
    ///
    /// - Parameter index: Less than `count`.
    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        root.update(at: index, body)
    }
}

// Finding.
extension BlockSequence {
    /// The place of the first element that belongs behind; `count` where none does.
    ///
    /// - Parameter belongsBehind: False for all elements up to some place and true from there on.
    func partition(_ belongsBehind: (Element) -> Bool) -> Int { root.partition(belongsBehind) }

    /// The element in which a weight lies, counted from the first element on, and how far in it.
    ///
    /// - Returns: `nil` where the weight is not less than that of all.
    func element(atWeight sought: Int) -> (index: Int, offset: Int)? {
        guard sought >= 0, sought < weight else { return nil }
        return root.element(atWeight: sought)
    }

    /// The weight of all elements before a place.
    func weight(before index: Int) -> Int { root.weight(before: index) }
}

extension BlockSequence: Sequence {
    func makeIterator() -> Iterator { makeIterator(from: 0) }

    /// - Parameter index: At most `count`.
    func makeIterator(from index: Int) -> Iterator { Iterator(root: root, index: index) }

    /// Goes down the tree once for each leaf.
    struct Iterator: IteratorProtocol {
        private let root: BlockNode<Element>
        /// Of the next leaf's first element.
        private var index: Int
        private var leaf: [Element] = []
        private var offset = 0

        fileprivate init(root: BlockNode<Element>, index: Int) {
            self.root = root
            self.index = index
        }

        mutating func next() -> Element? {
            if offset == leaf.count {
                guard index < root.count else { return nil }
                (leaf, offset) = root.leaf(at: index)
                index += leaf.count - offset
            }
            defer { offset += 1 }
            return leaf[offset]
        }
    }
}
