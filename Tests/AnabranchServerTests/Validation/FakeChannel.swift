import AnabranchReplication
import Foundation
import Synchronization

@testable import AnabranchServer

/// A hook in the test's process, which records the requests that it gets.
final class FakeChannel: ValidationChannel {
    /// The parts of a request that tests look at.
    struct Request: Decodable {
        struct Shown: Decodable {
            struct Change: Decodable {
                struct Property: Decodable {
                    let name: String
                    let value: Value?
                    /// A text, or nothing for a value of another type.
                    struct Value: Decodable {
                        let text: String?

                        init(from decoder: any Decoder) throws {
                            text = try? decoder.singleValueContainer().decode(String.self)
                        }
                    }
                }
                let operation: String
                let properties: [Property]?

                var texts: [String] { properties?.compactMap { $0.value?.text } ?? [] }
            }
            let sequence: UInt64
            let part: Int?
            let changes: [Change]

            var texts: [String] { changes.flatMap(\.texts) }
        }
        let id: UInt64
        let zone: String
        let token: Int64?
        let subject: String?
        let address: String?
        let request: String?
        let changeSets: [Shown]
    }

    private let received = Mutex<[Request]>([])
    private let reject: @Sendable (Request.Shown) throws -> String?

    /// - Parameter reject: Returns the code for a rejected save; throws for no answer.
    init(_ reject: @escaping @Sendable (Request.Shown) throws -> String?) {
        self.reject = reject
    }

    var requests: [Request] { received.withLock { $0 } }

    func answer(
        to request: [UInt8], of zone: String, within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8] {
        do {
            let request = try JSONDecoder().decode(Request.self, from: Data(request))
            received.withLock { $0.append(request) }
            let results = try request.changeSets.map { shown in
                try reject(shown).map { #"{"accept":false,"code":"\#($0)","reason":"No."}"# }
                    ?? #"{"accept":true}"#
            }
            let list = results.joined(separator: ",")
            return Array(#"{"version":1,"id":\#(request.id),"results":[\#(list)]}"#.utf8)
        } catch {
            throw ValidationFailure("\(error)")
        }
    }

    func close() {}
}
