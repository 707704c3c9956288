import AnabranchReplication
import AnabranchSQLite

/// The columns of a row, which are counted from zero.
protocol StoredColumns {
    func withBytes<Result, Failure: Error>(
        at column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
    func int64(at column: Int) -> Int64
    func string(at column: Int) -> String
    func bytes(at column: Int) -> [UInt8]
    func isNull(at column: Int) -> Bool
}

extension Statement: StoredColumns {}

extension StoredColumns {
    func replica(at column: Int) throws -> ReplicaID {
        guard let replica = withBytes(at: column, { ReplicaID(bytes: $0) }) else {
            throw StorageError(.damaged, "Can't read a zone because a name is not 16 bytes.")
        }
        return replica
    }

    func digest(at column: Int) throws -> Digest {
        guard let digest = withBytes(at: column, { Digest(bytes: $0) }) else {
            throw StorageError(.damaged, "Can't read a zone because a digest is damaged.")
        }
        return digest
    }

    func unsigned(at column: Int) throws -> UInt64 {
        guard let number = UInt64(exactly: int64(at: column)) else {
            throw StorageError(.damaged, "Can't read a zone because a number is below zero.")
        }
        return number
    }
}
