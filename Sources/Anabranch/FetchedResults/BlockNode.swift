import AnabranchReplication

/// An element with a weight in a `BlockSequence`.
protocol Weighted {
    var weight: Int { get }
}

/// A node of the tree of a `BlockSequence`: a leaf with elements, or an inner node with children
/// of the same height.
///
/// A node keeps the count and weight of its subtree, so that a search visits no node outside its
/// path. A node that is copied for a change shares all children except one.
struct BlockNode<Element: Weighted> {
    private(set) var count = 0
    private(set) var weight = 0
    /// The elements of a leaf; empty in an inner node.
    private(set) var elements: [Element] = []
    private(set) var children: [BlockNode] = []

    init() {}

    init(elements: some Collection<Element>) {
        self.elements = Array(elements)
        count = elements.count
        weight = elements.reduce(0) { $0 + $1.weight }
    }

    init(children: some Collection<BlockNode>) {
        self.children = Array(children)
        count = children.reduce(0) { $0 + $1.count }
        weight = children.reduce(0) { $0 + $1.weight }
    }

    /// The greatest number of elements or children of a node.
    static var capacity: Int { 24 }
    /// The least number of elements or children of a node other than the root.
    static var minimum: Int { capacity / 4 }

    var length: Int { elements.count + children.count }
}

// Changes.
extension BlockNode {
    /// Inserts an element at an index.
    ///
    /// - Returns: A new right neighbour if this node was full and was split; otherwise `nil`.
    mutating func insert(_ element: Element, at index: Int) -> BlockNode? {
        count += 1
        weight += element.weight
        if children.isEmpty {
            elements.insert(element, at: index)
        } else {
            let (child, offset) = place(of: index)
            if let next = children[child].insert(element, at: offset) {
                children.insert(next, at: child + 1)
            }
        }
        return splitIfFull()
    }

    mutating func remove(at index: Int) -> Element {
        let element: Element
        if children.isEmpty {
            element = elements.remove(at: index)
        } else {
            let (child, offset) = place(of: index)
            element = children[child].remove(at: offset)
            joinIfSmall(child)
        }
        count -= 1
        weight -= element.weight
        return element
    }

    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        if children.isEmpty {
            weight -= elements[index].weight
            body(&elements[index])
            weight += elements[index].weight
        } else {
            let (child, offset) = place(of: index)
            weight -= children[child].weight
            children[child].update(at: offset, body)
            weight += children[child].weight
        }
    }

    private mutating func splitIfFull() -> BlockNode? {
        guard length > Self.capacity else { return nil }
        let kept = length / 2
        let next =
            children.isEmpty
            ? BlockNode(elements: elements[kept...]) : BlockNode(children: children[kept...])
        elements.removeLast(next.elements.count)
        children.removeLast(next.children.count)
        count -= next.count
        weight -= next.weight
        return next
    }

    /// Joins a child that has become too small with a neighbour, or redistributes the elements of
    /// both.
    private mutating func joinIfSmall(_ child: Int) {
        guard children[child].length < Self.minimum, children.count > 1 else { return }
        let left = max(child - 1, 0)
        let right = children.remove(at: left + 1)
        children[left].append(right)
        if let next = children[left].splitIfFull() { children.insert(next, at: left + 1) }
    }

    private mutating func append(_ next: BlockNode) {
        elements += next.elements
        children += next.children
        count += next.count
        weight += next.weight
    }
}

// Finding.
extension BlockNode {
    subscript(index: Int) -> Element {
        guard !children.isEmpty else { return elements[index] }
        let (child, offset) = place(of: index)
        return children[child][offset]
    }

    /// Returns the elements of the leaf that contains an index, and the index within the leaf.
    func leaf(at index: Int) -> (elements: [Element], offset: Int) {
        guard !children.isEmpty else { return (elements, index) }
        let (child, offset) = place(of: index)
        return children[child].leaf(at: offset)
    }

    func partition(_ belongsBehind: (Element) -> Bool) -> Int {
        guard !children.isEmpty else {
            return elements.partitioningIndex(where: belongsBehind)
        }
        let child = children.dropFirst().partitioningIndex { belongsBehind($0.first) } - 1
        var before = 0
        for index in 0..<child { before += children[index].count }
        return before + children[child].partition(belongsBehind)
    }

    /// - Parameter sought: Less than the weight.
    func element(atWeight sought: Int) -> (index: Int, offset: Int) {
        var rest = sought
        var index = 0
        for child in children.indices {
            if rest < children[child].weight {
                let place = children[child].element(atWeight: rest)
                return (index + place.index, place.offset)
            }
            rest -= children[child].weight
            index += children[child].count
        }
        while rest >= elements[index].weight {
            rest -= elements[index].weight
            index += 1
        }
        return (index, rest)
    }

    func weight(before index: Int) -> Int {
        var sum = 0
        guard !children.isEmpty else {
            for place in 0..<index { sum += elements[place].weight }
            return sum
        }
        let (child, offset) = place(of: index)
        for place in 0..<child { sum += children[place].weight }
        return sum + children[child].weight(before: offset)
    }

    /// The first element of a node that is not empty. An array's first element is next to its
    /// count in memory.
    private var first: Element { children.isEmpty ? elements[0] : children[0].first }

    /// Returns the child that contains an index, and the index within the child. The index after
    /// the last element belongs to the last child.
    private func place(of index: Int) -> (child: Int, offset: Int) {
        var offset = index
        for child in 0..<children.count - 1 {
            if offset < children[child].count { return (child, offset) }
            offset -= children[child].count
        }
        return (children.count - 1, offset)
    }
}
