package metrics

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/sealburst/sealburst/examples/gateway/internal/steps"
)

func TestStepsAreSeconds(t *testing.T) {
	c := Steps(func() []steps.Time { return []steps.Time{{Way: "out", Step: "seal", Packets: 4_000_000, NS: 25}} })
	want := `
# HELP sealburst_gateway_step_packets_total Packets that took a step.
# TYPE sealburst_gateway_step_packets_total counter
sealburst_gateway_step_packets_total{direction="out",step="seal"} 4e+06
# HELP sealburst_gateway_step_seconds_total Time that a step of packets took.
# TYPE sealburst_gateway_step_seconds_total counter
sealburst_gateway_step_seconds_total{direction="out",step="seal"} 0.1
`
	if err := testutil.CollectAndCompare(c, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
