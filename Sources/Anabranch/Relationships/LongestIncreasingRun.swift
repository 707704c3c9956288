/// The indices of the longest rising run of numbers, which need not stand side by side.
///
/// What is in the run may stay where it is when things are put in another order; moving all
/// others is the least that has to be moved.
///
/// Source: Fredman, "On computing the length of longest increasing subsequences", 1975.
func longestIncreasingRun(of numbers: [Int]) -> [Int] {
    /// Of each length, the index of the least number that such a run can end with.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, number) in numbers.enumerated() {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        previous.append(low > 0 ? ends[low - 1] : nil)
        if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var run: [Int] = []
    var next = ends.last
    while let index = next {
        run.append(index)
        next = previous[index]
    }
    return run.reversed()
}
