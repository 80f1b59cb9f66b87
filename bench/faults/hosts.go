//go:build unix

package faults

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// network has hosts that are network namespaces on one bridge. Only root can make it.
type network struct{ hosts []string }

// ip runs a command of ip.
func ip(words ...string) error {
	if out, err := exec.Command("ip", words...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %s %w", strings.Join(words, " "), strings.TrimSpace(string(out)), err)
	}
	return nil
}

const (
	bridge        = "golemfaults"
	bridgeAddress = "10.77.0.254"
)

// newNetwork makes hosts with the addresses 10.77.0.1, 10.77.0.2 and so on.
func newNetwork(hosts int) (n *network, err error) {
	n = &network{}
	commands := [][]string{{"link", "add", bridge, "type", "bridge"}, {"addr", "add", bridgeAddress + "/24", "dev", bridge}, {"link", "set", bridge, "up"}}
	for i := 1; i <= hosts; i++ {
		host := fmt.Sprint(bridge, i)
		n.hosts = append(n.hosts, host)
		link := fmt.Sprint("golemv", i)
		commands = append(commands, []string{"netns", "add", host}, []string{"link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", host},
			[]string{"link", "set", link, "master", bridge}, []string{"link", "set", link, "up"},
			[]string{"-n", host, "addr", "add", fmt.Sprintf("10.77.0.%d/24", i), "dev", "eth0"}, []string{"-n", host, "link", "set", "eth0", "up"}, []string{"-n", host, "link", "set", "lo", "up"})
	}
	for _, c := range commands {
		if err := ip(c...); err != nil {
			n.remove()
			return nil, err
		}
	}
	return n, nil
}

// remove removes the hosts.
func (n *network) remove() {
	for _, host := range n.hosts {
		_ = ip("netns", "del", host) // some may not be there
	}
	_ = ip("link", "del", bridge)
}

// at lets a command run at a host.
func (n *network) at(host int, cmd *exec.Cmd) error {
	program, err := exec.LookPath("ip")
	if err != nil {
		return err
	}
	cmd.Args = append([]string{program, "netns", "exec", n.hosts[host-1]}, cmd.Args...)
	cmd.Path = program
	return nil
}

// hostsApart plays a batch whose producer and workers are hosts of their own. One worker is cut
// off for longer than its lease, and comes back.
func hostsApart(p Plan) (string, error) {
	p.Items, p.Remote, p.Machines = min(p.Items, 1000), true, 2
	if err := p.scripted(); err != nil {
		return "", err
	}
	m := newModel(p)
	defer m.close()
	if err := p.run(m, calmBatch).Run(); err != nil {
		return "", err
	}
	n, err := newNetwork(1 + p.Machines)
	if err != nil {
		return "not played: only root can make hosts (" + err.Error() + ")", nil
	}
	defer n.remove()
	q := &queue{dir: filepath.Join(p.Dir, "queue"), host: bridgeAddress}
	if err := q.start(server.RANDOM_PORT); err != nil {
		return "", err
	}
	defer q.stop()
	producer := p.producer(m, q)
	if err := n.at(1, producer); err != nil {
		return "", err
	}
	token, ended, err := begun(producer)
	if err != nil {
		return "", err
	}
	f := &farm{plan: p, model: m, token: token, url: q.s.ClientURL(), ended: ended, hosts: n}
	workers, err := f.start()
	defer func() {
		for _, w := range workers {
			_ = w.Process.Kill()
			_ = w.Wait() // it may have ended
		}
	}()
	if err == nil {
		time.Sleep(2 * time.Second) // they join and have items
		err = n.cut(2, 3*time.Second)
	}
	if err == nil {
		err = <-ended
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d items, %d workers: one was cut off for three times its lease, lost 0, doubled 0", p.Items, p.Machines), p.same(m, 0)
}

// cut cuts a host off for a time.
func (n *network) cut(host int, d time.Duration) error {
	if err := ip("-n", n.hosts[host-1], "link", "set", "eth0", "down"); err != nil {
		return err
	}
	time.Sleep(d)
	return ip("-n", n.hosts[host-1], "link", "set", "eth0", "up")
}
