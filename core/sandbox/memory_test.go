package sandbox_test

import (
	"testing"

	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

func TestMemory(t *testing.T) {
	sandboxtest.Test(t, func(*testing.T) sandbox.FS { return sandbox.Memory() })
}

func TestViewOverMemory(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		return view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: sandbox.Memory(), Source: ".", Mode: sandbox.ReadWrite}}})
	})
}

func view(t *testing.T, spec sandbox.ViewSpec) sandbox.FS {
	t.Helper()
	v, err := sandbox.View(spec)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
