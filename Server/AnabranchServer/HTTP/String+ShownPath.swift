extension String {
    /// The beginning of a request's path, or of another text that a client chooses, as logs and
    /// messages show it: at most 1 KiB and an ellipsis.
    var shownPath: String {
        guard utf8.count > Self.shownBytes else { return self }
        var end = utf8.index(startIndex, offsetBy: Self.shownBytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }

    private static let shownBytes = 1024
}
