package console

import (
	"fmt"
	"os/exec"
	"runtime"
)

// Browse opens an address in the person's browser.
func Browse(url string) error {
	program, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	go cmd.Wait() // the browser may outlive golem; this only collects its exit status
	return nil
}
