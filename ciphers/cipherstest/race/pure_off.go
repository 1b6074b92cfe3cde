//go:build !purego

package race

const pure = false
