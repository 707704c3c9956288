// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it builds only with --sanitize=fuzzer, which brings the main function and
// instruments everything that is built with it. Scripts/fuzz does that.
//
// It uses no product that has a macro: the compiler's part of a macro is a program, which would be
// built with the fuzzer too, and two main functions do not link. AnabranchServer brings the
// protocol.
let package = Package(
    name: "AnabranchFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Anabranch", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "AnabranchModel", package: "Anabranch"),
                .product(name: "AnabranchReplication", package: "Anabranch"),
                .product(name: "AnabranchServer", package: "Anabranch"),
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
