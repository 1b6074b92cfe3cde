package engine

import "github.com/sealburst/sealburst/ciphers"

// knownAnswers are the SHA-256 digests that selfTest expects. The test
// TestKnownAnswersAreTheLibraries makes each of them anew from the standard
// library, golang.org/x/crypto and pion, without this package's code.
var knownAnswers = [ciphers.NumAlgorithms]string{}
