import AnabranchProtocol
import AnabranchReplication

extension FuzzTarget {
    /// A change set without its digest, which would reject every changed byte.
    static let changeSet = FuzzTarget(name: "change-set") { bytes in
        guard let set = try? ChangeSet(decoding: bytes, checkingDigest: false) else { return }
        precondition(set.encoded() == bytes, "a change set is not encoded as it was read")
        _ = try? set.decodedPayload()
    }

    static let payload = FuzzTarget(name: "payload") { bytes in
        let author = ReplicaID(high: 1, low: 2)
        guard let payload = try? ChangePayload(decoding: bytes, author: author) else { return }
        do {
            let again = try ChangePayload(
                decoding: payload.encoded(author: author), author: author)
            // Blocks without rows have no effect and are not written.
            precondition(
                again.blocks == payload.blocks.filter { !$0.isEmpty },
                "a payload changes when it is encoded")
        } catch {
            preconditionFailure("a payload can't be read again: \(error)")
        }
    }

    /// A message without its seal, which any change would break; the first byte selects the
    /// message.
    static let message = FuzzTarget(name: "message") { bytes in
        guard let kind = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch kind % 6 {
        case 0: check(HelloRequest.self, body)
        case 1: check(HelloResponse.self, body)
        case 2: check(PullRequest.self, body)
        case 3: check(PullResponse.self, body)
        case 4: check(PushRequest.self, body)
        default: check(PushResponse.self, body)
        }
    }

    private static func check<M: Message>(_ type: M.Type, _ bytes: [UInt8]) {
        _ = try? M(decoding: bytes)
        var reader = ByteReader(bytes)
        guard let message = try? M(from: &reader), reader.isAtEnd else { return }
        precondition(
            (try? M(decoding: message.encoded())) == message,
            "a \(M.title) changes when it is encoded")
    }
}

extension ChangeBlock {
    fileprivate var isEmpty: Bool {
        switch self {
        case .insert(let rows), .update(let rows), .add(let rows): rows.records.isEmpty
        default: false
        }
    }
}
