# What Scripts/test shows of a run of Swift Testing. To be read with `source`.

# show_progress: reads a run's output and writes one line for each finished suite, or only for those
# that failed if `shown_suites` is "failed". On a terminal it writes one line instead, which counts
# the tests and the time. Says nothing else of the run.
show_progress() {
    local line passed=0 failed=0 start=$SECONDS
    while IFS= read -r line; do
        case $line in
            "✔ Test run "* | "✘ Test run "* | "━ Test run "*) ;;
            "✔ Test "* | "━ Test "*) passed=$((passed + 1)) ;;
            "✘ Test "*) failed=$((failed + 1)) ;;
            "✘ Suite "*) show_suite FAILED "${line#✘ Suite }" ;;
            *" Suite "*) show_suite passed "${line#* Suite }" ;;
        esac
        if [[ -t 1 ]]; then show_counts; fi
    done < <(grep --line-buffered -E "$finished_line" | grep --line-buffered -v ' Test case ')
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
}
readonly finished_line='^(✔|✘|━) (Suite|Test) .+ (passed|failed) after '

show_suite() {
    if [[ -t 1 || ($1 == passed && ${shown_suites:-all} == failed) ]]; then return; fi
    local name=${2%% passed after *} seconds=${2##* after }
    name=${name%% failed after *}
    name=${name#\"}
    printf '%-6s %5.0f s  %s\n' "$1" "${seconds%% seconds*}" "${name%\"}"
}

show_counts() {
    local seconds=$((SECONDS - start))
    printf '\r%d tests passed, %d failed, %d:%02d' \
        "$passed" "$failed" $((seconds / 60)) $((seconds % 60))
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
