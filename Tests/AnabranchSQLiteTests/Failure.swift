/// Returns the error that `body` throws.
///
/// It is for closures: in `#expect` or `#require`, Swift 6.3 may run another closure of the same
/// scope instead of the one written there.
func failure(_ body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
