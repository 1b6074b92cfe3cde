package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/dataplane"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
)

// dpdkDevices are the two devices of a gateway and the memory that they share.
type dpdkDevices struct {
	pool                         *dpdk.Pool
	plain, protected             *dpdk.Device
	plainQueues, protectedQueues []ethernet.Queue
	spreaders                    []*dataplane.Spreader
}

// open makes both devices ready.
func (c *dpdkCommand) open() (*dpdkDevices, error) {
	pool, err := dpdk.NewPool(c.Buffers, max(c.Plain.MTU, c.Protected.MTU), c.Plain.Device, c.Protected.Device)
	if err != nil {
		return nil, err
	}
	d := &dpdkDevices{pool: pool}
	if d.plain, d.plainQueues, err = d.openSide(c, &c.Plain); err == nil {
		d.protected, d.protectedQueues, err = d.openSide(c, &c.Protected)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// openSide opens one device, with a queue for each worker.
func (d *dpdkDevices) openSide(c *dpdkCommand, f *sideFlags) (*dpdk.Device, []ethernet.Queue, error) {
	device, err := dpdk.Open(dpdk.Config{
		Name: f.Device, Queues: c.Workers, MTU: f.MTU, Pool: d.pool, Promiscuous: f.MAC != "" || len(f.Address) == 0,
	})
	if err != nil {
		return nil, nil, err
	}
	var queues []ethernet.Queue
	for i := range c.Workers {
		queues = append(queues, device.Queue(i))
	}
	if device.ReceivingQueues() < c.Workers {
		var s *dataplane.Spreader
		queues, s = dataplane.Spread(queues)
		d.spreaders = append(d.spreaders, s)
	}
	return device, queues, nil
}

// close gives everything back. The gateway is over.
func (d *dpdkDevices) close() (err error) {
	for _, s := range d.spreaders {
		s.Drain()
	}
	for _, device := range []*dpdk.Device{d.plain, d.protected} {
		if device != nil {
			err = errors.Join(err, device.Close())
		}
	}
	if n := d.pool.Used(); n != 0 {
		err = errors.Join(err, fmt.Errorf("%d buffers did not come back", n))
	}
	d.pool.Close()
	return err
}

// await waits until both devices have their link, or for so long.
func (d *dpdkDevices) await(ctx context.Context, patience time.Duration) {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(linkPoll) {
		if d.plain.Up() && d.protected.Up() {
			return
		}
	}
}

const linkPoll = 10 * time.Millisecond

// losses are what the devices lost themselves.
func (d *dpdkDevices) losses() map[string]dpdk.Losses {
	all := map[string]dpdk.Losses{}
	for _, device := range []*dpdk.Device{d.plain, d.protected} {
		if l, err := device.Losses(); err == nil { // not every device counts
			all[device.Name()] = l
		}
	}
	return all
}

// watch logs when a device loses its link, and when it has it again, until ctx is over.
func (d *dpdkDevices) watch(ctx context.Context, log *slog.Logger) {
	go func() {
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		up := map[*dpdk.Device]bool{}
		for {
			for _, device := range []*dpdk.Device{d.plain, d.protected} {
				if now := device.Up(); now != up[device] {
					up[device] = now
					log.Info("link", "device", device.Name(), "up", now)
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
}
