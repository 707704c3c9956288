extension PropertyValue {
    /// An estimate of the encoded value's size in bytes. It is close for texts and data, which may
    /// be large.
    package var byteEstimate: Int {
        switch self {
        case .string(let text), .uri(let text): text.utf8.count
        case .data(let bytes): bytes.count
        default: 16
        }
    }
}
