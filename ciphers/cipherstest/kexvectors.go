package cipherstest

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// agreement is a published Diffie-Hellman vector. public, where the source gives
// it, is the share of private.
type agreement struct {
	group                         ciphers.Algorithm
	name                          string
	private, public, peer, secret string
}

var agreements = []agreement{
	{ciphers.X25519, "RFC 7748 section 5.2, first",
		"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", "",
		"e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
		"c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
	{ciphers.X25519, "RFC 7748 section 5.2, second",
		"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d", "",
		"e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
		"95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
	{ciphers.X25519, "RFC 7748 section 6.1",
		"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
		"8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
		"de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
		"4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
	{ciphers.X448, "RFC 7748 section 5.2, first",
		"3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121700a779c984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3", "",
		"06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9814dc031ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086",
		"ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239fe14fbaadeb445fc66a01b0779d98223961111e21766282f73dd96b6f"},
	{ciphers.P256, "NIST CAVS 14.1, ECC CDH primitive",
		"7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534",
		"04ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b23028af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141",
		"04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac",
		"46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"},
	{ciphers.P384, "NIST CAVS 14.1, ECC CDH primitive",
		"3cc3122a68f0d95027ad38c067916ba0eb8c38894d22e1b15618b6818a661774ad463b205da88cf699ab4d43c9cf98a1",
		"049803807f2f6d2fd966cdd0290bd410c0190352fbec7ff6247de1302df86f25d34fe4a97bef60cff548355c015dbb3e5f" +
			"ba26ca69ec2f5b5d9dad20cc9da711383a9dbe34ea3fa5a2af75b46502629ad54dd8b7d73a8abb06a3a3be47d650cc99",
		"04a7c76b970c3b5fe8b05d2838ae04ab47697b9eaf52e764592efda27fe7513272734466b400091adbf2d68c58e0c50066" +
			"ac68f19f2e1cb879aed43a9969b91a0839c4c38a49749b661efedf243451915ed0905a32b060992b468c64766fc8437a",
		"5f9d29dc5e31a163060356213669c8ce132e22f57c9a04f40ba7fcead493b457e5621e766c40a2e3d4d6a04b25e533f1"},
	{ciphers.P521, "NIST CAVS 14.1, ECC CDH primitive",
		"017eecc07ab4b329068fba65e56a1f8890aa935e57134ae0ffcce802735151f4eac6564f6ee9974c5e6887a1fefee5743ae2241bfeb95d5ce31ddcb6f9edb4d6fc47",
		"0400602f9d0cf9e526b29e22381c203c48a886c2b0673033366314f1ffbcba240ba42f4ef38a76174635f91e6b4ed34275eb01c8467d05ca80315bf1a7bbd945f550a5" +
			"01b7c85f26f5d4b2d7355cf6b02117659943762b6d1db5ab4f1dbc44ce7b2946eb6c7de342962893fd387d1b73d7a8672d1f236961170b7eb3579953ee5cdc88cd2d",
		"0400685a48e86c79f0f0875f7bc18d25eb5fc8c0b07e5da4f4370f3a9490340854334b1e1b87fa395464c60626124a4e70d0f785601d37c09870ebf176666877a2046d" +
			"01ba52c56fc8776d9e8f5db4f0cc27636d0b741bbe05400697942e80b739884a83bde99e0f6716939e632bc8986fa18dccd443a348b6c3e522497955a4f3c302f676",
		"005fc70477c3e63bc3954bd0df3ea0d1f41ee21746ed95fc5e1fdf90930d5e136672d72cc770742d1711c3c3a4c334a0ad9759436a4d3c5bf6e74b9578fac148c831"},
}

func testKexKnownAnswers(t *testing.T, s kexSubject) {
	ran := 0
	for _, a := range agreements {
		if a.group == s.group {
			ran++
			t.Run(a.name, func(t *testing.T) { s.agrees(t, &a) })
		}
	}
	if ran == 0 {
		t.Logf("no RFC or SP has a short vector of %v; the oracle is apart from the implementation, and ML-KEM has Wycheproof's", s.group)
	}
	if s.group == ciphers.X25519 || s.group == ciphers.X448 {
		testKexIterated(t, s)
	}
}

func (s kexSubject) agrees(t *testing.T, a *agreement) {
	x := s.room()
	x.Private, x.Public = unhex(t, a.private), unhex(t, a.peer)
	if st := s.one(ciphers.OpDerive, x); st != ciphers.StatusOK || !bytes.Equal(x.Secret, unhex(t, a.secret)) {
		t.Errorf("%v, secret %x", st, x.Secret)
	}
	if a.public == "" {
		return
	}
	x.Seed = unhex(t, a.private)
	if st := s.one(ciphers.OpGenerate, x); st != ciphers.StatusOK || !bytes.Equal(x.Public, unhex(t, a.public)) {
		t.Errorf("%v, public %x", st, x.Public)
	}
}

// iterated are the results of RFC 7748 section 5.2 after 1, 1,000 and 1,000,000 iterations.
var iterated = map[ciphers.Algorithm]map[int]string{
	ciphers.X25519: {
		1:         "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
		1_000:     "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
		1_000_000: "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
	},
	ciphers.X448: {
		1:         "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a4d23a8cd0db897086239492caf350b51f833868b9bc2b3bca9cf4113",
		1_000:     "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4af6c67cf10d087202db88286e2b79fceea3ec353ef54faa26e219f38",
		1_000_000: "077f453681caca3693198420bbe515cae0002472519b3e67661a7e89cab94695c8f4bcd66e61b9b9c946da8d524de3d69bd9d9d66b997e37",
	},
}

func testKexIterated(t *testing.T, s kexSubject) { TestIterated(t, s.group, s.impl, 1_000) }

// TestIterated runs the iterated test of RFC 7748 section 5.2 on an
// implementation of X25519 or X448, and compares wherever the RFC has a result.
func TestIterated(t *testing.T, group ciphers.Algorithm, impl ciphers.Exchanger, iterations int) {
	s := kexSubject{group, impl}
	x := s.room()
	clear(x.Private)
	x.Private[0] = 9
	if group == ciphers.X448 {
		x.Private[0] = 5
	}
	copy(x.Public, x.Private)
	for i := 1; i <= iterations; i++ {
		if st := s.one(ciphers.OpDerive, x); st != ciphers.StatusOK {
			t.Fatalf("iteration %d: %v", i, st)
		}
		copy(x.Public, x.Private)
		copy(x.Private, x.Secret)
		if want, ok := iterated[group][i]; ok && !bytes.Equal(x.Secret, unhex(t, want)) {
			t.Fatalf("after %d iterations: %x", i, x.Secret)
		}
	}
}
