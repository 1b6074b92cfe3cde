package main

// task is something to do between the rounds of AES: not before wave from, and until
// wave by is over. Tasks come in order.
type task struct {
	steps    []step
	from, by int
}

// inOrder has tasks for a quad that is one wave.
func inOrder(all ...[]step) (tasks []task) {
	for _, steps := range all {
		tasks = append(tasks, task{steps: steps})
	}
	return tasks
}

// take takes what falls on a wave of so many: an equal share, or what must be done.
func take(tasks *[]task, wave, waves int) (steps []step) {
	left, due := 0, 0
	for _, t := range *tasks {
		if left += len(t.steps); t.by <= wave {
			due = left
		}
	}
	share := max(due, (left+waves-wave-1)/(waves-wave))
	for len(*tasks) > 0 && len(steps) < share && (*tasks)[0].from <= wave {
		t := &(*tasks)[0]
		n := min(len(t.steps), share-len(steps))
		steps, t.steps = append(steps, t.steps[:n]...), t.steps[n:]
		if len(t.steps) == 0 {
			*tasks = (*tasks)[1:]
		}
	}
	if len(steps) < due {
		panic("a task is due before it may begin")
	}
	return steps
}

// merge puts more between steps, evenly.
func merge(steps, more []step) (all []step) {
	for i, s := range more {
		all = append(all, steps[len(steps)*i/len(more):len(steps)*(i+1)/len(more)]...)
		all = append(all, s)
	}
	return all
}
