package replay_test

import (
	"fmt"

	"github.com/sealburst/sealburst/record/replay"
)

func ExampleWindow() {
	var w replay.Window // remembers 64 numbers
	for _, number := range []uint64{3, 5, 4, 4, 100, 5} {
		if w.Check(number) == replay.Fresh {
			// … authenticate the record, and only then:
			w.Accept(number)
			fmt.Println(number, "delivered")
		} else {
			fmt.Println(number, w.Check(number))
		}
	}
	// Output:
	// 3 delivered
	// 5 delivered
	// 4 delivered
	// 4 duplicate
	// 100 delivered
	// 5 too old
}
