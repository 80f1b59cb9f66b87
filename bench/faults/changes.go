//go:build unix

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// await waits until so many more requests came, at most a minute.
func (m *model) await(more int) {
	first, _ := m.counts()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if now, _ := m.counts(); now >= first+more {
			return
		}
	}
}

func fullDisk(p Plan) (string, error) {
	p.Items = min(p.Items, 60)
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	home := filepath.Join(p.Dir, "home", ".golem")
	if err := os.Rename(filepath.Join(home, "batches", calmBatch), filepath.Join(p.Dir, "kept")); err != nil {
		return "", err
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=96k", "none", home).CombinedOutput(); err != nil {
		return "not played: only root can make a disk of 96 kB (" + strings.TrimSpace(string(out)) + ")", nil
	}
	defer func() { _ = exec.Command("umount", "-l", home).Run() }() // the directory is removed anyway
	code, said, err := p.hurt(m, nil)
	if err == nil && (code == 0 || !strings.Contains(said, "disk is full")) {
		err = fmt.Errorf("exit code %d with a full disk: %s", code, said)
	}
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("mount", "-o", "remount,size=64m", home).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s", out)
	}
	code, said, err = p.hurt(m, nil)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d with room again: %s", code, said)
	}
	if err == nil {
		err = p.same(m, p.Jobs)
	}
	_, twice := m.counts()
	return fmt.Sprintf("%d items: golem stops and says so, and the same command goes on; asked twice %d (at most %d)", p.Items, twice, p.Jobs), err
}

// dollars is what a request costs in the case budget.
const dollars = 1.1

func budget(p Plan) (string, error) {
	p.Items, p.Turns = min(p.Items, 40), 5
	p.In, p.Out = 1000, 100
	p.Config = "providers: {openai: {models: {mock: {price: {input: 1000, output: 1000}}}}}\n"
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	kills, limit := 3, float64(p.Items*p.Turns/2)*dollars
	for range kills {
		if _, _, err := p.hurt(m, func(cmd *exec.Cmd) {
			m.await(p.Items * p.Turns / 8)
			_ = cmd.Process.Kill()
		}, "--limit", fmt.Sprintf("cost=%.2f", limit)); err != nil {
			return "", err
		}
		m.died()
	}
	code, said, err := p.hurt(m, nil, "--limit", fmt.Sprintf("cost=%.2f", limit))
	if err != nil || code != 1 || !strings.Contains(said, "E_BUDGET") {
		return "", fmt.Errorf("exit code %d with a budget that is spent: %s %v", code, said, err)
	}
	all, twice := m.counts()
	spent, lost := float64(all)*dollars, float64(kills*p.Jobs)*dollars // what was under way when golem was killed is not known to it
	if spent > limit+lost || spent < limit/2 {
		return "", fmt.Errorf("$%g were spent of $%g", spent, limit)
	}
	if code, said, err = p.hurt(m, nil, "--limit", "cost=1000"); err != nil || code != 0 {
		return "", fmt.Errorf("exit code %d with a higher limit: %s %v", code, said, err)
	}
	return fmt.Sprintf("%d items: stopped at $%.2f of $%.2f after %d kills (with %d requests asked twice), and went on with a higher limit", p.Items, spent, limit, kills, twice), p.same(m, (kills+1)*p.Jobs) // the stop interrupts requests as well
}

func inputs(p Plan) (string, error) {
	p.Items, p.Turns = min(p.Items, 20), 2
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	name := filepath.Join(p.Dir, "in.jsonl")
	whole, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	changes := []struct {
		what string
		code int
		to   string
	}{
		{"half of the lines", 0, strings.Join(strings.SplitAfter(string(whole), "\n")[:p.Items/2], "")},
		{"all lines", 0, string(whole)},
		{"all but the first line", 0, strings.Join(strings.SplitAfter(string(whole), "\n")[1:], "")},
		{"a changed line", 2, strings.Replace(string(whole), `"item-1"}`, `"item-1", "x": 1}`, 1)},
		{"all lines again", 0, string(whole)},
	}
	for _, c := range changes {
		if err := os.WriteFile(name, []byte(c.to), 0o600); err != nil {
			return "", err
		}
		code, said, err := p.hurt(m, nil)
		if err != nil || code != c.code || code == 2 && !strings.Contains(said, "E_CONFLICT") {
			return "", fmt.Errorf("%s: exit code %d: %s %v", c.what, code, said, err)
		}
	}
	return fmt.Sprintf("%d items: added lines are run, removed ones are not asked again when they come back, a changed one is E_CONFLICT; asked twice 0", p.Items), p.same(m, 0)
}

func changedPack(p Plan) (string, error) {
	p.Items = min(p.Items, 40)
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	if _, _, err := p.hurt(m, func(cmd *exec.Cmd) {
		m.await(p.Items * p.Turns / 8)
		_ = cmd.Process.Signal(os.Interrupt)
	}); err != nil {
		return "", err
	}
	name := filepath.Join(p.Dir, "p", "main.worker")
	old, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	before, _ := m.counts()
	if err := os.WriteFile(name, append(old[:len(old):len(old)], "More.\n"...), 0o600); err != nil {
		return "", err
	}
	code, said, err := p.hurt(m, nil)
	if after, _ := m.counts(); err != nil || code != 2 || !strings.Contains(said, "E_CONFLICT") || after != before {
		return "", fmt.Errorf("exit code %d, %d requests: %s %v", code, after-before, said, err)
	}
	if err := os.WriteFile(name, old, 0o600); err != nil {
		return "", err
	}
	if code, said, err = p.hurt(m, nil); err != nil || code != 0 {
		return "", fmt.Errorf("exit code %d: %s %v", code, said, err)
	}
	return fmt.Sprintf("%d items: E_CONFLICT before any request; with the old project it goes on", p.Items), p.same(m, p.Jobs)
}
