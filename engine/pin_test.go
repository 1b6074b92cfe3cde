package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// pinned are the backends that the tests of pins choose from: a has GCM and CCM,
// b has GCM alone, c is the best and cannot run here, d fails the self-test.
func pinned(t *testing.T) []*ciphers.Backend {
	a, b := fake(t, "a", 3, ciphers.AES128GCM, ciphers.AES128CCM), fake(t, "b", 2, ciphers.AES128GCM)
	c, d := fake(t, "c", 9, ciphers.AES128GCM), fake(t, "d", 1, ciphers.AES128GCM)
	c.Requires = cpu.AVX512F
	d.AEADs[ciphers.AES128GCM] = &broken{AEAD: d.AEADs[ciphers.AES128GCM], seal: flipFirst}
	return []*ciphers.Backend{a, b, c, d}
}

type pinCase struct {
	name string
	all  string               // Config.Backend
	each map[Algorithm]string // Config.Backends
	env  string
	gcm  string // who serves, and who ccm
	ccm  string
	err  []string // what the error says instead
	is   error
}

var gcmBy = func(name string) map[Algorithm]string { return map[Algorithm]string{ciphers.AES128GCM: name} }

var pinCases = []pinCase{
	{name: "none", gcm: "a", ccm: "a"},
	{name: "program, all", all: "b", gcm: "b", ccm: "a"},
	{name: "program, one", each: gcmBy("b"), gcm: "b", ccm: "a"},
	{name: "program, one before all", all: "a", each: gcmBy("b"), gcm: "b", ccm: "a"},
	{name: "operator, all", env: "b", gcm: "b", ccm: "a"},
	{name: "operator, one", env: "aes-128-gcm=b", gcm: "b", ccm: "a"},
	{name: "operator, all and one", env: " a , aes-128-gcm = b ,", gcm: "b", ccm: "a"},
	{name: "operator, twice the same", env: "b,b,aes-128-gcm=b,aes-128-gcm=b", gcm: "b", ccm: "a"},
	{name: "both agree", all: "b", env: "aes-128-gcm=b", gcm: "b", ccm: "a"},
	{name: "operator pins what the program leaves", each: gcmBy("b"), env: "aes-128-ccm=a", gcm: "b", ccm: "a"},
	{name: "operator pins all, of which the backend lacks what the program pins", each: map[Algorithm]string{ciphers.AES128CCM: "a"}, env: "b", gcm: "b", ccm: "a"},

	{name: "unknown, program, all", all: "zz", err: []string{`"zz" from Config`, "this build has c, a, b, d"}, is: ErrUnknownBackend},
	{name: "unknown, program, one", each: gcmBy("zz"), err: []string{`"aes-128-gcm=zz" from Config`}, is: ErrUnknownBackend},
	{name: "empty, program, one", each: gcmBy(""), err: []string{`"aes-128-gcm=" from Config`}, is: ErrUnknownBackend},
	{name: "unknown, operator, all", env: "zz", err: []string{`"zz" from SEALBURST_BACKEND`}, is: ErrUnknownBackend},
	{name: "unknown, operator, one", env: "aes-128-gcm=zz", err: []string{`"aes-128-gcm=zz" from SEALBURST_BACKEND`}, is: ErrUnknownBackend},
	{name: "empty, operator, one", env: "aes-128-gcm=", err: []string{`"aes-128-gcm=" from SEALBURST_BACKEND`}, is: ErrUnknownBackend},
	{name: "unknown algorithm, operator", env: "aes-512-gcm=a", err: []string{`"aes-512-gcm=a"`}, is: ciphers.ErrUnknownAlgorithm},
	{name: "unknown algorithm, program", each: map[Algorithm]string{200: "a"}, err: []string{"algorithm(200)"}, is: ciphers.ErrUnknownAlgorithm},
	{name: "lacks the algorithm, program", each: map[Algorithm]string{ciphers.AES128CCM: "b"}, err: []string{`"aes-128-ccm=b" from Config`}, is: errLacks},
	{name: "lacks the algorithm, operator", env: "aes-128-ccm=b", err: []string{`"aes-128-ccm=b" from SEALBURST_BACKEND`}, is: errLacks},
	{name: "cannot run, program, all", all: "c", err: []string{`"c" from Config: aes-128-gcm: the processor lacks avx512f`}},
	{name: "cannot run, program, one", each: gcmBy("c"), err: []string{`"aes-128-gcm=c" from Config: the processor lacks avx512f`, "the processor lacks avx512f"}},
	{name: "cannot run, operator, all", env: "c", err: []string{`"c" from SEALBURST_BACKEND: aes-128-gcm: the processor lacks avx512f`}},
	{name: "fails the self-test", all: "d", err: []string{`"d" from Config: aes-128-gcm: `}, is: ErrKnownAnswer},

	{name: "operator contradicts itself, all", env: "a,b", err: []string{`"b"`, "a is pinned for all too"}},
	{name: "operator contradicts itself, one", env: "aes-128-gcm=a,aes-128-gcm=b", err: []string{`"aes-128-gcm=b"`, "a is pinned too"}},
	{name: "contradiction, one and one", each: gcmBy("a"), env: "aes-128-gcm=b", err: []string{`"aes-128-gcm=b" from SEALBURST_BACKEND`, "the program pins a"}},
	{name: "contradiction, all and all", all: "a", env: "b", err: []string{`"b" from SEALBURST_BACKEND: aes-128-gcm: `, "the program pins a"}},
	{name: "contradiction, one and all", each: gcmBy("a"), env: "b", err: []string{"the program pins a"}},
	{name: "contradiction, all and one", all: "a", env: "aes-128-gcm=b", err: []string{"the program pins a"}},
}

