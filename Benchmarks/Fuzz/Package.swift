// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The name under which SwiftPM compiles Anabranch: that of its folder. The fuzzer is compiled under
// the same name, because what reads bytes is not public.
let folder = URL(fileURLWithPath: Context.packageDirectory + "/../..").standardizedFileURL
let packageName = String(
    folder.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

// The fuzzer has a package of its own because it builds only with --sanitize=fuzzer. That option
// adds the main function and instruments all code. Scripts/fuzz runs it.
//
// The package uses no product with a macro. The compiler's part of a macro is a program, which
// would be built with the fuzzer too, and two main functions do not link. AnabranchServer
// re-exports the protocol.
let package = Package(
    name: "AnabranchFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Anabranch", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                // This product brings AnabranchStore and what is below it.
                .product(name: "AnabranchConversion", package: "Anabranch"),
                .product(name: "AnabranchServer", package: "Anabranch"),
            ],
            packageAccess: false,
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
                .treatAllWarnings(as: .error),
                .unsafeFlags(["-parse-as-library", "-package-name", packageName]),
            ])
    ],
    swiftLanguageModes: [.v6]
)
