module github.com/sealburst/sealburst

go 1.26.4

require (
	filippo.io/bigmod v0.1.0
	github.com/c2sp/wycheproof v0.0.0-20260902155932-3fa63dd0344a
	github.com/cloudflare/circl v1.6.5
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/pion/dtls/v2 v2.2.12
	go.uber.org/goleak v1.3.0
	golang.org/x/crypto v0.59.0
	golang.org/x/sys v0.50.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/pion/logging v0.2.2 // indirect
	github.com/pion/transport/v2 v2.2.4 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/net v0.62.0 // indirect
)
