// Package builtin is the list of backends that this build has. A new backend is
// named here and nowhere else.
package builtin

import (
	"slices"

	"github.com/sealburst/sealburst/ciphers"
)

// Backends are the backends of this build, the best first.
func Backends() []*ciphers.Backend {
	return slices.Concat(vector(), intel(), exchanges(), []*ciphers.Backend{std()}, evp(), devices())
}
