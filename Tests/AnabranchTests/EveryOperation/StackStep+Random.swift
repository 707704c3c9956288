import TestSupport

extension ReferenceStack {
    /// Returns a random step that this stack allows.
    func randomStep(_ next: inout Int, _ random: inout SeededGenerator) -> StackStep {
        while true {
            if !isChildFresh, random.oneIn(isChildMixed ? 4 : 12) { return .refreshAll(.child) }
            let place = [Place.main, .main, .child, .other].randomElement(using: &random) ?? .main
            if let step = randomStep(place, next, &random), allows(step) {
                if case .insert = step { next += 1 }
                return step
            }
        }
    }

    private func randomStep(
        _ place: Place, _ next: Int, _ random: inout SeededGenerator
    ) -> StackStep? {
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1, 2: return .insert(place, next, isTag: random.oneIn(4))
        case 3, 4, 5: return randomValue(place, &random)
        case 6, 7, 8, 9: return randomTarget(place, &random)
        case 10, 11, 12: return randomLink(place, &random)
        case 13: return anything(place, &random).map { .delete(place, $0) }
        case 14: return .endEvent
        case 15, 16: return .undo
        case 17: return .redo
        case 18, 19, 20: return .save(place)
        case 21: return random.oneIn(4) ? .rollback(place) : nil
        case 22:
            guard random.oneIn(2) else { return nil }
            let key = random.oneIn(3) ? self[place].deleted.min() : anything(place, &random)
            return key.map { .refresh(place, $0, merging: random.oneIn(2)) }
        default: return .refreshAll(place)
        }
    }

    private func anything(
        _ place: Place, isTag: Bool? = nil, _ random: inout SeededGenerator
    ) -> Int? {
        let things = self[place].view.things.filter { isTag == nil || $0.value.isTag == isTag }
        return things.keys.sorted().randomElement(using: &random)
    }

    private func randomValue(_ place: Place, _ random: inout SeededGenerator) -> StackStep? {
        guard let key = anything(place, &random) else { return nil }
        let value = random.oneIn(6) ? nil : Int.random(in: 1...4, using: &random)
        return .set(place, SnapshotCell(key: key, name: random.oneIn(2) ? "a" : "b"), value)
    }

    private func randomTarget(_ place: Place, _ random: inout SeededGenerator) -> StackStep? {
        guard let key = anything(place, isTag: false, &random),
            let target = anything(place, isTag: false, &random)
        else { return nil }
        let cell = SnapshotCell(key: key, name: random.oneIn(2) ? "owner" : "boss")
        if random.oneIn(2) {
            let present = self[place].view.things[key]?.targets[cell.name]
            let isIn = present == nil || random.oneIn(2)
            return .take(place, owner: isIn ? target : present ?? target, cell, isIn: isIn)
        }
        return .point(place, cell, random.oneIn(4) ? nil : target)
    }

    private func randomLink(_ place: Place, _ random: inout SeededGenerator) -> StackStep? {
        if random.oneIn(3) {
            let links = self[place].view.links.sorted {
                ($0.name, $0.left, $0.right) < ($1.name, $1.left, $1.right)
            }
            return links.randomElement(using: &random).map {
                .link(place, $0, fromRight: random.oneIn(2), isIn: false)
            }
        }
        let isTagged = random.oneIn(2)
        guard let key = anything(place, isTag: false, &random),
            let other = anything(place, isTag: isTagged, &random), key != other
        else { return nil }
        let link = SnapshotLink(isTagged ? "tags" : "friends", key, other)
        return .link(place, link, fromRight: random.oneIn(2), isIn: true)
    }
}
