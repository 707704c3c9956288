import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct OpenZonesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("zones") }

    private func make(
        _ names: [String], limit: Int, ceiling: Int = .max
    ) throws -> (zones: OpenZones, names: [ZoneName]) {
        let backEnd = try SQLiteBackEnd(directory: directory.path, environment: .system)
        let names = try names.map { try ZoneName($0) }
        for name in names { try backEnd.makeZone(name) }
        return (
            OpenZones(
                backEnd, limits: ZoneLimits(), limit: limit, ceiling: ceiling,
                wallMilliseconds: ServerEnvironment.system.wallMilliseconds), names
        )
    }

    @Test func `a zone is opened once and stays open`() throws {
        let (zones, names) = try make(["a"], limit: 4)
        let first = try zones.withZone(names[0]) { ObjectIdentifier($0) }
        let second = try zones.withZone(names[0]) { ObjectIdentifier($0) }
        #expect(first == second)
        #expect(zones.count == 1)
    }

    @Test func `threads that ask at the same time get the same zone`() throws {
        let (zones, names) = try make(["a"], limit: 4)
        let seen = Mutex<Set<ObjectIdentifier>>([])
        let name = names[0]
        startThreads(8) { _ in
            guard let zone = try? zones.retain(name) else { return }
            seen.withLock { _ = $0.insert(ObjectIdentifier(zone)) }
        }.wait()
        #expect(seen.withLock { $0.count } == 1)
    }

    @Test func `beyond the limit the zone that was used longest ago is closed, none in use`() throws
    {
        let (zones, names) = try make(["a", "b", "c"], limit: 2)
        let used = try zones.retain(names[0])
        for name in names.dropFirst() { try zones.withZone(name) { _ in } }
        #expect(zones.count == 2)
        #expect(try used.head().position == 0)
        #expect(try zones.withZone(names[1]) { $0.name } == names[1])
        zones.release(names[0])
    }

    @Test func `a zone that is not there is not made`() throws {
        let (zones, _) = try make([], limit: 2)
        let name = try ZoneName("nowhere")
        #expect {
            try zones.withZone(name) { _ in }
        } throws: {
            ($0 as? ProtocolError)?.code == .notFound
        }
        #expect(zones.count == 0)
        let backEnd = try SQLiteBackEnd(directory: directory.path, environment: .system)
        #expect(try backEnd.zones().isEmpty)
    }

    @Test func `no zone is opened after the close`() throws {
        let (zones, names) = try make(["a"], limit: 2)
        zones.close()
        #expect {
            try zones.withZone(names[0]) { _ in }
        } throws: {
            ($0 as? ProtocolError)?.code == .shuttingDown
        }
    }

    @Test func `an idle zone makes room for another one below the ceiling`() throws {
        let (zones, names) = try make(["a", "b", "c"], limit: 9, ceiling: 2)
        for _ in 0..<3 {
            for name in names {
                let head = try zones.withZone(name) { zone throws(ProtocolError) in
                    try zone.head()
                }
                #expect(head.position == 0)
                #expect(zones.count <= 2)
            }
        }
        zones.close()
    }

    @Test func `a zone for which no other one makes room is there, and busy`() throws {
        let (zones, names) = try make(["a", "b", "c"], limit: 9, ceiling: 2)
        for name in names.prefix(2) { _ = try zones.retain(name) }
        #expect {
            try zones.withZone(names[2]) { _ in }
        } throws: {
            let code = ($0 as? ProtocolError)?.code
            return code == .overloaded && code?.isTransient == true
        }
        zones.release(names[0])
        #expect(try zones.withZone(names[2]) { $0.name } == names[2])
        zones.close()
    }

    @Test func `an observer hears of a push to a zone that was closed meanwhile`() throws {
        let (zones, names) = try make(["a", "b"], limit: 1, ceiling: 1)
        let heard = Mutex<[UInt64]>([])
        let number = zones.addObserver(of: names[0]) { head in
            heard.withLock { $0.append(head.position) }
        }
        var author = TestAuthor(1)
        for position in 1...2 {
            try zones.withZone(names[1]) { _ in }
            try zones.withZone(names[0]) { zone throws(ProtocolError) in
                _ = try zone.push(
                    PushRequest(
                        epoch: zone.head().epoch,
                        changeSets: [author.insertPerson().0.encoded()]))
            }
            #expect(heard.withLock { $0.count } == position)
        }
        zones.removeObserver(number, of: names[0])
        zones.close()
    }

    @Test func `a file that can't be opened now is no missing zone`() throws {
        let (zones, names) = try make(["a"], limit: 1)
        let path = directory.file("zones/a.sqlite")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        #expect {
            try zones.withZone(names[0]) { _ in }
        } throws: {
            ($0 as? ProtocolError)?.code == .overloaded
        }
        zones.close()
    }
}
