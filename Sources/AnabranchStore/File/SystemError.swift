import Foundation

/// The error of a failed system call.
package struct SystemError: Error {
    package let number: Int32

    /// Creates the error of the last system call on this thread. Create it right after the call.
    package init(_ number: Int32 = errno) { self.number = number }

    /// The text of `strerror`, such as `No such file or directory`.
    var text: String { String(cString: strerror(number)) }

    /// True if the only problem is missing disk space.
    var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }
}
