# What Scripts/test shows of a run of Swift Testing. To be read with `source`.

# show_progress: reads a run's output and writes what a person wants to know meanwhile: a line for
# each suite that fails and for the first `listed_suites` others (20), and from time to time a line
# that counts the tests. Each of these lines waits for a test to end, and at least 15 s and a
# twentieth of the run's time: an hour has some 70 of them, however many suites there are. On a
# terminal there is one line instead, which counts all the time. Says nothing else of the run.
show_progress() {
    local line passed=0 failed=0 suites=0 start=$SECONDS written=$SECONDS
    while IFS= read -r line; do
        case $line in
            "✔ Test run "* | "✘ Test run "* | "━ Test run "*) ;;
            "✔ Test "* | "━ Test "*) passed=$((passed + 1)) ;;
            "✘ Test "*) failed=$((failed + 1)) ;;
            "✘ Suite "*) show_suite FAILED "${line#✘ Suite }" ;;
            *" Suite "*) show_suite passed "${line#* Suite }" ;;
        esac
        if [[ -t 1 ]] || is_time; then show_counts; fi
    done < <(grep --line-buffered -E "$finished_line" | grep --line-buffered -v ' Test case ')
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
}
readonly finished_line='^(✔|✘|━) (Suite|Test) .+ (passed|failed) after '

# show_suite RESULT TEXT: counts a suite, and writes its line if it failed or is one of the first.
show_suite() {
    suites=$((suites + 1))
    if [[ -t 1 || ($1 == passed && suites -gt ${listed_suites:-20}) ]]; then return; fi
    local name=${2%% passed after *} seconds=${2##* after }
    name=${name%% failed after *}
    name=${name#\"}
    printf '%-6s %5.0f s  %s\n' "$1" "${seconds%% seconds*}" "${name%\"}"
    written=$SECONDS
}

# is_time: succeeds if nothing was written for so long that a line of counts is due.
is_time() {
    local silence=$((SECONDS - written))
    ((silence >= 15 && silence * 20 >= SECONDS - start))
}

show_counts() {
    local counts seconds=$((SECONDS - start))
    counts=$(printf '%d suites, %d tests passed, %d failed, %d:%02d' \
        "$suites" "$passed" "$failed" $((seconds / 60)) $((seconds % 60)))
    if [[ -t 1 ]]; then printf '\r%s' "$counts"; else printf '%s\n' "$counts"; fi
    written=$SECONDS
}

# failures LOG: prints each recorded issue in full, with the lines that explain it. The signs are
# no set of characters, because an awk that compares bytes finds a byte of theirs in `↳` too.
failures() {
    local issues
    issues=$(awk '
        /^✘ Test .+ (recorded an issue|failed after)/ { print; explains = 1; next }
        /^(◇|✔|✘|➜|━)/ { explains = 0 }
        explains { print }' "$1")
    if [[ -n $issues ]]; then
        printf '%s\n' "$issues"
    else
        echo "No test says why: did the process end before its tests? The log's last lines:"
        tail -n 60 "$1"
    fi
}

# summarize REPORT: counts the tests in Swift Testing's report, which is complete even if the log
# of a busy machine lacks lines.
summarize() {
    if ! grep -qs '</testsuites>' "$1"; then
        printf 'Nothing was counted: the tests ended before they wrote their report.\n'
        return
    fi
    awk '
        /<testcase / { tests += 1; has_failed = 0 }
        /<failure/ && !has_failed { failed += 1; has_failed = 1 }
        /<skipped/ {
            skipped += 1
            gsub(/^ *<skipped *\/?>|<\/skipped>.*$/, "")
            reasons[$0 == "" ? "no reason given" : $0] += 1
        }
        END {
            passed = tests - failed - skipped
            for (reason in reasons) printf "%d skipped: %s\n", reasons[reason], reason
            printf "%d passed, %d failed, %d skipped.\n", passed, failed, skipped
        }' "$1" | sed 's/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}
