package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sealburst/sealburst/quicadapter"
)

// Run probes a server. The result is what was found out, whatever the error, which is nil
// when every ping was answered. When the server does not speak the version asked for and
// offers the other one, the probe begins again with that.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	result, err := attempt(ctx, &cfg, cfg.Version, cfg.Version)
	var o *offer
	if !errors.As(err, &o) {
		return result, err
	}
	other := quicadapter.Version1
	if cfg.Version == quicadapter.Version1 {
		other = quicadapter.Version2
	}
	if !slices.Contains(o.versions, other) {
		return result, fmt.Errorf("%w: %w", ErrVersions, err)
	}
	result, err = attempt(ctx, &cfg, other, cfg.Version)
	if errors.As(err, &o) {
		err = fmt.Errorf("%w: %w", ErrVersions, err)
	}
	return result, err
}

func attempt(ctx context.Context, cfg *Config, version, first quicadapter.Version) (*Result, error) {
	s, err := newSession(cfg, version, first)
	if err != nil {
		return &Result{}, err
	}
	defer s.close()
	err = s.run(ctx)
	return &s.result, err
}
