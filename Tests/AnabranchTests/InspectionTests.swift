import Anabranch
import Testing

@Suite struct Inspection {
    @Test func `the log is read set by set`() throws {
        let graph = try Graph()
        let coordinator = graph.coordinator
        try graph.inContext { context throws in
            for number in 0..<4 {
                try context.person("p\(number)")
                try context.save()
            }
        }
        let sets = try coordinator.changeSets()
        #expect(sets.map(\.changeSet.dot.sequence) == [1, 2, 3, 4])
        #expect(sets.allSatisfy { $0.zonePosition == nil })
        let later = try coordinator.changeSets(after: sets[1].position, limit: 1)
        #expect(later.map(\.changeSet) == [sets[2].changeSet])
        let named = try coordinator.changeSet(sets[3].changeSet.dot)
        #expect(named?.position == sets[3].position)
        let replica = try coordinator.replicaID
        #expect(try coordinator.changeSet(Dot(replica: replica, sequence: 5)) == nil)
        #expect(try coordinator.versionVector() == VersionVector([sets[3].changeSet.dot]))
    }

    @Test func `the hash follows the state`() throws {
        let graph = try Graph()
        let coordinator = graph.coordinator
        let empty = try coordinator.canonicalHash()
        try graph.inContext { context throws in
            let person = try context.person("Anna")
            try context.save()
            #expect(try coordinator.canonicalHash() != empty)
            context.delete(person)
            try context.save()
        }
        #expect(try coordinator.canonicalHash() == empty)
        #expect(try coordinator.conflicts().isEmpty)
    }
}
