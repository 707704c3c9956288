import AnabranchReplication
import AnabranchSQLite

extension Statement {
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
