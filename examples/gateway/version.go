package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// version says what the program was built from, and by what.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "gateway, of an unknown version"
	}
	text := "gateway " + info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			text += " " + s.Value
		case "vcs.modified":
			if s.Value == "true" {
				text += " (modified)"
			}
		case "-tags":
			text += " tags=" + s.Value
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", text, info.GoVersion))
}
