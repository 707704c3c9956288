/// What counts for more than one in a ``BlockSequence``.
protocol Weighted {
    var weight: Int { get }
}

/// A node of a ``BlockSequence``'s tree: elements, or nodes of one height that have them.
///
/// Nodes know the counts and weights of what is below them, so that going down looks into no node
/// beside the way; a node copied for a change shares all of its children but one.
struct BlockNode<Element: Weighted> {
    private(set) var count = 0
    private(set) var weight = 0
    /// Of a leaf.
    private(set) var elements: [Element] = []
    private(set) var children: [BlockNode] = []

    /// An empty leaf.
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

    /// Of elements or children.
    static var capacity: Int { 24 }
    /// Of every node but the root.
    static var minimum: Int { capacity / 4 }

    var length: Int { elements.count + children.count }
}

// Changes.
extension BlockNode {
    /// - Returns: A node that belongs behind this one, where this one had no room.
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

    /// Joins a child that has become small with a neighbour, or shares out what both have.
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

    /// The elements of the leaf that has a place, and the place among them.
    func leaf(at index: Int) -> (elements: [Element], offset: Int) {
        guard !children.isEmpty else { return (elements, index) }
        let (child, offset) = place(of: index)
        return children[child].leaf(at: offset)
    }

    func partition(_ belongsBehind: (Element) -> Bool) -> Int {
        guard !children.isEmpty else {
            return Self.first(in: elements.count) { belongsBehind(elements[$0]) }
        }
        let child = Self.first(in: children.count - 1) { belongsBehind(children[$0 + 1].first) }
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

    /// Of a node that has elements. What is first lies beside its array's count in memory.
    private var first: Element { children.isEmpty ? elements[0] : children[0].first }

    /// The child that has a place, the last one also for that behind all.
    private func place(of index: Int) -> (child: Int, offset: Int) {
        var offset = index
        for child in 0..<children.count - 1 {
            if offset < children[child].count { return (child, offset) }
            offset -= children[child].count
        }
        return (children.count - 1, offset)
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
}
