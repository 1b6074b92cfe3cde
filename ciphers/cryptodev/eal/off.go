//go:build !dpdk || !cgo

package eal

func start([]string) (Report, error) { return Report{}, ErrUnavailable }
func plug(string) error              { return ErrUnavailable }
func unplug(string) error            { return ErrUnavailable }
func register() error                { return ErrUnavailable }
func unregister()                    {}
func version() string                { return "" }
