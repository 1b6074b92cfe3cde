package ciphers

// Encryption is the cipher part of an algorithm that encrypts and then computes
// an HMAC. The zero value is none of them.
type Encryption uint8

// The cipher parts. Those from NullEncryption on are legacy.
const (
	AES128CBC      Encryption = iota + 1 // RFC 3602
	AES192CBC                            // RFC 3602
	AES256CBC                            // RFC 3602
	AES128CTR                            // RFC 3686
	AES192CTR                            // RFC 3686
	AES256CTR                            // RFC 3686
	IntegrityOnly                        // no payload: the ICV covers associated data alone, as in AH (RFC 4302)
	NullEncryption                       // RFC 2410: the payload is authenticated and not encrypted
	TripleDESCBC                         // RFC 2451
	DESCBC                               // RFC 2405
	BlowfishCBC                          // RFC 2451, with keys of 128 bits
	numEncryptions
)

// Integrity is the HMAC part of an algorithm, with its key and its ICV as ESP
// and AH have them. The zero value is none of them.
type Integrity uint8

// The HMAC parts. Those from HMACSHA1 on are legacy.
const (
	HMACSHA256 Integrity = iota + 1 // HMAC-SHA-256-128, RFC 4868
	HMACSHA384                      // HMAC-SHA-384-192, RFC 4868
	HMACSHA512                      // HMAC-SHA-512-256, RFC 4868
	HMACSHA1                        // HMAC-SHA-1-96, RFC 2404
	HMACMD5                         // HMAC-MD5-96, RFC 2403
	numIntegrities
)

var encryptions = [numEncryptions]struct {
	name  string
	key   int
	form  NonceForm // the only one that it takes
	nonce int       // bytes
	block int       // of which payloads are a multiple; 1 for any length
}{
	AES128CBC:      {"aes-128-cbc-", 16, NonceDrawn, 16, 16},
	AES192CBC:      {"aes-192-cbc-", 24, NonceDrawn, 16, 16},
	AES256CBC:      {"aes-256-cbc-", 32, NonceDrawn, 16, 16},
	AES128CTR:      {"aes-128-ctr-", 16, NonceExplicit, 12, 1},
	AES192CTR:      {"aes-192-ctr-", 24, NonceExplicit, 12, 1},
	AES256CTR:      {"aes-256-ctr-", 32, NonceExplicit, 12, 1},
	IntegrityOnly:  {"", 0, 0, 0, 1},
	NullEncryption: {"null-", 0, 0, 0, 1},
	TripleDESCBC:   {"3des-cbc-", 24, NonceDrawn, 8, 8},
	DESCBC:         {"des-cbc-", 8, NonceDrawn, 8, 8},
	BlowfishCBC:    {"blowfish-cbc-", 16, NonceDrawn, 8, 8},
}

var integrities = [numIntegrities]struct {
	name string
	key  int // bytes, of which RFC 4868 section 2.1.1 allows no other number
	icv  int // bytes
}{
	HMACSHA256: {"hmac-sha-256-128", 32, 16},
	HMACSHA384: {"hmac-sha-384-192", 48, 24},
	HMACSHA512: {"hmac-sha-512-256", 64, 32},
	HMACSHA1:   {"hmac-sha-1-96", 20, 12},
	HMACMD5:    {"hmac-md5-96", 16, 12},
}

// numPairs is every cipher part with every HMAC part.
const numPairs = Algorithm(numEncryptions-1) * Algorithm(numIntegrities-1)

// EncryptThenMAC is the algorithm of two parts, such as
// "aes-128-cbc-hmac-sha-256-128", and zero when a part is not one of the
// constants.
//
// Such an algorithm is one number like every other, so that pins, reports and
// tables know no second kind; the numbers are computed and not named, since
// there are as many as pairs. It is an AEAD in shape: sealing encrypts the
// payload and appends the ICV, which covers the associated data, the explicit
// IV at IVOff, the ciphertext and, under a key with KeySpec.ESN, Packet.High
// (RFC 4303 section 2.8). Payloads under CBC are whole blocks; padding is the
// caller's. Under IntegrityOnly Len is 0 when sealing and the ICV goes to Off: for
// AH, what precedes the ICV is Prefix, with the mutable fields zero, and what
// follows it is the range of associated data.
func EncryptThenMAC(e Encryption, i Integrity) Algorithm {
	if e == 0 || e >= numEncryptions || i == 0 || i >= numIntegrities {
		return 0
	}
	return firstPair + Algorithm(e-1)*Algorithm(numIntegrities-1) + Algorithm(i-1)
}

func (a Algorithm) isPair() bool { return a >= firstPair && a < numAlgorithms }

// Encryption is the cipher part of an algorithm of two, else zero.
func (a Algorithm) Encryption() Encryption {
	if !a.isPair() {
		return 0
	}
	return Encryption((a-firstPair)/Algorithm(numIntegrities-1)) + 1
}

// Integrity is the HMAC part of an algorithm of two, else zero.
func (a Algorithm) Integrity() Integrity {
	if !a.isPair() {
		return 0
	}
	return Integrity((a-firstPair)%Algorithm(numIntegrities-1)) + 1
}

// AuthKeySize is the length of the HMAC part's key in bytes; 0 without one.
func (a Algorithm) AuthKeySize() int { return integrities[a.Integrity()].key }

// IVForm is the only form of nonce that an algorithm of two parts takes, and 0
// when it takes none, as a mask or an algorithm without encryption.
func (a Algorithm) IVForm() NonceForm { return encryptions[a.Encryption()].form }

// BlockSize is the number of bytes of which payloads are a multiple: 16 or 8
// under CBC, else 1.
func (a Algorithm) BlockSize() int { return max(1, encryptions[a.Encryption()].block) }

// IsLegacy reports whether a is there to talk to old equipment and to measure:
// DES, 3DES, Blowfish, NULL encryption, and HMAC with MD5 or SHA-1.
func (a Algorithm) IsLegacy() bool {
	return a.Encryption() >= NullEncryption || a.Integrity() >= HMACSHA1
}

// withPairs adds the traits of all pairs to those of the listed algorithms.
func withPairs(all [numAlgorithms]traits) [numAlgorithms]traits {
	for a := firstPair; a < numAlgorithms; a++ {
		e, i := &encryptions[a.Encryption()], &integrities[a.Integrity()]
		all[a] = traits{name: e.name + i.name, keySize: e.key, tags: []int{i.icv}}
		if e.nonce != 0 {
			all[a].nonces = []int{e.nonce}
		}
	}
	return all
}
