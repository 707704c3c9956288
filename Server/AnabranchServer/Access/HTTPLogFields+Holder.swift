extension HTTPLogFields {
    /// Records the holder of the right that a request used.
    mutating func note(_ holder: AccessHolder) {
        switch holder {
        case .token(let number): token = number
        case .subject(let name): subject = name
        }
    }
}
