import AnabranchReplication
package import AnabranchSQLite
import Foundation

/// The services that a store gets from its environment, so that a simulation can replace them.
package struct StoreEnvironment: Sendable {
    /// Returns the milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: @Sendable () -> Int64
    /// Returns as many unpredictable bytes as it is asked for; throws if the system has none.
    package var randomBytes: @Sendable (Int) throws -> [UInt8]
    /// Returns the encoded identity of the file at a path; empty if it is unknown.
    package var fileIdentity: @Sendable (String) -> [UInt8] = { path in
        (try? FileIdentity(path: path))?.encoded ?? []
    }
    /// Returns the free bytes of the disk that a path is on; `nil` if the system does not say.
    package var freeBytes: @Sendable (String) -> Int64? = DiskRoom.freeBytes(at:)
    /// Indicates whether this process may write to a file, or create files in a folder.
    package var isWritable: @Sendable (String) -> Bool = {
        FileManager.default.isWritableFile(atPath: $0)
    }
    /// SQLite's name of the file system layer; `nil` for the default one.
    package var vfs: String?
    package var faults: TransactionFaults?
    /// True if the write-ahead log is copied into the file on a thread of its own. A simulation,
    /// which repeats all steps in their order, leaves it to SQLite.
    package var hasCheckpointer = false
    /// The size from which a save is split into parts.
    package var partLimits = PartLimits()
    /// The size of the smallest payload for which a store without records drops its indexes, and
    /// creates them after the records. For less, creating them costs more than it saves.
    package var leastLoadBytes = 256 << 10

    package init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        randomBytes: @escaping @Sendable (Int) throws -> [UInt8], vfs: String? = nil,
        faults: TransactionFaults? = nil
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.randomBytes = randomBytes
        self.vfs = vfs
        self.faults = faults
    }

    package static let system: StoreEnvironment = {
        var environment = StoreEnvironment(
            wallMilliseconds: { Int64(Date().timeIntervalSince1970 * 1000) },
            randomBytes: { try SystemRandomness.bytes($0) })
        environment.hasCheckpointer = true
        return environment
    }()

    /// The same environment, with files that are only in memory.
    ///
    /// No such file is ever a copy of another, so there is no file identity to compare.
    package var inMemory: StoreEnvironment {
        var environment = self
        environment.vfs = MemoryFiles.vfsName
        environment.fileIdentity = { _ in [] }
        environment.hasCheckpointer = false
        return environment
    }

    /// True if the files are those of the system.
    package var hasSystemFiles: Bool { vfs == nil }

    /// True if the files are those of ``inMemory``.
    var isInMemory: Bool { vfs == MemoryFiles.vfsName }

    /// An ID that no other file has.
    ///
    /// - Throws: ``StoreError`` `noRandomness` where the source gives no bytes, too few, or only
    ///   zeros: two files with one ID would lose saves.
    func freshReplica() throws -> ReplicaID {
        let none = ReplicaID(high: 0, low: 0)
        do {
            let replica = ReplicaID(bytes: try randomBytes(ReplicaID.byteCount))
            if let replica, replica != none { return replica }
            guard Mechanism.randomnessCheck.isOn else { return none }
            throw StoreError(noRandomness: nil)
        } catch let error where !(error is StoreError) {
            throw StoreError(noRandomness: error)
        }
    }
}

extension StoreError {
    fileprivate init(noRandomness error: (any Error)?) {
        self.init(
            .noRandomness,
            "Can't give the store an identity because the source of randomness fails"
                + ((error as? SystemError).map { ": \($0.text)" } ?? "") + ". Try again.",
            underlying: error)
    }
}
