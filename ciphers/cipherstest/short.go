package cipherstest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// testShortPayloads packs payloads of 0 to 17 bytes so closely that what
// follows a tag is the next packet's payload. A library's GCM once zeroed bytes
// behind a 12-byte tag.
func testShortPayloads(t *testing.T, s subject) {
	for _, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("short payloads " + f.String())
			k := s.newKeys(t, f, w.src)
			for _, apart := range []bool{false, true} {
				var records []record
				for n := range 2 * 18 {
					r := w.record(k, n%18)
					r.gap, r.ranged, r.apart = 0, nil, apart
					records = append(records, r.write())
				}
				s.both(t, records)
			}
		})
	}
}

// testShortRemainder opens packets with fewer bytes than a tag, between good
// ones. How long the tag is, the key says and not the input.
func testShortRemainder(t *testing.T, s subject) {
	for _, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("short remainder " + f.String())
			k := s.newKeys(t, f, w.src)
			var records []record
			for range 2*f.tag + 1 {
				records = append(records, w.record(k, 40).write())
			}
			scene := newScene(ciphers.Opening, records)
			for n := range f.tag {
				scene.packets[2*n+1].Len = uint32(n)
				scene.refuse(2*n+1, ciphers.StatusPayload)
			}
			scene.run(t, s.impl, Run{})
		})
	}
}

// testSpareRoom leaves room behind tags and plaintexts, which stays as it is.
func testSpareRoom(t *testing.T, s subject) {
	for _, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("spare room " + f.String())
			k := s.newKeys(t, f, w.src)
			for _, spare := range []int{7, 64} {
				var records []record
				for i, n := range append(edgeLengths, edgeLengths...) {
					r := w.record(k, n)
					r.spare, r.apart = spare, i < len(edgeLengths)
					records = append(records, r.write())
				}
				s.both(t, records)
			}
		})
	}
}
