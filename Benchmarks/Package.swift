// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The name under which SwiftPM compiles Anabranch: that of its folder. AnabranchLoad is compiled
// under the same name, because it writes the protocol's messages itself, and they are not public.
let folder = URL(fileURLWithPath: Context.packageDirectory + "/..").standardizedFileURL
let packageName = String(
    folder.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

let commonSettings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

func anabranch(_ product: String) -> Target.Dependency {
    .product(name: product, package: "Anabranch")
}

let package = Package(
    name: "AnabranchBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Anabranch", path: "..")],
    targets: [
        // The SQLite library that all figures are compared with. It is not called CSQLite, because
        // SwiftPM refuses a second target of that name.
        .systemLibrary(
            name: "CRawSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .executableTarget(
            name: "AnabranchBench",
            dependencies: [
                "CRawSQLite", anabranch("Anabranch"), anabranch("AnabranchConversion"),
                anabranch("AnabranchSync"),
                anabranch("anabranchd"), anabranch("anabranch"),
            ],
            packageAccess: false, swiftSettings: commonSettings),
        .executableTarget(
            name: "AnabranchLoad",
            dependencies: [anabranch("AnabranchServer"), anabranch("anabranchd")],
            packageAccess: false,
            swiftSettings: commonSettings + [.unsafeFlags(["-package-name", packageName])]),
        .executableTarget(
            name: "AnabranchScale", packageAccess: false, swiftSettings: commonSettings),
    ],
    swiftLanguageModes: [.v6]
)
