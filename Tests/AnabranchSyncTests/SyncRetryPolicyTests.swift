import Testing

@testable import AnabranchSync

struct SyncRetryPolicyTests {
    @Test func `delays are a share of what doubles, and never beyond the longest`() {
        let policy = SyncRetryPolicy()
        #expect(policy.delay(afterFailures: 1, draw: 0) == .zero)
        for failures in 1...200 {
            let delay = policy.delay(afterFailures: failures, draw: .max)
            #expect(delay <= policy.longestDelay)
            if failures < 5 { #expect(delay > policy.firstDelay * (1 << (failures - 1)) * 0.99) }
        }
    }

    @Test func `half the draw is half the delay`() {
        let policy = SyncRetryPolicy()
        let whole = policy.delay(afterFailures: 3, draw: .max) / .milliseconds(1)
        let half = policy.delay(afterFailures: 3, draw: .max / 2) / .milliseconds(1)
        #expect(abs(half * 2 - whole) < 1)
    }

    @Test func `a server's delay is believed up to a bound`() {
        let policy = SyncRetryPolicy()
        #expect(policy.delay(afterFailures: 1, draw: 0, serverDelay: .seconds(9)) == .seconds(9))
        #expect(
            policy.delay(afterFailures: 1, draw: 0, serverDelay: .seconds(1 << 40))
                == policy.longestServerDelay)
    }
}
