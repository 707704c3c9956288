#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Checks of the shipped systemd units by systemd's own program.
    @Suite(.waiting) struct SystemdUnitTests {
        private static let analyze = URL(filePath: "/usr/bin/systemd-analyze")
        private static let isInstalled =
            FileManager.default.isExecutableFile(atPath: analyze.path)
        private static let units = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Packaging/systemd")
        private static let systemUnits = URL(filePath: "/usr/lib/systemd/system")

        private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = Self.analyze
            process.arguments = arguments
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }

        @Test(.enabled("systemd-analyze is not installed.") { isInstalled })
        func `the service is exposed by at most 2 points of 10`() throws {
            let (status, output) = try run(
                "security", "--offline=true", "--no-pager", "--threshold=20",
                Self.units.appending(path: "anabranchd.service").path)
            #expect(status == 0, "\(output)")
            #expect(output.contains("Overall exposure level"), "\(output)")
        }

        /// The units are checked in a folder with the targets and mounts of the system.
        @Test(.enabled("systemd-analyze is not installed.") { isInstalled })
        func `systemd accepts the units without a warning`() throws {
            let root = try TemporaryDirectory("units")
            let files = FileManager.default
            let folder = root.url.appending(path: "usr/lib/systemd/system")
            let programs = root.url.appending(path: "usr/bin")
            for place in [folder, programs] {
                try files.createDirectory(at: place, withIntermediateDirectories: true)
            }
            for name in try files.contentsOfDirectory(atPath: Self.systemUnits.path)
            where [".target", ".mount", ".slice"].contains(where: name.hasSuffix) {
                try files.copyItem(
                    at: Self.systemUnits.appending(path: name), to: folder.appending(path: name))
            }
            for name in ["anabranchd.service", "anabranchd.socket"] {
                try files.copyItem(
                    at: Self.units.appending(path: name), to: folder.appending(path: name))
            }
            try files.copyItem(
                at: try BuiltProducts.executable("anabranchd"),
                to: programs.appending(path: "anabranchd"))
            try files.copyItem(
                at: URL(filePath: "/usr/bin/kill"), to: programs.appending(path: "kill"))
            let (status, output) = try run(
                "verify", "--man=no", "--root=\(root.path)", "anabranchd.service",
                "anabranchd.socket")
            #expect(status == 0, "\(output)")
            #expect(!output.contains("anabranchd"), "\(output)")
        }
    }
#endif
