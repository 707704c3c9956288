/// A sequence of elements for many single changes: a tree in which a node has 6 to 24 elements or
/// children.
///
/// Finding an element by its index or by its order, and changing one, visits one path of the tree:
/// four nodes for 100,000 elements. A copy shares all nodes until one of the copies is changed,
/// and the change copies those four. Keeping the sequence as it was before some changes therefore
/// costs only what the changes cost.
///
/// Elements have weights and can be found by them. If elements are runs of other things, the
/// weight is the length of the run.
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

    /// Divides elements into parts of nearly equal length. Each fills about three quarters of a
    /// node, so that the first insertions split nothing.
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

    /// Changes an element and its weight.
    ///
    /// - Parameter index: Less than `count`.
    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        root.update(at: index, body)
    }
}

// Finding.
extension BlockSequence {
    /// Returns the index of the first element for which the closure returns true; `count` if there
    /// is none.
    ///
    /// - Parameter belongsBehind: False for all elements up to some index and true from there on.
    func partition(_ belongsBehind: (Element) -> Bool) -> Int { root.partition(belongsBehind) }

    /// Returns the index of the element that contains a weight, counted from the first element on,
    /// and the offset within the element.
    ///
    /// - Returns: `nil` if the sought weight is not less than the total weight.
    func element(atWeight sought: Int) -> (index: Int, offset: Int)? {
        guard sought >= 0, sought < weight else { return nil }
        return root.element(atWeight: sought)
    }

    /// Returns the total weight of the elements before an index.
    func weight(before index: Int) -> Int { root.weight(before: index) }
}

extension BlockSequence: Sequence {
    func makeIterator() -> Iterator { makeIterator(from: 0) }

    /// - Parameter index: At most `count`.
    func makeIterator(from index: Int) -> Iterator { Iterator(root: root, index: index) }

    /// An iterator that searches the tree once per leaf.
    struct Iterator: IteratorProtocol {
        private let root: BlockNode<Element>
        /// The index of the next leaf's first element.
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
