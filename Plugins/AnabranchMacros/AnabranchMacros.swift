import AnabranchMacroExpansion
import Foundation

/// The compiler plug-in of `@Entity`.
///
/// The compiler starts it and writes one message for each use of a macro to its standard input. It
/// reads one reply for each from the standard output, until it closes the pipe.
@main
enum AnabranchMacros {
    static func main() {
        // A write to a compiler that has ended is then an error, not the end of this process.
        signal(SIGPIPE, SIG_IGN)
        let stream = MessageStream(input: .standardInput, output: .standardOutput)
        do {
            try MacroService().serve(stream)
        } catch {
            try? FileHandle.standardError.write(
                contentsOf: Data("AnabranchMacros: \(error)\n".utf8))
            exit(1)
        }
    }
}
