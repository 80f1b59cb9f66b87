package githost

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golem/core/clearance"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/core/ui"

	"golem/cmd/cli/home"
)

// sendPatience is how long git may take to send a branch.
const sendPatience = 3 * time.Minute

// Secrets are the values that a person keeps with golem secret set.
type Secrets interface {
	Secret(name string) (value string, ok bool, err error) // ok is false if there is no such secret
}

// personGit runs the git program of a person with the person's logins: that of the secret git.HOST,
// those of the helpers of the person's own configuration, and those of the SSH agent. git works in
// a directory of golem's, so that no hook and no configuration of a project has an effect.
type personGit struct {
	env     map[string]string
	secrets Secrets // nil: none
}

// sendingBranch is a branch of a repository on this machine that can be sent to others.
type sendingBranch struct {
	*gitrepo.Branch
	sender personGit
	files  sandbox.FS // of the repository
	name   string
}

var _ clearance.Sender = sendingBranch{}

// Send implements clearance.Sender.
func (b sendingBranch) Send(ctx context.Context, address, commit string) error {
	s := b.sender
	if problem := config.RemoteProblem(address); problem != "" {
		return fault.New(fault.Config, "its address %s", problem)
	}
	source := sandbox.SourceOf(b.files, "")
	repository := filepath.Join(filepath.FromSlash(source), ".git")
	if _, err := os.Stat(repository); err != nil {
		repository = filepath.FromSlash(source) // it is bare
	}
	objects := filepath.Join(repository, "objects")
	if source == "" || strings.ContainsAny(objects, "\n\"") {
		return fault.New(fault.Path, "its repository cannot be named to git")
	}
	dir, err := os.MkdirTemp("", "golem-send-")
	if err != nil {
		return fault.New(fault.Platform, "no directory for git could be made: %w", err)
	}
	defer os.RemoveAll(dir)
	ref := "refs/heads/" + b.name
	shallow, _ := home.ReadFile(filepath.Join(repository, "shallow")) // there is one in a clone without its whole history
	for name, text := range map[string]string{
		"shallow": string(shallow), "HEAD": "ref: " + ref + "\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
		"objects/info/alternates": filepath.ToSlash(objects) + "\n", "refs/heads/" + b.name: commit + "\n",
	} {
		if text == "" {
			continue
		}
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err = os.MkdirAll(filepath.Dir(full), 0o700); err == nil {
			err = os.WriteFile(full, []byte(text), 0o600)
		}
		if err != nil {
			return fault.New(fault.Platform, "no repository for git could be made: %w", err)
		}
	}
	settings, key, err := s.login(address)
	if err != nil {
		return err
	}
	args := append(settings, "push", "--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--", address, ref+":"+ref)
	ctx, cancel := context.WithTimeoutCause(ctx, sendPatience, fault.New(fault.Timeout, "git took longer than %s", sendPatience))
	defer cancel()
	out, err := s.git(ctx, dir, key, "", args...)
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) != nil:
		return fault.Of(context.Cause(ctx), fault.Timeout)
	case errors.Is(err, exec.ErrNotFound):
		return fault.New(fault.Platform, "git is not installed")
	}
	if key != "" {
		out = strings.ReplaceAll(out, key, "***")
	}
	return fault.New(fault.Network, "git says: %s", fault.Brief(ui.OneLine(strings.TrimSpace(out)))).
		Hinting("the item is done; send the branch with git push, or correct the login: git's credential helpers, the SSH agent, or golem secret set git.HOST")
}

// keyVariable gives the key to the helper of login, so that it is in no command line.
const keyVariable = "GOLEM_GIT_KEY"

// login returns the settings with which git gets the key of the secret git.HOST, and the key; no
// settings if there is no such secret.
func (s personGit) login(address string) (settings []string, key string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || s.secrets == nil {
		return nil, "", nil
	}
	key, has, err := s.secrets.Secret("git." + u.Hostname())
	if err != nil || !has {
		return nil, "", err
	}
	user := "golem"
	if name := u.User.Username(); name != "" {
		user = name
	}
	if strings.ContainsAny(user, "'\n") {
		return nil, "", fault.New(fault.Config, "the user in its address cannot be given to git")
	}
	return []string{"-c", "credential.helper=", "-c", "credential.helper=!f() { test \"$1\" = get && echo 'username=" + user + "' && echo \"password=$" + keyVariable + "\"; }; f"}, key, nil
}

// credential returns the user and the key for an https address, or "" for both if there are none:
// those of the secret git.HOST, else of the person's own credential helpers.
func (s personGit) credential(ctx context.Context, remote *url.URL) (user, key string, err error) {
	if s.secrets != nil {
		key, has, err := s.secrets.Secret("git." + remote.Hostname())
		if err != nil || has {
			return "golem", key, err
		}
	}
	dir, err := os.MkdirTemp("", "golem-login-")
	if err != nil {
		return "", "", fault.New(fault.Platform, "no directory for git could be made: %w", err)
	}
	defer os.RemoveAll(dir)
	if strings.ContainsAny(remote.Host+remote.Path, "\n\r\x00") {
		return "", "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	out, err := s.git(ctx, dir, "", "protocol=https\nhost="+remote.Host+"\npath="+strings.TrimPrefix(remote.Path, "/")+"\n\n", "credential", "fill")
	if err != nil {
		return "", "", nil // git is not installed, or knows no login without a terminal
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch name {
		case "username":
			user = value
		case "password":
			key = value
		}
	}
	return user, key, nil
}

// askPatience is how long a credential helper may take.
const askPatience = 30 * time.Second

// git runs git in a directory, without a terminal and without hooks, and returns what it prints
// on both streams.
func (s personGit) git(ctx context.Context, dir, key, in string, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.askPass="}, args...)...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = dir, strings.NewReader(in), time.Second
	own := []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"}
	for name, value := range s.env {
		if !strings.HasPrefix(name, "GIT_") && name != "SSH_ASKPASS" || slices.Contains(own, name) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_DIR="+dir, "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=https:ssh", "GIT_SSH_COMMAND=ssh -o BatchMode=yes", keyVariable+"="+key)
	var out bytes.Buffer
	cmd.Stdout = &firstBytes{out: &out, left: 64 << 10}
	if in == "" { // otherwise the output is data
		cmd.Stderr = &firstBytes{out: &out, left: 64 << 10}
	}
	err = cmd.Run()
	return out.String(), err
}

// firstBytes writes the first bytes and drops the others.
type firstBytes struct {
	out  *bytes.Buffer
	left int
}

// Write never fails.
func (b *firstBytes) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.out.Write(p[:n])
	return len(p), nil
}
