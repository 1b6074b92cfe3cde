//go:build !amd64 || purego

package chachapoly

func tiers() []tier { return []tier{{"std", Std(), 0}} }
