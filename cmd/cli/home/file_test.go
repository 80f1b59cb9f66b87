package home

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/trust"
)

// SPEC §3: trust.json in GOLEM_HOME is for its owner only; two processes that add to it
// lose nothing; a file that cannot be read is not overwritten.
func TestTrustFile(t *testing.T) {
	env := Env(map[string]string{"GOLEM_HOME": filepath.Join(t.TempDir(), "home")})
	h := New(env, "", nil, nil)
	if data, err := h.Trusted().Read(); err != nil || data != nil {
		t.Fatal(data, err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			err := h.Trusted().Change(func(old []byte) ([]byte, error) {
				b, err := trust.ReadBook(old)
				if err != nil {
					return nil, err
				}
				b.Add("/p", trust.List{{File: strconv.Itoa(i)}})
				return b.Bytes()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, err := h.Trusted().Read()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := trust.ReadBook(data); err != nil || len(b.Projects["/p"]) != 20 {
		t.Errorf("%v: %d of 20 lines were kept", err, len(b.Projects["/p"]))
	}
	file := filepath.Join(env["GOLEM_HOME"], "trust.json")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Trusted().Read(); !errors.Is(err, fault.Config) {
		t.Error(err)
	}
}

func TestSettingsHaveAliases(t *testing.T) {
	env := Env(map[string]string{"LLM_DO_PATH": "b", "GOLEM_FORGE_PATH": "c", "GOLEM_FORGE_HOME": "d", "GOLEM_HOME": ""})
	if env.Setting("PATH") != "b" || env.Setting("HOME") != "d" || env.Setting("MODEL") != "" {
		t.Error(env.Setting("PATH"), env.Setting("HOME"), env.Setting("MODEL"))
	}
	env["GOLEM_PATH"] = "a"
	if env.Setting("PATH") != "a" {
		t.Error(env.Setting("PATH"))
	}
}
