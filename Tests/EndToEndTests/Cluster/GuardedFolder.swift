import Foundation
import TestSupport

/// A folder with the files of all processes of a cluster. The processes end with the process of
/// the tests, also if that is killed.
///
/// A shell waits until the tests close its input. Then it kills each process with its number in
/// the folder `processes`, stops each database server, and removes the folder. A number counts only
/// as long as the process's command names this folder.
final class GuardedFolder {
    let folder: TemporaryDirectory
    private let shell = Process()
    private let input = Pipe()

    init() throws {
        folder = try TemporaryDirectory("cluster")
        // Clients and daemons run as this user, the database as the user postgres.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o711], ofItemAtPath: folder.path)
        for name in ["processes", "frozen"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: false)
        }
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", Self.script, "sh", folder.path]
        shell.standardInput = input
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
    }

    /// Notes the number of a process under a name, instead of the one that had the name.
    func note(_ identifier: Int32, as name: String) throws {
        try Data("\(identifier)\n".utf8).write(
            to: URL(filePath: folder.file("processes/\(name)")))
    }

    /// Starts a program as the user of the database.
    func start(
        _ command: [String], as name: String
    ) throws -> ChildProcess {
        let process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), PostgreSQLCluster.asPostgres + command,
            environment: ["HOME": folder.path, "LC_ALL": "C.UTF-8"],
            log: folder.url.appending(path: "\(name).log"))
        try note(process.identifier, as: name)
        return process
    }

    /// Ends all processes and removes the folder.
    func end() {
        try? input.fileHandleForWriting.close()
        shell.waitUntilExit()
    }

    deinit { end() }

    private static let script = """
        trap '' INT TERM HUP
        folder=$1
        while read -r line; do :; done
        of_folder() { tr '\\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -qF "$folder"; }
        for file in "$folder"/processes/*; do
            read -r process <"$file" || continue
            if of_folder "$process"; then kill -KILL "$process"; fi
        done 2>/dev/null
        for file in "$folder"/frozen/*; do
            while read -r process; do
                if grep -q '^postgres:' "/proc/$process/cmdline"; then kill -CONT "$process"; fi
            done <"$file"
        done 2>/dev/null
        # A server that is stopped, though at once, also removes its shared memory.
        for file in "$folder"/*/data/postmaster.pid; do
            read -r process <"$file" || continue
            if of_folder "$process"; then kill -CONT "$process"; kill -QUIT "$process"; fi
            for round in 1 2 3 4 5 6 7 8; do
                if of_folder "$process"; then sleep 1; fi
            done
        done 2>/dev/null
        sleep 1
        rm -rf "$folder"
        """
}
