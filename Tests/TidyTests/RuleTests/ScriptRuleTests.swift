import Testing

@Suite struct ScriptRuleTests {
    private let good = "#!/usr/bin/env bash\nset -euo pipefail\n# --help\n"

    private func count(
        _ text: String, path: String = "Scripts/demo", isExecutable: Bool = true
    ) -> Int {
        let file = SourceFile(path: path, text: text, isExecutable: isExecutable)
        return ScriptRule().violations(in: file).count
    }

    @Test func `a script in order passes`() {
        #expect(count(good) == 0)
        #expect(count("#!/usr/bin/env python3\n# --help\n") == 0)
        #expect(count("#!/usr/bin/env bash\nset -euo pipefail\n", path: ".ci/run") == 0)
        #expect(count("anything", path: "Documentation/a.md", isExecutable: false) == 0)
    }

    @Test func `each omission is reported`() {
        #expect(count(good, isExecutable: false) == 1)
        #expect(count(String(good.dropFirst(20))) == 1)
        #expect(count("#!/bin/bash\n# --help\n") == 1)
        #expect(count("#!/bin/bash\nset -euo pipefail\n") == 1)
        #expect(count("#!/bin/bash\n", path: ".ci/run") == 1)
    }
}
