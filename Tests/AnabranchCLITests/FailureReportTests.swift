import Anabranch
import AnabranchSync
import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

@Suite struct FailureReportTests {
    @Test func `a save or record that is too large is an error in the data`() {
        for code in [StoreError.Code.saveTooLarge, .recordTooLarge] {
            #expect(FailureReport(StoreError(code, "Too large.")).status == .data)
        }
    }

    @Test func `a write that may not be durable is an input or output error`() {
        #expect(FailureReport(StoreError(.notDurable, "Written.")).status == .inputOutput)
        #expect(FailureReport(KeyRingError(.notDurable, "Written.")).status == .inputOutput)
        #expect(FailureReport(StoreError(.alreadyExists, "There.")).status == .cannotCreate)
    }

    @Test func `a full disk has one status, in a sync as in any other command`() {
        let full = StoreError(.diskFull, "The disk is full.")
        #expect(FailureReport(full).status == .inputOutput)
        let error = SyncError(.storeFailed, full.message, underlying: full)
        #expect(FailureReport(error).status == .inputOutput)
        #expect(FailureReport(SyncError(.storeFailed, "It failed.")).status == .failure)
    }

    /// A token was given, and something on the way to the server has removed or refused it.
    @Test(arguments: [["reason": "removed"], ["status": "401"]])
    func `a fault on the way is no reason to type a token`(details: [String: String]) {
        let report = FailureReport(SyncError(.unauthorized, "No.", details: details))
        #expect(report.status == .permission && report.message == "No.")
        let missing = FailureReport(SyncError(.unauthorized, "No."))
        #expect(missing.message.contains("--token-file"))
    }

    @Test func `every refused property is reported, not only the first`() throws {
        let folder = try TemporaryDirectory()
        let model = try ManagedObjectModel {
            EntityDeclaration("Account") {
                AttributeDeclaration("balance", .decimal)
                AttributeDeclaration("limit", .decimal)
            }
        }
        let container = PersistentContainer(
            model: model, url: URL(filePath: folder.file("a.store")))
        try container.load()
        try container.newBackgroundContext().performAndWait { context in
            let account = try context.insert("Account")
            account["balance"] = "much"
            account["limit"] = "more"
            let error = #expect(throws: PropertyError.self) { try context.save() }
            let report = FailureReport(try #require(error))
            #expect(report.message.contains("balance"))
            #expect(report.message.contains("limit"))
            #expect(report.message.split(separator: "\n").count == 2, "\(report.message)")
        }
    }
}
