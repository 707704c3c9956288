package import AnabranchReplication
package import AnabranchSQLite
import Foundation

/// What a store takes from the world around it, so that a simulation can give it another.
package struct StoreEnvironment: Sendable {
    /// Since 1970-01-01 UTC.
    package var wallMilliseconds: @Sendable () -> Int64
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Which file lies at a path, encoded; empty where it can't be told.
    package var fileIdentity: @Sendable (String) -> [UInt8] = { path in
        (try? FileIdentity(path: path))?.encoded ?? []
    }
    /// SQLite's name of the file system layer; `nil` for the usual one.
    package var vfs: String?
    package var faults: TransactionFaults?
    /// From which size on a save is cut into parts.
    package var partLimits = PartLimits()
    /// What a simulation switches off to see that it is needed.
    package var disabled: Set<Mechanism> = []

    package init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        randomBytes: @escaping @Sendable (Int) -> [UInt8], vfs: String? = nil,
        faults: TransactionFaults? = nil, disabled: Set<Mechanism> = []
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.randomBytes = randomBytes
        self.vfs = vfs
        self.faults = faults
        self.disabled = disabled
    }

    package static let system = StoreEnvironment(
        wallMilliseconds: { Int64(Date().timeIntervalSince1970 * 1000) },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        })

    /// The same world, with files that are in memory only.
    ///
    /// None of them is ever a copy of another, so there is no identity to compare.
    package var inMemory: StoreEnvironment {
        var environment = self
        environment.vfs = MemoryFiles.vfsName
        environment.fileIdentity = { _ in [] }
        return environment
    }

    func freshReplica() -> ReplicaID {
        ReplicaID(bytes: randomBytes(ReplicaID.byteCount)) ?? ReplicaID(high: 0, low: 0)
    }
}
