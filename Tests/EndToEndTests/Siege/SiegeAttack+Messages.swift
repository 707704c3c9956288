import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport

extension SiegeAttack {
    /// Attacks with messages that cost more than they say.
    static let messages = [
        manyProperties, manyLinks, nulls, voids, inventedReplicas, damagedBodies, bombs,
        wholeZones, hungHook,
    ]

    private static func properties(_ count: Int) -> [WireProperty] {
        (0..<count).map { WireProperty(name: WireName("p\($0)"), type: .integer64) }
    }

    static let manyProperties = SiegeAttack(name: "records with many properties") {
        target, generator in
        var author = HostileAuthor(&generator)
        for _ in 0..<2 {
            let set = author.save(records: 1, properties: properties(20_000), value: .integer(7))
            try target.push([set], &generator)
        }
    }

    static let manyLinks = SiegeAttack(name: "records with many links") { target, generator in
        var author = HostileAuthor(&generator)
        try target.push([author.save(links: 20_000)], &generator)
        let epoch = try target.hello(as: author.replica, &generator).epoch
        let request = RepairRequest(epoch: epoch, records: [author.record(1)])
        for _ in 0..<4 { try target.post("repair", request.encoded(), &generator) }
    }

    static let nulls = SiegeAttack(name: "columns of nulls") { target, generator in
        var author = HostileAuthor(&generator)
        let set = author.save(records: 30_000, properties: properties(20), value: .null)
        try target.push([set], &generator)
    }

    static let voids = SiegeAttack(name: "voids and lost entries") { target, generator in
        var author = HostileAuthor(&generator)
        let rejection = SaveRejection(.malformed, String(repeating: "because ", count: 400))
        let voids = (0..<100).map { _ in ChangeSet(voiding: author.save([]), for: rejection) }
        try target.push(voids, &generator)
        let other = HostileAuthor(&generator)
        let lost = (1...1000).map {
            ChangeSet(lost: Dot(replica: other.replica, sequence: UInt64($0)))
        }
        try target.push(lost, &generator)
    }

    static let inventedReplicas = SiegeAttack(name: "invented replicas") { target, generator in
        let zone = DaemonUnderTest.zone
        let pull = PullRequest(cursor: nil, byteLimit: 0).encoded()
        let cursor = try PullResponse(
            decoding: target.post("pull", pull, to: zone, token: target.reader, &generator)
        ).cursor
        for _ in 0..<20 {
            let other = HostileAuthor(&generator).replica
            _ = try target.hello(
                as: other, cursor: cursor, to: zone, token: target.reader, &generator)
        }
    }

    static let damagedBodies = SiegeAttack(name: "damaged bodies") { target, generator in
        var author = HostileAuthor(&generator)
        let set = author.save(records: 20, properties: properties(5), value: .string("text"))
        let epoch = try target.hello(as: author.replica, &generator).epoch
        let body = PushRequest(epoch: epoch, changeSets: [set.encoded()]).encoded()
        let pages = ["push", "pull", "hello", "repair", "snapshot", "checksums", "stage", "part"]
        for page in pages {
            var damaged = body
            for _ in 0..<3 {
                let place = Int.random(in: damaged.indices, using: &generator)
                damaged[place] = UInt8.random(in: 0...255, using: &generator)
            }
            try target.post(page, damaged, &generator)
        }
    }

    static let bombs = SiegeAttack(name: "bodies that grow by decompression") {
        target, generator in
        try target.post("push", ZeroFrame.bytes(mebibytes: 60), encoding: "zstd", &generator)
    }

    static let wholeZones = SiegeAttack(name: "pages that read the whole zone") {
        target, generator in
        try target.post("snapshot", SnapshotRequest().encoded(), &generator)
        for page in ["hash", ""] {
            let client = try target.connect(&generator)
            let path = "/v1/zones/\(SiegeTarget.zone)" + (page.isEmpty ? "" : "/\(page)")
            client.get(path, token: target.writer)
            _ = client.statusLine()
        }
    }

    static let hungHook = SiegeAttack(name: "saves for which the hook hangs") {
        target, generator in
        var author = HostileAuthor(&generator)
        let set = author.save(records: 1, properties: properties(1), value: .integer(1))
        try target.push(
            [set], to: SiegeTarget.hungZone, token: target.hungWriter, &generator)
    }
}
