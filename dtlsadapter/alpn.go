package dtlsadapter

import (
	"reflect"

	"github.com/pion/dtls/v2"
)

// negotiatedProtocol reads what ALPN selected out of pion's connection. Its
// ConnectionState copies the state without this field, and the hellos that were seen
// on the wire prove nothing: only pion knows which ones its Finished covered.
func negotiatedProtocol(c *dtls.Conn) string {
	return reflect.ValueOf(c).Elem().FieldByName("state").FieldByName("NegotiatedProtocol").String()
}
