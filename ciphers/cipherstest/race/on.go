//go:build race

package race

// Enabled is true: a race detector runs.
const Enabled = true
