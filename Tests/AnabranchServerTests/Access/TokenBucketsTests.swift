import Testing

@testable import AnabranchServer

@Suite struct TokenBucketsTests {
    @Test func `a full bucket allows a minute's requests at once, then one each interval`() {
        var buckets = TokenBuckets<Int>(perMinute: 6)
        for _ in 0..<6 { #expect(buckets.take(1, at: .seconds(100)) == nil) }
        #expect(buckets.take(1, at: .seconds(100)) == .seconds(10))
        #expect(buckets.take(1, at: .seconds(104)) == .seconds(6))
        #expect(buckets.take(1, at: .seconds(110)) == nil)
        #expect(buckets.take(1, at: .seconds(110)) == .seconds(10))
        // A refused request takes nothing.
        for _ in 0..<50 { #expect(buckets.take(1, at: .seconds(110)) == .seconds(10)) }
        for _ in 0..<6 { #expect(buckets.take(1, at: .seconds(170)) == nil) }
        #expect(buckets.take(1, at: .seconds(170)) != nil)
    }

    @Test func `each key has a bucket of its own`() {
        var buckets = TokenBuckets<Int>(perMinute: 1)
        #expect(buckets.take(1, at: .zero) == nil)
        #expect(buckets.take(2, at: .zero) == nil)
        #expect(buckets.take(1, at: .zero) == .seconds(60))
    }

    @Test func `many keys take bounded memory, and keys in use keep their buckets`() {
        var buckets = TokenBuckets<Int>(perMinute: 2, limit: 100)
        for _ in 0..<2 { #expect(buckets.take(0, at: .zero) == nil) }
        for key in 1...10_000 {
            #expect(buckets.take(key, at: .zero) == nil)
            #expect(buckets.count <= 100)
            // A refusal does not refresh a bucket, an admitted request does.
            if key % 20 == 0 { #expect(buckets.take(-1, at: .seconds(key * 2)) == nil) }
        }
        #expect(buckets.take(-1, at: .seconds(20_000)) == nil)
        #expect(buckets.take(-1, at: .seconds(20_000)) == .seconds(30))
        // The bucket of the first key was dropped.
        #expect(buckets.take(0, at: .zero) == nil)
    }

    @Test func `another rate begins with full buckets, and no rate admits everything`() {
        var buckets = TokenBuckets<Int>(perMinute: 1)
        #expect(buckets.take(1, at: .zero) == nil)
        buckets.replace(perMinute: 1)
        #expect(buckets.take(1, at: .zero) != nil)
        buckets.replace(perMinute: nil)
        for _ in 0..<10 { #expect(buckets.take(1, at: .zero) == nil) }
        buckets.replace(perMinute: 1)
        #expect(buckets.take(1, at: .zero) == nil)
        #expect(buckets.take(1, at: .zero) == .seconds(60))
    }
}
