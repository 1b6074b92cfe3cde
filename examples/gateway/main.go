// Command gateway is a VPN gateway on the Sealburst engine. Without arguments it
// shows two gateways back to back; see gateway -help for the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// environment is what a command runs in.
type environment struct {
	ctx            context.Context
	stdout, stderr io.Writer
	json           bool
	command        string // its name
}

// errUsage says that the arguments made no sense; it has been told already.
var errUsage = errors.New("usage")

// run does what the arguments say and returns the exit code: 0, or 1 after one
// line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "gateway: interrupted")
	case !errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "gateway: %s\n", oneLine(err))
	}
	return 1
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c commands
	helped := false
	parser, err := kong.New(&c, kong.Name("gateway"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }), helpVariables())
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(normalise(args))
	if helped {
		return nil
	}
	if err != nil {
		fmt.Fprintf(stderr, "gateway: %v (gateway -help says more)\n", unknownCommand(parser, args, err))
		return errUsage
	}
	return parsed.Run(&environment{ctx, stdout, stderr, c.JSON, parsed.Selected().Name})
}

// unknownCommand says which commands there are, if the first word is none. The parser takes
// it for an argument of the command that need not be named.
func unknownCommand(parser *kong.Kong, args []string, err error) error {
	if len(args) == 0 || !strings.HasPrefix(err.Error(), "unexpected argument "+args[0]) {
		return err
	}
	var names []string
	for _, command := range parser.Model.Children {
		if command.Name == args[0] {
			return err
		}
		names = append(names, command.Name)
	}
	return fmt.Errorf("unknown command %s: it is none of %s", args[0], strings.Join(names, ", "))
}
