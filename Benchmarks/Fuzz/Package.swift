// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it builds only with --sanitize=fuzzer, which brings the main function and
// instruments everything that is built with it. Scripts/fuzz does that.
let package = Package(
    name: "AnabranchFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Anabranch", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "Anabranch", package: "Anabranch"),
                .product(name: "AnabranchSync", package: "Anabranch"),
            ],
            packageAccess: false,
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
                .treatAllWarnings(as: .error),
                .unsafeFlags(["-parse-as-library"]),
            ])
    ],
    swiftLanguageModes: [.v6]
)
