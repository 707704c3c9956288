import AnabranchStore
import Testing

@Suite struct `What was seen of links` {
    private let members: [LocalID] = [1, 2, 3]

    private func versions(_ seen: SeenLinks) -> [Int64?] {
        members.map { seen[$0]?.position }
    }

    @Test func `is the state in which the members were read`() {
        #expect(versions(SeenLinks()) == [nil, nil, nil] && SeenLinks().isEmpty)
        #expect(versions(SeenLinks(RowVersion(4))) == [4, 4, 4])
    }

    @Test func `stays as it was for a removal, until that is taken back`() {
        var seen = SeenLinks(RowVersion(4))
        seen.read(SeenLinks(), keeping: [2])
        #expect(versions(seen) == [nil, 4, nil])
        seen.read(SeenLinks(RowVersion(9)), keeping: [2])
        #expect(versions(seen) == [9, 4, 9])
        seen.readmit(2)
        #expect(versions(seen) == [9, 9, 9])
    }

    @Test func `includes what the own saves have added, and no other save`() {
        var seen = SeenLinks(RowVersion(4))
        seen.save([3], in: RowVersion(7), isLoaded: true)
        #expect(versions(seen) == [4, 4, 7])
        // A removal that is taken back does not make it older.
        seen.readmit(3)
        #expect(versions(seen) == [4, 4, 7])
        var new = SeenLinks()
        new.save([1], in: RowVersion(5), isLoaded: true)
        #expect(versions(new) == [5, 5, 5])
    }

    @Test func `of two authors is the older state, by member`() {
        var seen = SeenLinks(RowVersion(6))
        seen.see(1, in: RowVersion(2))
        var other = SeenLinks(RowVersion(4))
        other.see(1, in: RowVersion(3))
        other.see(2, in: .unknown)
        seen.formOldest(other)
        #expect(versions(seen) == [2, 6, 4])
        var unread = SeenLinks()
        unread.formOldest(other)
        #expect(unread[3] == RowVersion(4))
    }

    @Test func `follows members that get other IDs`() {
        var seen = SeenLinks(RowVersion(4))
        seen.see(1, in: RowVersion(2))
        seen.rename([1: 3])
        #expect(versions(seen) == [4, 4, 2])
    }
}
