import Anabranch

/// The author and the time of a write as text and as JSON.
struct WriteText {
    let write: ConflictEntry.Write

    init(_ write: ConflictEntry.Write) { self.write = write }

    var time: String {
        TimeText.short(wallMilliseconds: write.stamp.timestamp.wallMilliseconds)
    }

    func write(to json: inout JSONText) {
        json.object { json in
            json.member("author", write.author)
            json.member("replica", write.stamp.replica.description)
            json.member(
                "time",
                TimeText.precise(wallMilliseconds: write.stamp.timestamp.wallMilliseconds))
        }
    }
}
