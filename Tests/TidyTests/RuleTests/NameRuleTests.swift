import Testing

@Suite struct NameRuleTests {
    private func count(_ path: String, _ text: String = "") -> Int {
        NameRule().violations(in: SourceFile(path: path, text: text)).count
    }

    @Test(arguments: [
        "Sources/A/StringUtilities.swift", "Sources/A/Utils/B.swift", "Sources/A/Helpers/B.swift",
        "Sources/A/CommonTypes.swift", "Sources/A/Extensions.swift", "Sources/A/Date+Helper.swift",
        "Sources/A/StoreManager.swift", "Sources/A/ZoneInfo.swift", "Sources/A/Store2.swift",
        "Scripts/common", "Tests/A/GoldenHelpers.swift",
    ])
    func `a path that says nothing is refused`(_ path: String) {
        #expect(count(path) == 1)
    }

    @Test(arguments: [
        "Sources/Anabranch/ManagedObject.swift", "Sources/A/VersionVector+Codable.swift",
        "Sources/A/Information.swift", "Sources/A/UInt8.swift", "Sources/A/Blake2b.swift",
        "Sources/A/UTF8.swift", "Tests/A/Golden/format-1.hex", ".swift-format", "Package.swift",
    ])
    func `a path that says something passes`(_ path: String) {
        #expect(count(path) == 0)
    }

    @Test(arguments: [
        "struct ZoneInfo {}", "final class StoreManager {}", "enum Utils {}", "actor SyncHelper {}",
        "protocol CommonStore {}", "typealias Store2 = Int", "struct `Helpers` {}",
    ])
    func `a type that says nothing is refused`(_ source: String) {
        #expect(count("Sources/A/B.swift", source) == 1)
    }

    @Test(arguments: [
        "struct ManagedObject {}", "import class Foundation.ProcessInfo", "// struct ZoneInfo {}",
        "class func helper() {}", "let a = FileManager.default", "struct SHA256 {}",
    ])
    func `a type that says something passes`(_ source: String) {
        #expect(count("Sources/A/B.swift", source) == 0)
    }
}
