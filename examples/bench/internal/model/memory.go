package model

import (
	"bytes"
	"runtime"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
)

// Memory measures what a session takes: its two halves with their keys alone, as
// in a data path, and a whole connection with its transport, goroutines and
// handshake state.
func Memory(kind *Kind, halves, connections int) ([]Row, error) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	bare, err := memoryOf(halves, func() (func(), error) { return newHalves(e) })
	if err != nil {
		return nil, err
	}
	whole, err := memoryOf(connections, func() (func(), error) {
		c, err := kind.connect(e)
		if err != nil {
			return nil, err
		}
		return c.close, nil
	})
	if err != nil {
		return nil, err
	}
	return []Row{
		{Kind: KindMemory, Name: "halves and keys", Sessions: halves, Value: bare, Unit: "bytes a session"},
		{Kind: KindMemory, Name: "connection, one side", Sessions: connections, Value: whole / 2, Unit: "bytes a session"},
	}, nil
}

// newHalves makes a session without a handshake.
func newHalves(e *engine.Engine) (closer func(), err error) {
	k := dtlsadapter.Keys{
		Suite: dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, Epoch: 1,
		Key: bytes.Repeat([]byte{1}, 16), IV: bytes.Repeat([]byte{2}, 4),
	}
	out, err := dtlsadapter.NewOutbound(e, k)
	if err != nil {
		return nil, err
	}
	in, err := dtlsadapter.NewInbound(e, k, 0)
	if err != nil {
		out.Close()
		return nil, err
	}
	return func() { out.Close(); in.Close() }, nil
}

// memoryOf is how many bytes of heap and stacks each of n things takes, and ends them.
func memoryOf(n int, open func() (func(), error)) (float64, error) {
	closers := make([]func(), 0, n)
	defer func() {
		for _, f := range closers {
			f()
		}
	}()
	before := inUse()
	for range n {
		f, err := open()
		if err != nil {
			return 0, err
		}
		closers = append(closers, f)
	}
	return float64(inUse()-before) / float64(n), nil
}

func inUse() int64 {
	runtime.GC()
	runtime.GC() // what the first one's finalizers freed
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
