import Anabranch

/// The content of a store for an object beside the values that the object shows.
struct RecordNote {
    /// The records by which the object was named, and which are merged into the object's record.
    var merged: [RecordID] = []
    /// The values that the object does not show.
    var hidden: [HiddenWrite] = []

    /// A line for each record by which the object was named.
    var lines: [String] {
        merged.map {
            "\(RecordText.short($0)) is merged into this record, because both have one unique key."
        }
    }

    /// Adds the members `@merged` and `@hidden`, unless they are empty.
    func write(to json: inout JSONText) {
        if !merged.isEmpty {
            json.member("@merged", merged.map { RecordText.long($0) })
        }
        guard !hidden.isEmpty else { return }
        json.array("@hidden") { json in
            for write in hidden { HiddenWriteText(write).write(to: &json) }
        }
    }
}
