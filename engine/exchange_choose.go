package engine

import (
	"errors"

	"github.com/sealburst/sealburst/ciphers"
)

// ErrBadShare says that an implementation took a peer's share that it must refuse.
var ErrBadShare = errors.New("engine: self-test: a bad key share was accepted, or left bytes")

func (x *exchanger) take(group Algorithm, b *ciphers.Backend) {
	x.plans[group] = exchangePlan{bulk: b.Exchanges[group]}
}

// takeLone adds b for batches with up to limit entries of the group.
func (x *exchanger) takeLone(group Algorithm, b *ciphers.Backend, limit int) {
	x.plans[group].lone, x.plans[group].loneMax = b.Exchanges[group], limit
}

// supports chooses the group's implementation if that was not done yet.
func (x *exchanger) supports(group Algorithm) bool {
	return group.IsExchange() && x.plan(group).bulk != nil
}
