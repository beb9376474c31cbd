// Package keelson starts a Keelson server for a test. It needs nothing but the standard library, and Node with the package
// keelson on the machine.
package keelson

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Server is a running `keelson test-server`.
type Server struct {
	URL        string `json:"url"`
	Token      string `json:"token"`
	CA         string `json:"ca"`
	Kubeconfig string `json:"kubeconfig"` // path of a file, for clientcmd.BuildConfigFromFlags
	AdminPath  string `json:"adminPath"`

	process *exec.Cmd
	stdin   io.Closer
	client  *http.Client
}

// Start runs a server with the manifests of these files and folders until the test ends. KEELSON is the command, "npx keelson" when not set.
func Start(t testing.TB, manifests ...string) *Server {
	t.Helper()
	server, err := Open(manifests...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// Open is Start for programs that are no tests: call Close in the end.
func Open(manifests ...string) (*Server, error) {
	command := os.Getenv("KEELSON")
	if command == "" {
		command = "npx keelson"
	}
	words := append(strings.Fields(command), "test-server")
	for _, manifest := range manifests {
		words = append(words, "-f", manifest)
	}
	process := exec.Command(words[0], words[1:]...)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe() // the server ends with it, also if this process is killed
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	server := &Server{process: process, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, server)
	}
	if err != nil {
		_ = server.Close()
		return nil, fmt.Errorf("keelson test-server did not start: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(server.CA))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	server.client = &http.Client{Transport: transport, Timeout: time.Minute}
	return server, nil
}

// Close stops the server, which deletes its files.
func (s *Server) Close() error {
	_ = s.stdin.Close()
	return s.process.Wait()
}

// Call sends a request as the administrator. The answer is decoded into result, unless that is nil.
func (s *Server) Call(method, path string, body []byte, result any) error {
	request, err := http.NewRequest(method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(text, result)
}

// Admin calls a path of the test kit: snapshot, reset, faults, clock, journal or users.
func (s *Server) Admin(what string, body map[string]any, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.Call("POST", s.AdminPath+"/"+what, text, result)
}

// Apply applies manifests in YAML or JSON.
func (s *Server) Apply(manifests string) error {
	return s.Call("POST", s.AdminPath+"/apply", []byte(manifests), nil)
}
