// Package race says whether the race detector runs. Under it sync.Pool forgets at
// random, so that tests count no allocations.
package race
