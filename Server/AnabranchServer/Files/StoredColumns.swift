import AnabranchReplication
import AnabranchSQLite

/// The columns of a row, which are counted from zero.
package protocol StoredColumns {
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

    /// A number that the zone has assigned, or a count: zero or greater, and so far from the limit
    /// of its type that the sum of a few cannot overflow.
    func number(at column: Int) throws -> Int64 {
        let number = int64(at: column)
        guard (0...1 << 60).contains(number) else {
            throw StorageError(.damaged, "Can't read a zone because it has the number \(number).")
        }
        return number
    }

    /// The ordinal of a replica, which has room in a record's key.
    func ordinal(at column: Int) throws -> Int64 {
        let ordinal = int64(at: column)
        guard (0...Int64(Limits.greatestReplicaOrdinal)).contains(ordinal) else {
            throw StorageError(
                .damaged, "Can't read a zone because a replica has the ordinal \(ordinal).")
        }
        return ordinal
    }

    /// An amount or a time, which is so far from the limits of its type that the sum and the
    /// difference of a few cannot overflow.
    func amount(at column: Int) throws -> Int64 {
        let amount = int64(at: column)
        guard amount.magnitude <= 1 << 60 else {
            throw StorageError(
                .damaged, "Can't read a zone because an amount or a time is \(amount).")
        }
        return amount
    }
}
