// Package race says what a build does to tests that count allocations or time.
package race

// Uncounted is true where allocations are not worth counting: under the race
// detector sync.Pool forgets at random, and with the build tag purego
// golang.org/x/crypto allocates in every call.
const Uncounted = Enabled || pure
