package ciphers

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAlgorithmNames(t *testing.T) {
	want := []string{
		"aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "aes-128-ccm", "aes-256-ccm", "chacha20-poly1305",
		"mask-aes-128", "mask-aes-256", "mask-chacha20",
	}
	var got []string
	for _, a := range Algorithms() {
		got = append(got, a.String())
		back, err := ParseAlgorithm(a.String())
		if back != a || err != nil {
			t.Errorf("ParseAlgorithm(%q) = %v, %v", a, back, err)
		}
	}
	if !slices.Equal(got[:len(want)], want) {
		t.Errorf("names %v, want %v and then the exchanges", got, want)
	}
	if len(got) != NumAlgorithms-1 {
		t.Errorf("NumAlgorithms is %d for %d algorithms", NumAlgorithms, len(got))
	}
}

func TestParseAlgorithmRefuses(t *testing.T) {
	for _, name := range []string{"", "AES-128-GCM", "aes-128-gcm ", "aes-128-ccm-8", "aes-128", "algorithm(0)", "des"} {
		a, err := ParseAlgorithm(name)
		if a != 0 || !errors.Is(err, ErrUnknownAlgorithm) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v, %v", name, a, err)
		}
	}
}

func TestInvalidAlgorithmsAreHarmless(t *testing.T) {
	for _, a := range []Algorithm{0, numAlgorithms, 255} {
		if a.Valid() || a.IsMask() || a.KeySize() != 0 || len(a.TagSizes())+len(a.NonceSizes()) != 0 || !strings.HasPrefix(a.String(), "algorithm(") {
			t.Errorf("%v is taken for an algorithm", a)
		}
	}
}

func TestSizesAreCopies(t *testing.T) {
	AES128GCM.TagSizes()[0] = 1
	AES128GCM.NonceSizes()[0] = 1
	if AES128GCM.TagSizes()[0] != 16 || AES128GCM.NonceSizes()[0] != 12 {
		t.Error("a caller can change what an algorithm allows")
	}
}

// TestStatusesSayWhatIsWrong wants a distinct name for every status and an error
// for every one but OK, which names a field where the caller is at fault.
func TestStatusesSayWhatIsWrong(t *testing.T) {
	fields := map[Status]string{
		StatusNone: "Status", StatusKey: "Key", StatusDirection: "Key", StatusPayload: "Len", StatusTailroom: "Buf",
		StatusTooLong: "Len", StatusPlain: "Plain", StatusOverlap: "Plain", StatusAAD: "AADOff", StatusIV: "IVOff",
		StatusSample: "SampleOff", StatusMaskRoom: "dst", StatusBurst: "packets",
	}
	seen := map[string]bool{}
	for s := StatusNone; s < numStatus; s++ {
		if name := s.String(); name == "" || seen[name] {
			t.Errorf("status %d is named %q", s, name)
		}
		seen[s.String()] = true
		err := s.Err()
		if (err == nil) != (s == StatusOK) {
			t.Errorf("%v: error %v", s, err)
		}
		if field, ok := fields[s]; ok && fieldOf(err) != field {
			t.Errorf("%v: %v, want field %s", s, err, field)
		}
	}
	if StatusAuth.Err() != ErrAuth || StatusKeyClosed.Err() != ErrKeyClosed {
		t.Error("StatusAuth and StatusKeyClosed have errors of their own")
	}
	if Status(200).Err() == nil || Status(200).String() != "status(200)" {
		t.Errorf("status 200: %v, %v", Status(200), Status(200).Err())
	}
}

func TestStatusErrorsDoNotAllocate(t *testing.T) {
	var err error
	if n := testing.AllocsPerRun(100, func() {
		for s := range numStatus {
			err = s.Err()
		}
	}); n != 0 {
		t.Errorf("%v allocations; last error %v", n, err)
	}
}

func TestIdentity(t *testing.T) {
	all := Identity(MaxBurst)
	for i, n := range all {
		if int(n) != i {
			t.Fatalf("position %d is %d", i, n)
		}
	}
	if len(Identity(0)) != 0 || len(Identity(7)) != 7 || cap(Identity(7)) != 7 {
		t.Error("Identity has another length or more room than asked for")
	}
}
