import AnabranchModel
import Foundation
import Testing

/// Tests that every model of the fixtures is read, or refused with a reason and a place.
@Suite(.enabled(if: ModelFixtures.folder != nil, "there are no fixtures here"))
struct ModelFixtureTests {
    @Test func `every version is read or refused for a stated reason`() {
        var outcomes: [String: Int] = [:]
        var problems: [String: Int] = [:]
        for version in ModelFixtures.versions() {
            do throws(ModelError) {
                let model = try ManagedObjectModel.reading(version)
                outcomes["read", default: 0] += 1
                expectWhole(model)
            } catch {
                outcomes[Set(error.all.map(reason)).sorted().joined(separator: " "), default: 0] +=
                    1
                for problem in error.all { problems[reason(problem), default: 0] += 1 }
                expectPlace(of: error)
            }
        }
        #expect(outcomes == Self.outcomes)
        #expect(problems == Self.problems)
    }

    @Test func `the current version of every package is found or missed by name`() {
        var outcomes: [String: Int] = [:]
        for package in ModelFixtures.packages() {
            do throws(ModelError) {
                _ = try ManagedObjectModel.reading(package)
                outcomes["read", default: 0] += 1
            } catch {
                outcomes[error.code.rawValue, default: 0] += 1
            }
        }
        #expect(outcomes == Self.packageOutcomes)
    }

    /// The number of versions for each set of refusal reasons.
    private static let outcomes = [
        "read": 86,
        "not-a-model": 10,
        "relationship-in-constraint": 1,
    ]

    /// The number of problems for each reason.
    private static let problems = [
        "not-a-model": 10,
        "relationship-in-constraint": 1,
    ]

    private static let packageOutcomes = [
        "read": 23, "not-a-model": 4, "no-current-version": 2,
    ]

    private func reason(_ error: ModelError) -> String {
        error.feature?.rawValue ?? error.code.rawValue
    }

    private func expectWhole(_ model: ManagedObjectModel) {
        let decoded = try? ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(decoded == model)
        for entity in model.entities {
            #expect(entity.slots.map(\.slot) == Array(entity.slots.indices))
            for relationship in entity.relationships {
                #expect(
                    relationship.inverse?.inverse == relationship.inverse.map { _ in relationship })
                #expect((relationship.inverse == nil) == (relationship.declaration.inverse == nil))
            }
        }
    }

    private func expectPlace(of error: ModelError) {
        for problem in error.all {
            #expect(problem.file != nil)
            if problem.code == .notAModel { continue }
            #expect(problem.line != nil && problem.entity != nil && problem.property != nil)
        }
    }
}
