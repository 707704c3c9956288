import AnabranchReplication

/// Saves that insert people into each other's lists, move them and remove them.
extension RandomAuthor {
    private typealias Key = ReferenceMerge.LinkKey

    private static let person: WireName = "Person"
    private static let queue = WireProperty(name: "queue", type: .links, rule: .list)
    /// A relationship that is its own inverse, so that both ends have a list.
    private static let circle = WireProperty(name: "circle", type: .mutualLinks, rule: .list)

    func listEdits(
        among people: [RecordID], _ generator: inout SeededGenerator
    ) -> [ChangeBlock] {
        var maker = ListPositionGenerator(nextDot)
        return [Self.queue, Self.circle].flatMap { property in
            listEdits(of: property, among: people, &maker, &generator)
        }
    }

    private func listEdits(
        of property: WireProperty, among people: [RecordID], _ maker: inout ListPositionGenerator,
        _ generator: inout SeededGenerator
    ) -> [ChangeBlock] {
        var blocks: [ChangeBlock] = []
        func append(_ links: [LinkBlock.Link], _ block: (LinkBlock) -> ChangeBlock) {
            guard !links.isEmpty else { return }
            blocks.append(
                block(LinkBlock(entity: Self.person, property: property, links: links)))
        }
        if !people.isEmpty, generator.oneIn(2) {
            let links = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                let ends = [generator.element(of: people), generator.element(of: people)]
                let sorted = property == Self.circle ? ends.sorted() : ends
                let place = place(sorted[0], sorted[1], in: property, &maker, &generator)
                return LinkBlock.Link(left: sorted[0], right: sorted[1], place: place)
            }
            append(links) { .link($0) }
        }
        let held = state.links.keys.sorted().filter { $0.property == property }
        let moved = held.filter { _ in generator.oneIn(3) }
        append(
            moved.map { key in
                LinkBlock.Link(
                    left: key.left, right: key.right, observedTags: tags(of: key),
                    place: place(key.left, key.right, in: property, &maker, &generator))
            }
        ) { .move($0) }
        let removed = held.filter { !moved.contains($0) && generator.oneIn(6) }
        append(
            removed.map { .init(left: $0.left, right: $0.right, observedTags: tags(of: $0)) }
        ) { .unlink($0) }
        return blocks
    }

    private func place(
        _ left: RecordID, _ right: RecordID, in property: WireProperty,
        _ maker: inout ListPositionGenerator, _ generator: inout SeededGenerator
    ) -> LinkPosition {
        let inLeft = position(in: left, of: property, &maker, &generator)
        guard property == Self.circle else { return LinkPosition(inLeft: inLeft) }
        return LinkPosition(
            inLeft: inLeft, inRight: position(in: right, of: property, &maker, &generator))
    }

    /// Returns a position between two neighbours of a person's list, as the author sees it.
    private func position(
        in owner: RecordID, of property: WireProperty, _ maker: inout ListPositionGenerator,
        _ generator: inout SeededGenerator
    ) -> ListPosition {
        let positions = state.links.keys.filter { $0.property == property }.compactMap { key in
            key.left == owner
                ? state.place(of: key)?.inLeft
                : key.right == owner ? state.place(of: key)?.inRight : nil
        }
        return Self.position(among: positions, &maker, &generator)
    }

    private static func position(
        among positions: [ListPosition], _ maker: inout ListPositionGenerator,
        _ generator: inout SeededGenerator
    ) -> ListPosition {
        let sorted = Set(positions).sorted()
        let place = Int.random(in: 0...sorted.count, using: &generator)
        return maker.position(
            between: place > 0 ? sorted[place - 1] : nil,
            and: place < sorted.count ? sorted[place] : nil)
    }

    /// Returns a reference with a position in the list of a person, for a one-to-many.
    func entry(among people: [RecordID], _ generator: inout SeededGenerator) -> PropertyValue {
        guard !people.isEmpty, !generator.oneIn(6) else { return .null }
        var maker = ListPositionGenerator(nextDot)
        let positions = state.records.values.flatMap { record in
            record.cells.filter { $0.key.name == "chief" }.flatMap(\.value.values)
        }.compactMap { ListEntry($0)?.position }
        let position = Self.position(among: positions, &maker, &generator)
        return ListEntry(target: generator.element(of: people), position: position).value
    }
}
