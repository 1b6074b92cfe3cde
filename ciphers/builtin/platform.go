package builtin

import "github.com/sealburst/sealburst/ciphers"

// platform lists the backends that this build has beside std.
func platform() []*ciphers.Backend { return nil }
