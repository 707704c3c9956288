#if os(Linux)
    import TestSupport
    import Testing

    /// Tests of the set-up step of the scripts that the README names: they need no commands before
    /// them.
    @Suite(.waiting) struct ScriptSetupTests {
        static let scripts = ["demo", "test"]
        static let packages: Set = [
            "libsqlite3-dev", "libcurl4-openssl-dev", "libmicrohttpd-dev",
            "libgnutls28-dev", "libssl-dev", "libpq-dev", "libzstd-dev", "libsodium-dev",
            "libicu-dev", "zlib1g-dev", "iso-codes",
        ]

        /// - Returns: The packages that the script installed before it built anything.
        private func installed(by calls: [String]) throws -> Set<String> {
            try #require(calls.count >= 3, "\(calls)")
            #expect(calls[0] == "apt-get update")
            let words = calls[1].split(separator: " ").map(String.init)
            #expect(words.prefix(4) == ["apt-get", "install", "-y", "--no-install-recommends"])
            #expect(calls[2].hasPrefix("swift build "))
            return Set(words.dropFirst(4))
        }

        @Test(arguments: scripts)
        func `all libraries are installed where none is`(script: String) throws {
            let machine = try DebianUnderTest(installed: [], userID: 0)
            let (_, _, calls) = try machine.run(script)
            #expect(try installed(by: calls) == Self.packages)
        }

        @Test(arguments: scripts)
        func `only the libraries that are missing are installed`(script: String) throws {
            let missing: Set = ["libsodium-dev", "libpq-dev"]
            let machine = try DebianUnderTest(
                installed: Self.packages.subtracting(missing), userID: 0)
            let (_, output, calls) = try machine.run(script)
            #expect(try installed(by: calls) == missing)
            #expect(output.contains("Installing: libpq-dev libsodium-dev"))
        }

        @Test(arguments: scripts, [0, 1000])
        func `the build begins at once if nothing is missing`(script: String, user: Int) throws {
            let machine = try DebianUnderTest(installed: Self.packages, userID: user)
            let (_, _, calls) = try machine.run(script)
            #expect(calls.first?.hasPrefix("swift build ") == true, "\(calls)")
        }

        @Test func `a replicated database is installed only if it is asked for`() throws {
            let machine = try DebianUnderTest(installed: Self.packages, userID: 0)
            #expect(try machine.run("setup").calls.isEmpty)
            let calls = try machine.run("setup", ["--with-cluster"]).calls
            try #require(calls.count == 4, "\(calls)")
            let words = calls[1].split(separator: " ").map(String.init)
            #expect(
                Set(words.dropFirst(4)) == [
                    "postgresql", "etcd-server", "haproxy", "python3-venv", "python3-psycopg2",
                ])
            #expect(calls[2].hasPrefix("python3 -m venv --system-site-packages "))
            #expect(calls[3].hasPrefix("pip install --quiet patroni[etcd3]=="))
        }

        @Test(arguments: scripts)
        func `without rights it prints the command to type, and stops`(script: String) throws {
            let machine = try DebianUnderTest(
                installed: Self.packages.subtracting(["libsodium-dev"]), userID: 1000)
            let (status, output, calls) = try machine.run(script)
            #expect(status == 1)
            #expect(output.contains("As root, run: apt-get install -y libsodium-dev"))
            #expect(calls.isEmpty)
        }
    }
#endif
