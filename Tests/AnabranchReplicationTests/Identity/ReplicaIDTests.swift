import AnabranchReplication
import TestSupport
import Testing

@Suite struct ReplicaIDTests {
    @Test(arguments: TestLength.seeds(200))
    func `bytes and text decode to the replica`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replica = generator.replica()
        #expect(ReplicaID(bytes: replica.bytes) == replica)
        #expect(ReplicaID(replica.description) == replica)
        #expect(ReplicaID(replica.description.uppercased()) == replica)
    }

    @Test func `the bytes are in the order in which they are read`() {
        let replica = ReplicaID(bytes: Array(1...16))
        #expect(replica?.description == "0102030405060708090a0b0c0d0e0f10")
    }

    @Test(arguments: [
        "", "0", "zz", "0102030405060708090a0b0c0d0e0f", "é02030405060708090a0b0c0d0e0f1",
    ])
    func `a text that names no replica is refused`(text: String) {
        #expect(ReplicaID(text) == nil)
    }

    @Test func `a record's order is that of replica and number`() {
        let replicas = [ReplicaID(high: 1, low: 0), ReplicaID(high: 2, low: 0)]
        #expect(
            RecordID(replica: replicas[0], number: 9) < RecordID(replica: replicas[1], number: 1))
        #expect(
            RecordID(replica: replicas[0], number: 1) < RecordID(replica: replicas[0], number: 2))
    }

    @Test func `names are the same only where their bytes are`() {
        let (composed, decomposed) = (WireName("\u{E9}"), WireName("e\u{301}"))
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }
}
