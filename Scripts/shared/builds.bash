# What the scripts share about building. To be read with `source`, from the package's folder.

# Where the scripts leave the whole output of builds and tests.
readonly log_folder=.build/logs

# build WHAT ARGUMENT...: runs `swift build` with the arguments and says in one line on standard
# error what is built and how long it took. The compiler's output goes to a file, and is printed
# only when the build fails; then the function fails, too.
build() {
    local what=$1 output start=$SECONDS
    shift
    mkdir -p "$log_folder"
    output=$log_folder/build-${what//[^A-Za-z0-9]/-}.log
    printf 'Building %s (the first build takes some minutes) … ' "$what" >&2
    if swift build "$@" >"$output" 2>&1; then
        printf '%d s\n' $((SECONDS - start)) >&2
    else
        printf 'failed after %d s:\n\n' $((SECONDS - start)) >&2
        # The compiler repeats what it says of a file for each file of the same batch.
        awk '/^\[[0-9]+\/[0-9]+\] / { next } ++lines <= 120' "$output" >&2
        printf '\nThe whole output: %s\n' "$output" >&2
        return 1
    fi
}
