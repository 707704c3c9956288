import AnabranchModel
import Foundation
import Testing

/// Every model of the fixtures is read, or refused with a reason and a place.
@Suite(.enabled(if: ModelFixtures.folder != nil, "there are no fixtures here"))
struct ModelFixtureTests {
    @Test func `every version loads or is refused for a stated reason`() throws {
        var counts: [String: Int] = [:]
        for version in ModelFixtures.versions() {
            do throws(ModelError) {
                let model = try ManagedObjectModel.reading(version)
                counts["loaded", default: 0] += 1
                print("OK", version.path, model.warnings.count)
                for w in Set(model.warnings.map(\.code)) {
                    counts["w:\(w.rawValue)", default: 0] += 1
                }
            } catch {
                print("NO", version.path)
                print(error)
                let reasons = Set(error.all.map(\.code.rawValue)).sorted().joined(separator: "+")
                counts[reasons, default: 0] += 1
            }
        }
        print(counts)
    }
}
