//go:build !race

package race

// Enabled is false: no race detector runs.
const Enabled = false
