import AnabranchStore
import TestSupport
import Testing

@testable import Anabranch

@Suite struct `The identity map` {
    @Test(arguments: TestLength.seeds(48))
    func `agrees with a dictionary`(seed: UInt64) throws {
        try Graph().inContext { context throws in
            var run = IdentityMapRun(home: context.home(at: 0), seed: seed)
            for _ in 0..<4000 { run.step() }
            #expect(run.differences == [])
            #expect(run.map.inconsistencies == [])
            #expect(run.map.count == run.expected.count)
            #expect(Set(run.map.values) == Set(run.expected.values))
        }
    }

    @Test func `holds each of many objects that follow one another once`() throws {
        try Graph().inContext { context throws in
            let home = context.home(at: 0)
            var map = IdentityMap()
            let objects = (1...1000).map { ManagedObject(ObjectInitialization(home: home, id: $0)) }
            for object in objects.reversed() { map.insert(object, for: object.localID) }
            #expect(objects.allSatisfy { map[$0.localID] === $0 })
            #expect(map[1001] == nil && map[0] == nil && map[1 << 40] == nil)
            #expect(map.removeUnheld { _ in false }.isEmpty && map.count == 1000)
        }
    }

    @Test func `gives up what was registered last at once, and everything in turn`() throws {
        try Graph().inContext { context throws in
            let home = context.home(at: 0)
            var map = IdentityMap()
            var objects = (1...100_000).map {
                ManagedObject(ObjectInitialization(home: home, id: $0))
            }
            for object in objects { map.insert(object, for: object.localID) }
            #expect(map.removeSomeUnheld { _ in false }.isEmpty)
            for id in 1...3 as ClosedRange<LocalID> {
                let key = id * 1_000_000
                map.insert(ManagedObject(ObjectInitialization(home: home, id: key)), for: key)
                #expect(map.removeSomeUnheld { _ in false }.map(\.localID) == [key])
            }
            objects.removeAll { $0.localID % 100 == 0 }
            var turns = 0
            while map.count > objects.count, turns < 5000 {
                _ = map.removeSomeUnheld { _ in false }
                turns += 1
            }
            #expect(turns > 1 && turns <= 100_000 / IdentityMap.objectsOfTurn + 100)
            objects = []
            for _ in 0..<2 { _ = map.removeSomeUnheld { _ in false } }
            #expect(map.count == 0 && map.inconsistencies == [])
        }
    }
}

/// Random steps of an identity map, and of a dictionary with the same content.
private struct IdentityMapRun: ~Copyable {
    var map = IdentityMap()
    var expected: [LocalID: ManagedObject] = [:]
    var differences: [String] = []
    private let home: EntityHome
    private var random: SeededGenerator

    init(home: EntityHome, seed: UInt64) {
        self.home = home
        random = SeededGenerator(seed: seed)
    }

    mutating func step() {
        let id = randomID()
        switch Int.random(in: 0..<100, using: &random) {
        case 0: release { $0.removeUnheld(except: $1) }
        // With so few objects, one pass finds all of them.
        case 1: release { $0.removeSomeUnheld(except: $1) }
        case 2..<40:
            let removed = map.remove(id)
            if removed !== expected.removeValue(forKey: id) { differences.append("remove \(id)") }
        case 40..<90:
            let object = ManagedObject(ObjectInitialization(home: home, id: id))
            let earlier = map.insert(object, for: id)
            if earlier !== expected.updateValue(object, forKey: id) {
                differences.append("insert \(id)")
            }
        default: break
        }
        if map[id] !== expected[id] { differences.append("find \(id)") }
    }

    /// Returns dense numbers of this file's replica, and sparse numbers of other replicas.
    private mutating func randomID() -> LocalID {
        random.oneIn(4)
            ? LocalID(
                ordinal: Int64.random(in: 1...3, using: &random),
                number: UInt64.random(in: 1...40, using: &random) &* 50)
            : LocalID.random(in: 1...700, using: &random)
    }

    /// Releases unreferenced objects. A third of them must stay.
    private mutating func release(
        _ body: (inout IdentityMap, (ManagedObject) -> Bool) -> [ManagedObject]
    ) {
        let dropped = expected.keys.filter { $0 % 5 == 0 }
        let kept = Set(dropped.filter { $0 % 3 == 0 })
        for id in dropped { expected[id] = nil }
        let gone = body(&map) { kept.contains($0.localID) }
        if Set(gone.map(\.localID)) != Set(dropped).subtracting(kept) {
            differences.append("release \(dropped.count)")
        }
        for id in kept { expected[id] = map[id] }
    }
}
