import Foundation

/// What the system said of a call that failed.
package struct SystemError: Error {
    package let number: Int32

    /// - Parameter number: Of the call before, on this thread: make it at once.
    package init(_ number: Int32 = errno) { self.number = number }

    /// As `strerror` has it: `No such file or directory`.
    var text: String { String(cString: strerror(number)) }

    /// Whether room is all that is missing.
    var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }
}