func TestPins(t *testing.T) {
	for _, c := range pinCases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(EnvBackend, c.env)
			e, err := newOn(0, Config{Backend: c.all, Backends: c.each, Available: pinned(t)})
			if c.err != nil {
				c.checkError(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if gcm, ccm := serving(t, e, ciphers.AES128GCM), serving(t, e, ciphers.AES128CCM); gcm != c.gcm || ccm != c.ccm {
				t.Errorf("GCM by %s, CCM by %s; want %s, %s", gcm, ccm, c.gcm, c.ccm)
			}
		})
	}
}

func (c *pinCase) checkError(t *testing.T, err error) {
	t.Helper()
	var pin *PinError
	if !errors.Is(err, ErrPin) || !errors.As(err, &pin) {
		t.Fatalf("error %v is no PinError", err)
	}
	if c.is != nil && !errors.Is(err, c.is) {
		t.Errorf("error %v is no %v", err, c.is)
	}
	for _, want := range c.err {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestEnvironmentIsIgnoredOnRequest(t *testing.T) {
	t.Setenv(EnvBackend, "zz")
	e := only(t, fake(t, "a", 1, ciphers.AES128GCM))
	if got := serving(t, e, ciphers.AES128GCM); got != "a" {
		t.Errorf("%s serves, want a", got)
	}
}

func TestPinTakesNoOtherBackendForLonePackets(t *testing.T) {
	bulk, other := fake(t, "bulk", 2, ciphers.AES128GCM), fake(t, "other", 1, ciphers.AES128GCM)
	bulk.Lone = map[Algorithm]int{ciphers.AES128GCM: 4}
	e := mustNew(t, Config{Backend: "bulk", Available: []*ciphers.Backend{bulk, other}, IgnoreEnvironment: true})
	seen(other, ciphers.AES128GCM)
	e.Seal(sealable(mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), 1))
	if n := len(seen(other, ciphers.AES128GCM)); n != 0 {
		t.Errorf("the other backend was called %d times", n)
	}
}

// TestUnknownBackendNamesItsBuildTag asks for what this build may lack.
func TestUnknownBackendNamesItsBuildTag(t *testing.T) {
	for name, tag := range map[string]string{"openssl": "openssl", "ipsecmb": "ipsecmb", "crypto_aesni_gcm0": "dpdk", "zz": ""} {
		if tag != builtin.Tag(name) {
			continue // this build has it
		}
		t.Setenv(EnvBackend, name)
		_, err := New(Config{Available: pinned(t)})
		if !errors.Is(err, ErrUnknownBackend) || strings.Contains(err.Error(), name+" needs cgo and -tags "+tag) != (tag != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNamedDeviceThatIsNotThereMakesNewFail has one that this build cannot have, and
// one that cannot run.
func TestNamedDeviceThatIsNotThereMakesNewFail(t *testing.T) {
	broken, good := fake(t, "card", -5, ciphers.AES128GCM), fake(t, "good", 1, ciphers.AES128GCM)
	gone := errors.New("no such card")
	broken.Probe = func() error { return gone }
	config := Config{Available: []*ciphers.Backend{broken, good}}
	t.Setenv(EnvDevices, " good,queues=2  card,queues=1 ")
	var wrong *NamedDeviceError
	if _, err := New(config); !errors.As(err, &wrong) || wrong.Device != "card" || !errors.Is(err, gone) {
		t.Errorf("a device that cannot run: %v", err)
	}
	t.Setenv(EnvDevices, "nosuch0")
	_, err := New(config)
	if none := builtin.DeviceTag != ""; errors.As(err, &wrong) != none || none && !strings.Contains(err.Error(), `"nosuch0" from SEALBURST_CRYPTODEV: engine: unknown backend: nosuch0 needs cgo and -tags dpdk`) {
		t.Errorf("a device that this build lacks: %v", err)
	}
	config.IgnoreEnvironment = true
	if _, err := New(config); err != nil {
		t.Errorf("unread: %v", err)
	}
}
