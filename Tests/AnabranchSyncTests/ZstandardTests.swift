import TestSupport
import Testing

@testable import AnabranchSync

struct ZstandardTests {
    @Test func `compressed bytes decompress to the original bytes`() throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 100) }
        let compressed = try #require(Zstandard.compress(bytes))
        #expect(compressed.count < bytes.count / 10)
        #expect(try Zstandard.decompress(compressed, limit: bytes.count) == bytes)
    }

    @Test func `small and random bytes are left as they are`() {
        var generator = SeededGenerator(seed: 1)
        #expect(Zstandard.compress([UInt8](repeating: 0, count: 100)) == nil)
        let noise = (0..<5000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(Zstandard.compress(noise) == nil)
    }

    @Test func `a bomb is refused at the limit`() throws {
        let bomb = try #require(Zstandard.compress([UInt8](repeating: 0, count: 50 << 20)))
        #expect(bomb.count < 10_000)
        do {
            _ = try Zstandard.decompress(bomb, limit: 1 << 20)
            Issue.record("the bomb went off")
        } catch {
            #expect(error.code == .responseTooLarge)
        }
    }

    @Test func `cut and damaged bytes are errors, never traps`() throws {
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }
        let whole = try #require(Zstandard.compress(bytes))
        for count in stride(from: 0, to: whole.count, by: 97) {
            #expect(throws: SyncError.self) {
                try Zstandard.decompress(Array(whole.prefix(count)), limit: 1 << 20)
            }
        }
        for index in stride(from: 0, to: whole.count, by: 13) {
            var damaged = whole
            damaged[index] ^= 0x55
            let result = try? Zstandard.decompress(damaged, limit: 1 << 20)
            #expect((result?.count ?? 0) <= 1 << 20)
        }
    }
}
