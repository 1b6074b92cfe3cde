package load

import (
	"errors"
	"runtime"
	"sync"
)

// inParallel calls f for 0 to n-1 on every processor. A million keys take their
// time, most of it in the system's page faults.
func inParallel(n int, f func(i int) error) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers && errs[w] == nil; i++ {
				errs[w] = f(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
