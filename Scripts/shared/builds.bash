# What the scripts share about building. To be read with `source`, from the package's folder.

# Where the scripts leave the whole output of builds and tests.
readonly log_folder=.build/logs

# build WHAT ARGUMENT...: runs `swift build` with the arguments. Says in one line on standard error
# what is built, how long it has taken so far, and at the end how long it took. The compiler's output
# goes to a file, and is printed only when the build fails; then the function fails, too.
build() {
    local output=$log_folder/build-${1//[^A-Za-z0-9]/-}.log status=0 start=$SECONDS
    local line="Building $1 (the first build takes some minutes) … "
    shift
    mkdir -p "$log_folder"
    : >"$output"
    printf '%s' "$line" >&2
    # The pipe carries nothing. It is closed when the build ends, which ends `show_build`.
    { swift build "$@" >"$output" 2>&1 || exit; } | show_build "$output" "$line" >&2 || status=$?
    if [[ -t 2 ]]; then printf '\r\033[K%s' "$line" >&2; fi
    if ((status == 0)); then
        printf '%d s\n' $((SECONDS - start)) >&2
        return
    fi
    printf 'failed after %d s:\n\n' $((SECONDS - start)) >&2
    # The compiler repeats what it says of a file for each file of the same batch.
    awk '/^\[[0-9]+\/[0-9]+\] / { next } ++lines <= 120' "$output" >&2
    printf '\nThe whole output: %s\n' "$output" >&2
    return 1
}

# show_build OUTPUT LINE: until its input ends, writes LINE again each second with the seconds and the
# module that SwiftPM has named last in OUTPUT. To a file or a pipe it adds the seconds to the line
# twice a minute.
show_build() {
    local output=$1 line=$2 start=$SECONDS module pause=30
    if [[ -t 1 ]]; then pause=1; fi
    # The status of a time-out is above 128, that of the end of the input is 1.
    while read -r -t "$pause" || (($? > 128)); do
        if [[ -t 1 ]]; then
            module=$(sed -nE 's/^\[[0-9/]+\] (Compiling|Emitting module|Linking) ([A-Za-z]+).*/\2/p' \
                "$output" | tail -n 1)
            printf '\r\033[K%s%d s  %s' "$line" $((SECONDS - start)) "$module"
        else
            printf '%d s … ' $((SECONDS - start))
        fi
    done
}

# choose_configuration [release]: sets `configuration` to release if that is given, else to the
# newest build that has both programs, else to debug, which builds in half the time.
choose_configuration() {
    local found
    configuration=${1:-}
    [[ -z $configuration ]] || return 0
    for found in debug release; do
        [[ -x .build/$found/anabranch && -x .build/$found/anabranchd ]] || continue
        if [[ -z $configuration || .build/$found/anabranch -nt .build/$configuration/anabranch ]]; then
            configuration=$found
        fi
    done
    configuration=${configuration:-debug}
}

# build_programs [release]: builds both programs, or brings their newest build up to date, and sets
# `programs` to their folder. Says first what that is and about how long it takes.
build_programs() {
    local purpose=debugging minutes='1 to 4'
    choose_configuration "$@"
    if [[ $configuration == release ]]; then purpose=release minutes='3 to 9'; fi
    if [[ -x .build/$configuration/anabranch && -x .build/$configuration/anabranchd ]]; then
        printf 'The programs are there, built for %s. What has changed since is built again.\n' \
            "$purpose"
    else
        printf 'Anabranch is built for %s. With two cores that takes %s minutes, once.\n' \
            "$purpose" "$minutes"
    fi >&2
    build "anabranch and anabranchd" --configuration "$configuration" --target Programs
    programs=$(swift build --configuration "$configuration" --show-bin-path)
}
