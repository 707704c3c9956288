import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// How a cascade refers to the next object.
enum ChainKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case toMany, list, toOne

    var testDescription: String { rawValue }

    func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Node") {
                AttributeDeclaration("number", .integer64)
                switch self {
                case .toMany, .list:
                    RelationshipDeclaration("parent", to: "Node", inverse: "children")
                    RelationshipDeclaration(
                        "children", toMany: "Node", ordered: self == .list, inverse: "parent",
                        deleteRule: .cascade)
                case .toOne:
                    RelationshipDeclaration(
                        "next", to: "Node", inverse: "previous", deleteRule: .cascade)
                    RelationshipDeclaration("previous", toMany: "Node", inverse: "next")
                }
            }
        }
    }
}

/// A store with a chain of nodes, which are numbered.
private struct Chain {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init(_ kind: ChainKind, length: Int) throws {
        directory = try TemporaryDirectory("chain")
        container = PersistentContainer(
            model: try kind.make(), url: URL(filePath: directory.file("chain.anabranch")))
        try container.load()
        try container.newBackgroundContext().performAndWait { context in
            var last: ManagedObject?
            for number in 0..<length {
                let node = try context.make("Node", ["number": .integer(Int64(number))])
                if let last {
                    let isForward = kind == .toOne
                    try (isForward ? last : node).setObject(
                        isForward ? node : last, forKey: isForward ? "next" : "parent")
                }
                last = node
            }
            try context.save()
        }
    }

    var readStatements: Int { container.coordinator.store.readStatistics.selects }
}

extension ManagedObjectContext {
    fileprivate func node(_ number: Int) throws -> ManagedObject? {
        var request = FetchRequest<ManagedObject>(entityName: "Node")
        request.predicate = try FetchPredicate("number == %d", number)
        return try fetch(request).first
    }

    fileprivate var nodeCount: Int {
        get throws { try count(for: FetchRequest<ManagedObject>(entityName: "Node")) }
    }
}

@Suite struct `Deep cascades` {
    @Test(arguments: ChainKind.allCases)
    func `many waves are read together`(kind: ChainKind) throws {
        let chain = try Chain(kind, length: 2_000)
        try chain.container.newBackgroundContext().performAndWait { context in
            let first = try #require(try context.node(3))
            let before = chain.readStatements
            context.delete(first)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 1_997)
            #expect(chain.readStatements - before < 80)
            try context.save()
            #expect(try context.nodeCount == 3)
        }
    }

    @Test(arguments: ChainKind.allCases)
    func `a cascade follows unsaved changes at any depth`(kind: ChainKind) throws {
        let chain = try Chain(kind, length: 300)
        try chain.container.newBackgroundContext().performAndWait { context in
            let nodes = try [0, 100, 101, 200, 201].map { try #require(try context.node($0)) }
            let new = try context.make("Node", ["number": 1_000])
            // The chain is cut behind 200, and a new node and the rest from 101 on are put in.
            func join(_ node: ManagedObject?, behind former: ManagedObject) throws {
                guard kind != .toOne else { return try former.setObject(node, forKey: "next") }
                try node?.setObject(former, forKey: "parent")
            }
            if kind == .toOne {
                try nodes[3].setObject(nil, forKey: "next")
            } else {
                try nodes[4].setObject(nil, forKey: "parent")
            }
            try join(new, behind: nodes[1])
            try join(nodes[2], behind: new)
            context.delete(nodes[0])
            try context.save()
            #expect(new.managedObjectContext == nil)
            #expect(try context.nodeCount == 99)
            #expect(try context.node(201) === nodes[4] && context.node(299) != nil)
        }
    }

    @Test func `a cascade in a circle ends`() throws {
        let chain = try Chain(.toMany, length: 100)
        try chain.container.newBackgroundContext().performAndWait { context in
            let ends = try [0, 99].map { try #require(try context.node($0)) }
            try ends[0].setObject(ends[1], forKey: "parent")
            try context.save()
            context.reset()
            context.delete(try #require(try context.node(50)))
            try context.save()
            #expect(try context.nodeCount == 0)
        }
    }
}
