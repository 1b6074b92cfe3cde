package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
)

// keygenCommand makes credentials.
type keygenCommand struct {
	Dir   string   `placeholder:"DIR" help:"Make NAME.pem and NAME.key in DIR, signed by the authority ca.pem there, which is made if it is missing."`
	PSK   string   `name:"psk" placeholder:"FILE" help:"Append a pre-shared key for each NAME to FILE."`
	Names []string `arg:"" name:"NAME" help:"Gateways: host names, IP addresses or plain names. A client checks that the server's is the name it was given."`
}

// Run makes certificates or pre-shared keys, and says which files it wrote.
func (c *keygenCommand) Run(env *environment) error {
	if (c.Dir == "") == (c.PSK == "") {
		return errors.New("keygen: name either a folder with -dir or a file with -psk")
	}
	var written []string
	var err error
	if c.PSK != "" {
		err = credentials.GeneratePSKs(c.PSK, c.Names)
		if err == nil {
			written = []string{c.PSK}
		}
	} else {
		written, err = credentials.Generate(c.Dir, c.Names)
	}
	if env.json {
		return errors.Join(err, json.NewEncoder(env.stdout).Encode(map[string][]string{"written": written}))
	}
	for _, path := range written {
		fmt.Fprintln(env.stdout, "wrote", path)
	}
	return err
}
