package keelson

import (
	"strings"
	"testing"
)

const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {colour: blue}\n"
const path = "/api/v1/namespaces/default/configmaps/settings"

func TestServer(t *testing.T) {
	server := Start(t)
	if err := server.Apply(settings); err != nil {
		t.Fatal(err)
	}
	var object struct{ Data map[string]string }
	if err := server.Call("GET", path, nil, &object); err != nil || object.Data["colour"] != "blue" {
		t.Fatal(object, err)
	}
	fault := map[string]any{"fault": "throttle", "filter": map[string]any{"verb": "get"}}
	if err := server.Admin("faults", fault, nil); err != nil {
		t.Fatal(err)
	}
	if err := server.Call("GET", path, nil, nil); err == nil || !strings.Contains(err.Error(), "429") {
		t.Fatal("429 is expected", err)
	}
	if err := server.Admin("reset", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := server.Call("GET", path, nil, nil); err == nil || !strings.Contains(err.Error(), "404") {
		t.Fatal("404 is expected after a reset", err)
	}
}
