/// What `body` throws.
///
/// Used within closures, where Swift 6.3 may run another closure of the same scope in place of one
/// that is written inside `#expect` or `#require`.
func failure(_ body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
