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

    /// The greatest number of values of a record.
    private static let mostProperties = 10_000
    private static let manyPropertiesSave = HostileAuthor.payload(
        records: 1, properties: properties(mostProperties), value: .integer(7))
    /// It gives the same record as many values again.
    private static let tooManyPropertiesSave = HostileAuthor.payload(
        records: 1, properties: properties(2 * mostProperties), value: .integer(7),
        updating: true)
    private static let linkCount = 20_000
    private static let manyLinksSave = HostileAuthor.payload(links: UInt64(linkCount))
    private static let nullsSave = HostileAuthor.payload(
        records: 30_000, properties: properties(20), value: .null)
    private static let smallSave = HostileAuthor.payload(
        records: 20, properties: properties(5), value: .string("text"))
    private static let oneRecordSave = HostileAuthor.payload(
        records: 1, properties: properties(1), value: .integer(1))

    static let manyProperties = SiegeAttack(name: "records with many properties") {
        target, generator in
        var author = HostileAuthor(&generator)
        try target.push([author.save(manyPropertiesSave)], &generator)
        try target.push(
            [author.save(tooManyPropertiesSave)], expecting: ["too-large"], &generator)
    }

    static let manyLinks = SiegeAttack(name: "records with many links") { target, generator in
        var author = HostileAuthor(&generator)
        try target.push([author.save(manyLinksSave)], &generator)
        let epoch = try target.hello(as: author.replica, &generator).epoch
        let request = RepairRequest(epoch: epoch, records: [author.record(1)])
        for _ in 0..<4 {
            let answer = try target.post("repair", request.encoded(), &generator)
            // An image without the links has less than a byte for each.
            guard answer.count > linkCount else {
                throw SiegeTarget.Unexpected("a record without links", to: "repair")
            }
        }
    }

    static let nulls = SiegeAttack(name: "columns of nulls") { target, generator in
        var author = HostileAuthor(&generator)
        // The hook may be too slow for all the nulls that it is shown.
        try target.push(
            [author.save(nullsSave)], expecting: [nil, SiegeTarget.silentHook], &generator)
    }

    static let voids = SiegeAttack(name: "voids and lost entries") { target, generator in
        var author = HostileAuthor(&generator)
        let rejection = SaveRejection(.malformed, String(repeating: "because ", count: 400))
        let voids = (0..<100).map { _ in
            ChangeSet(voiding: author.save(HostileAuthor.noChanges), for: rejection)
        }
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
        let set = author.save(smallSave)
        let epoch = try target.hello(as: author.replica, &generator).epoch
        let body = PushRequest(epoch: epoch, changeSets: [set.encoded()]).encoded()
        // One of the bytes is the version of the message.
        let statuses: Set = [400, 426]
        let pages = ["push", "pull", "hello", "repair", "snapshot", "checksums", "stage", "part"]
        for page in pages {
            var damaged = body
            for _ in 0..<3 {
                let place = Int.random(in: damaged.indices, using: &generator)
                damaged[place] = UInt8.random(in: 0...255, using: &generator)
            }
            try target.post(page, damaged, expecting: statuses, &generator)
        }
    }

    static let bombs = SiegeAttack(name: "bodies that grow by decompression") {
        target, generator in
        // The zeros are no message, and often there is no memory for them.
        try target.post(
            "push", ZeroFrame.bytes(mebibytes: 60), encoding: "zstd", expecting: [400, 503],
            &generator)
    }

    static let wholeZones = SiegeAttack(name: "pages that read the whole zone") {
        target, generator in
        try target.post("snapshot", SnapshotRequest().encoded(), &generator)
        for page in ["hash", ""] {
            let client = try target.connect(&generator)
            let path = "/v1/zones/\(SiegeTarget.zone)" + (page.isEmpty ? "" : "/\(page)")
            client.get(path, token: target.writer)
            let status = client.status()
            guard status == 200 else { throw SiegeTarget.Unexpected(status, to: path) }
        }
    }

    static let hungHook = SiegeAttack(name: "saves for which the hook hangs") {
        target, generator in
        var author = HostileAuthor(&generator)
        let set = author.save(oneRecordSave)
        try target.push(
            [set], to: SiegeTarget.hungZone, token: target.hungWriter,
            expecting: [SiegeTarget.silentHook], &generator)
    }
}
