#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import AnabranchCLI

    /// Tests of the manual pages and completions that `Scripts/manual` makes of the help texts.
    @Suite(.waiting) struct ManualTests {
        static let programs = ["anabranch", "anabranchd"]
        private let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory("manual")
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Scripts/manual")
            let products = try BuiltProducts.executable("anabranch").deletingLastPathComponent()
            _ = try ChildProcess.output(
                of: script, ["--from", products.path, "--output", folder.path])
        }

        private static func isInstalled(_ program: String) -> Bool {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
        }

        /// Runs a program of the system.
        ///
        /// - Returns: Its exit status and all that it printed.
        private func run(_ program: String, _ arguments: String...) throws -> (Int32, String) {
            try ShippedFiles.run(
                URL(filePath: "/usr/bin/\(program)"), arguments,
                environment: ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": folder.path])
        }

        private func completion(_ shell: String, _ program: String) -> String {
            let name =
                ["bash": program, "zsh": "_\(program)", "fish": "\(program).fish"][shell] ?? ""
            return folder.file("completions/\(shell)/\(name)")
        }

        @Test(arguments: programs)
        func `every command and option of the help is on the page and in all completions`(
            program: String
        ) throws {
            let page = try String(contentsOfFile: folder.file("man/\(program).1"), encoding: .utf8)
            let text = page.replacing("\\-", with: "-").replacing("\\fB", with: "")
            let commands = page.matches(of: /(?m)^\.SS \w+ (.+)$/).map { String($0.1) }
            let isWhole =
                program == "anabranch"
                ? commands.count == CommandTable.all.count : commands.count >= 3
            #expect(isWhole, "\(commands)")
            for command in commands.map({ $0.replacing("\\-", with: "-") }) {
                let help = try ChildProcess.output(
                    of: BuiltProducts.executable(program),
                    command.split(separator: " ").map(String.init) + ["--help"])
                let options = Set(help.matches(of: /(?m)^  (?:-h, )?--([a-z-]+)/).map { $0.1 })
                for option in options {
                    #expect(text.contains("--\(option)"), "\(command) --\(option)")
                    for shell in ["bash", "zsh"] {
                        let file = completion(shell, program)
                        #expect(
                            try String(contentsOfFile: file, encoding: .utf8)
                                .contains("--\(option)"), "\(shell): \(command) --\(option)")
                    }
                    #expect(
                        try String(contentsOfFile: completion("fish", program), encoding: .utf8)
                            .contains("-l \(option)"), "fish: \(command) --\(option)")
                }
            }
        }

        @Test(.enabled("man is not installed.") { isInstalled("man") }, arguments: programs)
        func `man shows the page without a warning`(program: String) throws {
            let page = folder.file("man/\(program).1")
            let (status, output) = try run("man", "--warnings", "-E", "UTF-8", "-l", page)
            #expect(status == 0)
            #expect(!output.contains(": warning"), "\(output)")
            #expect(output.contains("SYNOPSIS"), "\(output)")
        }

        @Test(.enabled("mandoc is not installed.") { isInstalled("mandoc") }, arguments: programs)
        func `mandoc finds nothing to criticize`(program: String) throws {
            let (status, output) = try run("mandoc", "-Tlint", folder.file("man/\(program).1"))
            #expect(status == 0, "\(output)")
            #expect(output.isEmpty, "\(output)")
        }

        @Test(arguments: [
            ("anabranch sy", "sync"), ("anabranch model gr", "graph"),
            ("anabranch export --format js", "json jsonl"), ("anabranch sync --ser", "--server"),
            ("anabranch key create --h", "--help"), ("anabranchd ser", "serve"),
            ("anabranchd token cr", "create"), ("anabranchd token create --role w", "write"),
            ("anabranchd serve --tls-k", "--tls-key"),
            ("anabranchd zone verify --repa", "--repair"),
        ])
        func `bash completes a command line`(line: String, expected: String) throws {
            let words = line.split(separator: " ").map(String.init)
            let (status, output) = try runBash(words)
            #expect(status == 0)
            #expect(output == expected + "\n")
        }

        private func runBash(_ words: [String]) throws -> (Int32, String) {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            return try run(
                "bash", "-c",
                "source '\(completion("bash", words[0]))'; COMP_WORDS=(\(list)); "
                    + "COMP_CWORD=\(words.count - 1); _\(words[0]); echo \"${COMPREPLY[*]}\"")
        }

        @Test(
            .enabled("fish is not installed.") { isInstalled("fish") },
            arguments: [
                ("anabranch sy", "sync"), ("anabranch model gr", "graph"),
                ("anabranch export --format csv", "csv"), ("anabranch sync --ser", "--server"),
                ("anabranchd token cr", "create"), ("anabranchd serve --tls-k", "--tls-key"),
            ])
        func `fish completes a command line`(line: String, expected: String) throws {
            let program = String(line.prefix { $0 != " " })
            let file = completion("fish", program)
            let (status, output) = try run(
                "fish", "--no-config", "-c", "source '\(file)'; complete -C '\(line)'")
            #expect(status == 0, "\(output)")
            let found = output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
            #expect(found.contains(expected[...]), "\(output)")
        }

        /// The functions of zsh's completion system are replaced by ones that print.
        @Test(
            .enabled("zsh is not installed.") { isInstalled("zsh") },
            arguments: [
                ("anabranch ''", "sync:Exchanges changes with the zone"),
                ("anabranch model ''", "graph"), ("anabranch sync --", "*--server["),
                ("anabranch export --", "(json jsonl csv)"), ("anabranchd token ''", "revoke"),
                ("anabranchd serve --", "*--tls-key["),
            ])
        func `zsh gets the words of a command line`(line: String, expected: String) throws {
            let program = String(line.prefix { $0 != " " })
            let (status, output) = try run(
                "zsh", "-f", "-c",
                "_describe() { print -l -- ${(P)2} }; _arguments() { print -l -- \"$@\" }; "
                    + "compadd() { print -l -- \"$@\" }; complete() { source "
                    + "'\(completion("zsh", program))' }; "
                    + "words=(\(line)); CURRENT=$#words; complete"
            )
            #expect(status == 0, "\(output)")
            #expect(output.contains(expected), "\(output)")
        }
    }
#endif
